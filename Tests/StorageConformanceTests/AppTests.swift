import BellhopModel
import BellhopStore
import Testing

@Suite("Apps and their settings")
struct AppSettingsTests {
  private static let day = Duration.seconds(86_400)

  private func configure(
    _ store: StoreUnderTest, _ app: String, _ adjust: (inout AppSettingsChange) -> Void
  ) async throws -> AppState {
    var change = AppSettingsChange()
    adjust(&change)
    return try await store.service.configure(
      app, change, from: store.device.id, for: store.user)
  }

  @Test(
    "an app exists once it has published or was configured, with defaults for everything",
    arguments: BackendKind.allCases)
  func existence(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    #expect(try await store.service.apps(of: store.user).isEmpty)
    try await store.publish("été", app: "nas")
    let ci = try await configure(store, "ci.example.com") { $0.displayName = .set("CI") }
    let apps = try await store.service.apps(of: store.user)
    #expect(apps.map(\.settings.app) == ["ci.example.com", "nas"])
    #expect(apps[0] == ci)
    #expect(ci.settings.name == "CI")
    #expect(apps[1].settings == AppSettings(app: "nas"))
    #expect(apps[1].settings.name == "nas")
    #expect(apps[1].settings.permissions == AppPermissions(alert: true, sound: true, badge: true))
    #expect(apps[1].use == StorageUse(items: 1, tombstones: 0, bytes: 3 + 5))
    #expect(
      try await storeError { _ = try await store.service.app(named: "no", of: store.user) }
        == .notFound(what: "app"))
  }

  @Test("a change keeps the settings that it does not name", arguments: BackendKind.allCases)
  func partialChanges(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let hours = QuietHours(
      from: try #require(LocalTime("22:00")), to: try #require(LocalTime("07:30")),
      days: [.monday, .sunday], timeZone: "Europe/Berlin")
    _ = try await configure(store, "ci") {
      $0.displayName = .set("CI")
      $0.sound = false
      $0.quietHours = .set(hours)
      $0.retentionDays = .set(7)
    }
    let end = store.clock.now.advanced(by: .seconds(60))
    let second = try await configure(store, "ci") {
      $0.mute = .until(end)
      $0.badge = false
    }.settings
    #expect(second.displayName == "CI")
    #expect(second.mute == .until(end))
    #expect(second.permissions == AppPermissions(alert: true, sound: false, badge: false))
    #expect(second.quietHours == hours)
    #expect(second.retentionDays == 7)
    let third = try await configure(store, "ci") {
      $0.displayName = .clear
      $0.quietHours = .clear
      $0.retentionDays = .clear
      $0.mute = .forever
    }.settings
    #expect(third.displayName == nil && third.quietHours == nil && third.retentionDays == nil)
    #expect(third.mute == .forever)
    #expect(try await store.service.app(named: "ci", of: store.user).settings == third)
    let restarted = try await store.restarted()
    #expect(try await restarted.app(named: "ci", of: store.user).settings == third)
  }

  @Test(
    "a change takes the next sequence; a change without effect takes none",
    arguments: BackendKind.allCases)
  func sequences(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("a", app: "ci")
    let first = try await configure(store, "ci") { $0.mute = .forever }
    #expect(first.settings.sequence == SequenceNumber(2))
    let second = try await configure(store, "ci") { $0.mute = .forever }
    #expect(second == first)
    #expect(
      try await store.service.position(of: store.user).sequence == SequenceNumber(2))
    let error = try await storeError {
      var change = AppSettingsChange()
      change.mute = .off
      _ = try await store.service.configure(
        "ci", change, ifMatch: [SequenceNumber(1)], for: store.user)
    }
    #expect(error == .modified(current: SequenceNumber(2)))
  }

  @Test(
    "settings are in the first page of a first synchronisation and in the delta, once, in order",
    arguments: BackendKind.allCases)
  func delta(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    for number in 0..<5 { try await store.publish("\(number)", app: "ci") }
    let ci = try await configure(store, "ci") { $0.displayName = .set("CI") }.settings
    let page = try await store.service.delta(from: .beginning, rows: 2, for: store.user)
    #expect(page.changes.first == .app(ci))
    #expect(page.changes.count == 3)
    let (all, token) = try await pullAll(store, from: .beginning, rows: 2)
    #expect(all.count { if case .app = $0 { true } else { false } } == 1)
    #expect(all.count == 6)

    let before = try await store.publish("before", app: "nas").item
    _ = try await configure(store, "ci") { $0.mute = .forever }
    let nas = try await configure(store, "nas") { $0.sound = false }.settings
    let after = try await store.publish("after", app: "nas").item
    let last = try await configure(store, "ci") { $0.mute = .off }.settings
    let expected: [Change] = [.item(before), .app(nas), .item(after), .app(last)]
    for rows in [1, 2, 3, 100] {
      let (changes, end) = try await store.pull(from: .since(token), rows: rows)
      #expect(changes == expected, "\(rows) rows a page")
      #expect(try await store.pull(from: .since(end)).changes.isEmpty)
    }
  }

  /// Pulls as `StoreUnderTest.pull` does, for first pages, which may exceed the requested rows.
  private func pullAll(
    _ store: StoreUnderTest, from start: DeltaStart, rows: Int
  ) async throws -> (changes: [Change], token: DeltaToken) {
    var changes: [Change] = []
    var start = start
    while true {
      let page = try await store.service.delta(from: start, rows: rows, for: store.user)
      changes += page.changes
      switch page.end {
      case .next(let next): start = .page(next)
      case .complete(let token): return (changes, token)
      }
    }
  }

  @Test("a page that is full by its bytes omits no settings", arguments: BackendKind.allCases)
  func fullPages(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.pageBytesMax = 100
    let store = try await StoreUnderTest(kind, limits: limits)
    let (_, token) = try await store.pull(from: .beginning)
    var expected: [Change] = []
    for number in 0..<6 {
      let item = try await store.publish("\(number)", app: "ci") {
        $0.raw = String(repeating: "x", count: 60)
      }.item
      expected.append(.item(item))
      let settings = try await configure(store, "app\(number)") { $0.mute = .forever }.settings
      expected.append(.app(settings))
    }
    #expect(try await store.pull(from: .since(token)).changes == expected)
  }

  @Test(
    "a change of settings is signalled to the other devices", arguments: BackendKind.allCases)
  func signals(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let other = try await store.addDevice("phone")
    var signals = try await store.service.signals(for: store.user, excluding: other.id)
      .makeAsyncIterator()
    _ = await signals.next()
    let sequence = try await configure(store, "ci") { $0.mute = .forever }.settings.sequence
    #expect(await signals.next()?.sequence == sequence)
  }

  @Test(
    "publishing, replacing and withdrawing under an alias apply to the app",
    arguments: BackendKind.allCases)
  func aliases(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    _ = try await configure(store, "nas.example.com") { $0.aliases = ["nas", "disks"] }
    let item = try await store.publish("a", app: "nas", appID: "x").item
    #expect(item.content.app == "nas.example.com")
    let again = try await store.publish("b", app: "nas.example.com", appID: "x")
    #expect(again.item.id == item.id && again.outcome == .updated)
    #expect(
      try await store.service.app(named: "disks", of: store.user).settings.app
        == "nas.example.com")
    #expect(
      try await store.service.withdraw(app: "disks", appNotificationID: "x", for: store.user))
    #expect(try await store.titles().isEmpty)
    // An alias also changes the app's own settings.
    _ = try await configure(store, "nas") { $0.mute = .forever }
    #expect(try await store.service.apps(of: store.user).count == 1)
    // A removed alias is a separate app again.
    _ = try await configure(store, "nas.example.com") { $0.aliases = ["disks"] }
    #expect(try await store.publish("c", app: "nas").item.content.app == "nas")
  }

  @Test("an alias belongs to one app of a user", arguments: BackendKind.allCases)
  func aliasesAreUnique(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    _ = try await configure(store, "nas.example.com") { $0.aliases = ["nas"] }
    let error = try await storeError {
      _ = try await configure(store, "other.example.com") { $0.aliases = ["nas"] }
    }
    #expect(error == .alreadyExists(what: "an alias of another app with this name"))
    #expect(try await store.service.apps(of: store.user).count == 1)
    let bob = try await store.service.addUser(named: "bob").id
    var change = AppSettingsChange()
    change.aliases = ["nas"]
    _ = try await store.service.configure("bobs.example.com", change, for: bob)
    #expect(try await store.publish("a", app: "nas").item.content.app == "nas.example.com")
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var field: String
    var change: @Sendable (inout AppSettingsChange, Timestamp) -> Void
  }

  static let refusals = [
    Refusal(testDescription: "a blank name", field: "displayName") { change, _ in
      change.displayName = .set(" \t")
    },
    Refusal(testDescription: "a long name", field: "displayName") { change, _ in
      change.displayName = .set(String(repeating: "é", count: 129))
    },
    Refusal(testDescription: "an alias with a dot", field: "aliases") { change, _ in
      change.aliases = ["a.b"]
    },
    Refusal(testDescription: "an alias twice", field: "aliases") { change, _ in
      change.aliases = ["a", "a"]
    },
    Refusal(testDescription: "its own name", field: "aliases") { change, _ in
      change.aliases = ["app"]
    },
    Refusal(testDescription: "many aliases", field: "aliases") { change, _ in
      change.aliases = (0...16).map { "a\($0)" }
    },
    Refusal(testDescription: "a mute that is over", field: "mutedUntilDateTime") {
      $0.mute = .until($1)
    },
    Refusal(testDescription: "no retention", field: "retentionDays") { change, _ in
      change.retentionDays = .set(0)
    },
    Refusal(testDescription: "a long retention", field: "retentionDays") { change, _ in
      change.retentionDays = .set(3651)
    },
    Refusal(testDescription: "no quiet time", field: "quietHours.to") { change, _ in
      change.quietHours = LocalTime("08:00").map { .set(QuietHours(from: $0, to: $0)) }
    },
    Refusal(testDescription: "no quiet day", field: "quietHours.days") { change, _ in
      guard let from = LocalTime("08:00"), let to = LocalTime("09:00") else { return }
      change.quietHours = .set(QuietHours(from: from, to: to, days: []))
    },
    Refusal(testDescription: "no zone", field: "quietHours.timeZone") { change, _ in
      guard let from = LocalTime("08:00"), let to = LocalTime("09:00") else { return }
      change.quietHours = .set(QuietHours(from: from, to: to, timeZone: "../etc/passwd"))
    },
  ]

  @Test("invalid settings are refused with the field", arguments: Self.refusals)
  func refusesWrongSettings(_ refusal: Refusal) async throws {
    for kind in BackendKind.allCases {
      let store = try await StoreUnderTest(kind)
      var change = AppSettingsChange()
      refusal.change(&change, store.clock.now)
      let wrong = change
      let error = try await storeError {
        _ = try await store.service.configure("app", wrong, for: store.user)
      }
      guard case .invalid(let field, _)? = error else {
        Issue.record("accepted: \(refusal.testDescription)")
        continue
      }
      #expect(field == refusal.field)
      #expect(try await store.service.apps(of: store.user).isEmpty)
    }
  }

  @Test(
    "naming a permission is a decision, even for the default value, but only once",
    arguments: BackendKind.allCases)
  func decision(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    _ = try await configure(store, "ci") { $0.mute = .off }
    #expect(try await configure(store, "ci") { $0.aliases = [] }.settings.sequence == .zero)
    let decided = try await configure(store, "ci") { $0.alert = true }.settings
    #expect(decided.sequence > .zero)
    let again = try await configure(store, "ci") { $0.alert = true }.settings
    #expect(again.sequence == decided.sequence)
  }

  @Test("an invalid host can't be configured", arguments: BackendKind.allCases)
  func hosts(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let error = try await storeError {
      _ = try await configure(store, "a b") { $0.mute = .forever }
    }
    guard case .invalid("targetHostName", _)? = error else {
      Issue.record("accepted")
      return
    }
  }

  // MARK: - Retention

  @Test(
    "a shorter retention applies to existing items, chunk by chunk, and to no others",
    arguments: BackendKind.allCases)
  func shorterRetention(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.sweepItemsMax = 7
    let store = try await StoreUnderTest(kind, limits: limits)
    for number in 0..<20 { try await store.publish("\(number)", app: "ci") }
    let pinned = try await store.publish("pinned", app: "ci").item
    _ = try await store.change(pinned, StateChange(pinned: true))
    try await store.publish("other", app: "nas")
    let explicit = store.clock.now.advanced(by: Self.day * 20)
    try await store.publish("explicit", app: "ci") { $0.expiration = explicit }
    store.clock.advance(by: Self.day * 10)
    try await store.publish("new", app: "ci")
    _ = try await configure(store, "ci") { $0.retentionDays = .set(7) }
    #expect(try await store.service.sweep().expired == 20)
    #expect(Set(try await store.titles()) == ["pinned", "other", "explicit", "new"])
    store.clock.advance(by: Self.day * 7)
    #expect(try await store.service.sweep().expired == 1)
    #expect(Set(try await store.titles()) == ["pinned", "other", "explicit"])
    _ = try await store.change(pinned, StateChange(pinned: false))
    #expect(try await store.service.sweep().expired == 1)
  }

  @Test("a pass over an app's items continues after a crash", arguments: BackendKind.allCases)
  func interruptedPass(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.sweepItemsMax = 5
    let store = try await StoreUnderTest(kind, limits: limits)
    for number in 0..<12 { try await store.publish("\(number)", app: "ci") }
    _ = try await configure(store, "ci") { $0.retentionDays = .set(1) }
    let backend = store.backend
    let logic = try await backend.write(
      in: .store,
      { [store] in
        try StoreLogic.open(environment: store.environment, limits: store.limits, in: $0)
      }, committed: { _ in })
    let first = try await backend.write(
      in: .user(store.user),
      { transaction -> RetentionPass? in
        guard let pass = try transaction.retentionPasses(limit: 1).first else { return nil }
        try logic.retain(pass, in: transaction)
        return try transaction.retentionPasses(limit: 1).first
      }, committed: { _ in })
    #expect(first?.above != nil)
    store.clock.advance(by: Self.day * 2)
    let restarted = try await store.restarted()
    #expect(try await restarted.sweep().expired == 12)
    #expect(try await backend.read { try $0.retentionPasses(limit: 1) }.isEmpty)
  }

  @Test(
    "a longer retention applies to existing items, and null restores the default",
    arguments: BackendKind.allCases)
  func longerRetention(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    _ = try await configure(store, "ci") { $0.retentionDays = .set(1) }
    try await store.publish("a", app: "ci")
    _ = try await configure(store, "ci") { $0.retentionDays = .set(30) }
    store.clock.advance(by: Self.day * 29)
    #expect(try await store.service.sweep().expired == 0)
    #expect(try await store.titles() == ["a"])
    _ = try await configure(store, "ci") { $0.retentionDays = .clear }
    store.clock.advance(by: Self.day * 300)
    #expect(try await store.service.sweep().expired == 0)
    store.clock.advance(by: Self.day * 36)
    #expect(try await store.service.sweep().expired == 1)
  }

  @Test(
    "a shorter default in the store's configuration applies to existing items",
    arguments: BackendKind.allCases)
  func shorterDefault(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("goes", app: "ci")
    try await store.publish("stays", app: "nas")
    _ = try await configure(store, "nas") { $0.retentionDays = .set(30) }
    store.clock.advance(by: Self.day * 8)
    // The store's last run knows the clock; more than a week later another one would doubt it.
    try await store.service.sweep()
    var limits = StoreLimits()
    limits.retention = Self.day * 7
    let shorter = try await StoreService.open(
      .starting, on: store.backend, environment: store.environment, limits: limits)
    #expect(try await shorter.sweep().expired == 1)
    #expect(try await store.titles() == ["stays"])
  }
}
