import BellhopModel
import BellhopStore
import Testing

@Suite("Repeats that collapse")
struct RepeatTests {
  private func store(
    _ kind: BackendKind, ignoringNumbers: Bool = false
  ) async throws -> StoreUnderTest {
    let store = try await StoreUnderTest(kind)
    try await store.collapseRepeats(ignoringNumbers: ignoringNumbers)
    return store
  }

  private func repeats(_ item: UserNotification) throws -> Repeats { try #require(item.repeats) }

  @Test("forty equal publications are one item ×40", arguments: BackendKind.allCases)
  func forty(kind: BackendKind) async throws {
    let store = try await store(kind)
    let first = try await store.publish("disk full").item
    #expect(try repeats(first).count == 1)
    var last = first
    for number in 2...40 {
      let published = try await store.publish("disk full") {
        $0.visual?.body = "\(number) times"
        $0.priority = .high
      }
      #expect(published.outcome == .updated)
      last = published.item
    }
    #expect(try await store.stored(first) == last)
    #expect(try await store.titles() == ["disk full"])
    #expect(last.id == first.id && last.shortNumber == first.shortNumber)
    #expect(last.content.visual?.body == "40 times" && last.content.priority == .high)
    let counted = try repeats(last)
    #expect(counted.count == 40 && counted.buckets.reduce(0, +) == 40)
    #expect(counted.first == first.created && counted.last == store.clock.now)
    #expect(last.arrival == first.arrival && last.state.registers == first.state.registers)
    #expect(last.state.meaningSequence == first.state.contentSequence)
    #expect(last.state.contentSequence == last.state.sequence)
    #expect(try await store.service.app(named: "backups", of: store.user).use.items == 1)
  }

  @Test(
    "another title, group or app is another item, and so is any without the setting",
    arguments: BackendKind.allCases)
  func others(kind: BackendKind) async throws {
    let store = try await store(kind)
    try await store.publish("disk full")
    try await store.publish("disk empty")
    try await store.publish("disk full") { $0.group = "nas" }
    for _ in 0..<2 { try await store.publish("disk full", app: "other") }
    #expect(try await store.titles().count == 5)
    var change = AppSettingsChange()
    change.repeats = .keep
    _ = try await store.service.configure("backups", change, for: store.user)
    #expect(try await store.publish("disk full").outcome == .created)
  }

  @Test(
    "numbers in a title are ignored where the settings or a rule say so",
    arguments: BackendKind.allCases)
  func numbers(kind: BackendKind) async throws {
    let store = try await store(kind)
    try await store.collapseRepeats(of: "nas", ignoringNumbers: true)
    try await store.addRule("ci", app: "ci") { $0.collapse = .ignoringNumbers }
    for (app, count) in [("backups", 2), ("nas", 1), ("ci", 1), ("other", 2)] {
      for percent in [81, 9] { try await store.publish("disk \(percent) % full", app: app) }
      #expect(try await store.service.app(named: app, of: store.user).use.items == count, "\(app)")
    }
  }

  @Test(
    "the settings for repeats and resolutions are in the record of the app",
    arguments: BackendKind.allCases)
  func record(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let user = store.user
    func record() async throws -> AppRecord? {
      try await store.backend.read { try $0.app("backups", of: user) }
    }
    func configure(_ adjust: (inout AppSettingsChange) -> Void) async throws {
      var change = AppSettingsChange()
      adjust(&change)
      _ = try await store.service.configure("backups", change, for: user)
    }
    try await configure { $0.sound = false }
    #expect(try await record()?.repeats == nil)
    #expect(try await record()?.resolutions == .mark)
    try await configure {
      $0.repeats = .collapse
      $0.resolutions = .publish
    }
    #expect(try await record()?.repeats == .exact)
    #expect(try await record()?.resolutions == .publish)
    try await configure { $0.repeatsIgnoreNumbers = true }
    #expect(try await record()?.repeats == .ignoringNumbers)
    try await configure {
      $0.repeats = .keep
      $0.resolutions = .mark
    }
    #expect(try await record()?.repeats == nil)
    #expect(try await record()?.resolutions == .mark)
  }

  // MARK: - What the user did

  @Test(
    "a read item counts on and stays read, and a snoozed one stays snoozed",
    arguments: BackendKind.allCases,
    [
      StateChange(readState: .read), StateChange(pinned: true),
      StateChange(userActionState: .snoozed(until: Timestamp(seconds: 4_000_000_000))),
    ])
  func open(kind: BackendKind, change: StateChange) async throws {
    let store = try await store(kind)
    let first = try await store.publish("disk full").item
    let changed = try await store.change(first, change)
    let second = try await store.publish("disk full")
    #expect(second.outcome == .updated)
    #expect(second.item.state.registers == changed.state.registers)
    #expect(second.item.arrival == first.arrival)
    #expect(try repeats(second.item).count == 2)
  }

  @Test(
    "a handled item comes back with the count from 1, and keeps the round",
    arguments: BackendKind.allCases, [UserActionState.dismissed, .activated])
  func handled(kind: BackendKind, action: UserActionState) async throws {
    let store = try await store(kind)
    var item = try await store.publish("disk full").item
    let first = item
    for _ in 0..<2 { item = try await store.publish("disk full").item }
    let round = Repeats.Round(count: 3, first: first.created, last: store.clock.now)
    let change = StateChange(readState: .read, userActionState: action)
    _ = try await store.change(item, change)
    try await store.publish("other")
    let back = try await store.publish("disk full")
    #expect(back.outcome == .resurfaced && back.item.id == first.id)
    #expect(back.item.arrival == store.clock.now)
    #expect(try await store.titles() == ["disk full", "other"])
    #expect(back.item.state.readState.value == .unread)
    #expect(back.item.state.userActionState.value == .noInteraction)
    #expect(
      back.item.state.userActionState.change?.by
        == Author(kind: .publisher, id: "backups", name: "backups"))
    #expect(back.item.state.meaningSequence == back.item.state.contentSequence)
    let counted = try repeats(back.item)
    #expect(counted.count == 1 && counted.first == store.clock.now)
    #expect(counted.earlier == [round])
  }

  @Test(
    "a dismissal that arrives after a repeat dismisses, and one of the round before does not",
    arguments: BackendKind.allCases)
  func raced(kind: BackendKind) async throws {
    let store = try await store(kind)
    let first = try await store.publish("disk full").item
    try await store.publish("disk full")
    let dismissal = store.operation(.dismiss, first, seen: first.state.contentSequence)
    #expect(try await store.send([dismissal]).results == [.applied])
    try await store.publish("disk full")
    let late = store.operation(.dismiss, first, seen: first.state.contentSequence)
    #expect(try await store.send([late], from: 2).results == [.superseded])
    #expect(try await store.stored(first).state.userActionState.value == .noInteraction)
  }

  @Test(
    "an item that has left the tray after its display time comes back",
    arguments: BackendKind.allCases)
  func displayTime(kind: BackendKind) async throws {
    let store = try await store(kind)
    func publish() async throws -> Published {
      try await store.publish("disk full") { $0.displayTimeToLive = .seconds(60) }
    }
    let first = try await publish().item
    store.clock.advance(by: .seconds(30))
    #expect(try await publish().item.arrival == first.arrival)
    store.clock.advance(by: .seconds(30))
    let back = try await publish()
    #expect(back.outcome == .resurfaced && back.item.id == first.id)
    #expect(back.item.arrival == store.clock.now)
    #expect(try repeats(back.item).count == 1 && repeats(back.item).earlier.map(\.count) == [2])
  }

  @Test(
    "a quiet update counts on without bringing the item back", arguments: BackendKind.allCases)
  func quietUpdate(kind: BackendKind) async throws {
    let store = try await store(kind)
    let first = try await store.publish("disk full").item
    let dismissed = try await store.change(first, StateChange(userActionState: .dismissed))
    let quiet = try await store.publish("disk full", quiet: true)
    #expect(quiet.outcome == .updated && quiet.item.state.registers == dismissed.state.registers)
    #expect(try repeats(quiet.item).count == 2)
  }

  @Test(
    "rules list a repeat again, and act in full on an item that comes back",
    arguments: BackendKind.allCases)
  func rules(kind: BackendKind) async throws {
    let store = try await store(kind)
    try await store.addRule("noise") {
      $0.marksRead = true
      $0.level = .low
    }
    let first = try await store.publish("disk full").item
    #expect(first.state.readState.value == .read)
    _ = try await store.change(first, StateChange(readState: .unread))
    try await store.addRule("more noise") { $0.isSilent = true }
    let second = try await store.publish("disk full").item
    #expect(second.state.readState.value == .unread && second.isSilenced)
    _ = try await store.change(first, StateChange(userActionState: .dismissed))
    let back = try await store.publish("disk full").item
    #expect(back.state.readState.value == .read)
    #expect(back.state.readState.change?.by.kind == .rule)
  }

  // MARK: - Which item

  @Test(
    "idempotency precedes replacement, and replacement collapse", arguments: BackendKind.allCases)
  func precedence(kind: BackendKind) async throws {
    let store = try await store(kind)
    let disk = try await store.publish("disk full", appID: "disk").item
    let load = try await store.publish("high load", appID: "load").item
    #expect(try await store.publish("disk full", appID: "load").item.id == load.id)
    #expect(try repeats(try await store.stored(disk)).count == 1)
    // The item that was replaced leaves the key to the one that has it.
    #expect(try await store.publish("disk full").item.id == disk.id)
    #expect(try repeats(try await store.stored(disk)).count == 2)
    let request = PublishRequest(
      Content(app: "backups", visual: VisualContent(title: "disk full")),
      idempotency: IdempotencyKey(token: store.token.token.id, key: "k", bodyHash: [1]))
    for isRepeat in [false, true] {
      let published = try await store.service.publish(request, for: store.user)
      #expect(published.item.id == disk.id && published.isRepeat == isRepeat)
      #expect(try repeats(try await store.stored(disk)).count == 3)
    }
    // A replacement in place is no repeat, and one that resurfaces begins a round.
    #expect(try repeats(try await store.publish("disk full", appID: "disk").item).count == 3)
    _ = try await store.change(disk, StateChange(userActionState: .dismissed))
    #expect(try repeats(try await store.publish("disk full", appID: "disk").item).count == 1)
  }

  @Test(
    "a replacement with another title is what later repeats are compared with",
    arguments: BackendKind.allCases)
  func rekeyed(kind: BackendKind) async throws {
    let store = try await store(kind)
    let item = try await store.publish("disk 90 %", appID: "disk").item
    try await store.publish("disk 95 %", appID: "disk")
    #expect(try await store.publish("disk 95 %").item.id == item.id)
    #expect(try await store.publish("disk 90 %").item.id != item.id)
  }

  @Test(
    "an item that is expired, scheduled, data or of another environment is not joined",
    arguments: BackendKind.allCases)
  func notJoined(kind: BackendKind) async throws {
    let store = try await store(kind)
    let hourly = try Trigger(.interval(seconds: 3600), repeats: true)
    let adjustments: [@Sendable (inout Content) -> Void] = [
      { $0.deliverAt = store.clock.now.advanced(by: .seconds(60)) },
      { $0.trigger = hourly },
      {
        $0.visual = nil
        $0.raw = "data"
      },
      { $0.extras.environment = .development },
    ]
    for adjust in adjustments {
      #expect(try await store.publish("disk full", adjust).outcome == .created)
      #expect(try await store.publish("disk full").outcome == .created)
      try await store.service.withdrawAll(of: store)
    }
    let end = store.clock.now.advanced(by: .seconds(60))
    let gone = try await store.publish("disk full", appID: "a") { $0.expiration = end }.item
    store.clock.advance(by: .seconds(60))
    let next = try await store.publish("disk full", appID: "b")
    #expect(next.outcome == .created && next.item.id != gone.id)
    // The expired item with the same id leaves, and the publication joins the other one.
    let joined = try await store.publish("disk full", appID: "a")
    #expect(joined.item.id == next.item.id && joined.outcome == .updated)
    #expect(try await store.titles() == ["disk full"])
  }

  @Test("an app that may not publish repeats nothing", arguments: BackendKind.allCases)
  func denied(kind: BackendKind) async throws {
    let store = try await store(kind)
    let item = try await store.publish("disk full").item
    var change = AppSettingsChange()
    change.authorization = .denied
    _ = try await store.service.configure("backups", change, for: store.user)
    let error = try await storeError { try await store.publish("disk full") }
    #expect(
      error
        == .accessDenied(reason: "the user does not accept notifications of this app"))
    #expect(try await store.stored(item) == item)
  }

  @Test(
    "the answer is the same for an open, a read and a handled item",
    arguments: BackendKind.allCases)
  func answers(kind: BackendKind) async throws {
    var answers: [UserNotification] = []
    for change in [
      StateChange(pinned: true), StateChange(readState: .read),
      StateChange(userActionState: .dismissed), StateChange(userActionState: .activated),
    ] {
      let store = try await store(kind)
      let item = try await store.publish("disk full", appID: "a").item
      _ = try await store.change(item, change)
      let published = try await store.publish("disk full", appID: "b")
      #expect(published.item.id == item.id && published.answered.appNotificationID == "b")
      var answer = published.answer
      // The one part that differs, which no publisher sees.
      answer.state.meaning = nil
      answers.append(answer)
    }
    #expect(Set(answers).count == 1)
  }

  @Test("a publication through an outbox collapses, and what follows it is for the item")
  func outbox() async throws {
    let store = try await store(.memory)
    let item = try await store.publish("disk full").item
    let publication = BellhopModel.Operation(
      id: store.newID(),
      publishing: Content(app: "backups", visual: VisualContent(title: "disk full")),
      at: store.clock.now)
    let dismissal = BellhopModel.Operation(
      id: store.newID(), onShown: NotificationID(sameAs: publication.id),
      ShownVersion(content: .zero, operation: publication.id),
      mutation: ItemCommand.dismiss.mutation)
    #expect(try await store.send([publication, dismissal]).results == [.applied, .applied])
    let dismissed = try await store.stored(item)
    #expect(try repeats(dismissed).count == 2)
    #expect(dismissed.state.userActionState.value == .dismissed)
    #expect(try await store.titles() == ["disk full"])
  }
}

extension StoreService {
  /// Deletes all items of the store's user.
  fileprivate func withdrawAll(of store: StoreUnderTest) async throws {
    let items = try await list(rows: 100, for: store.user, reader: .development).items
    try await delete(items.map(\.id), for: store.user, reader: .development)
  }
}
