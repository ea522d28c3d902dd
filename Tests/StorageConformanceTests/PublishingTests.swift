import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import Testing

@Suite("Publishing")
struct PublishingTests {
  @Test(
    "a published item is stored with its number, its times and its content",
    arguments: BackendKind.allCases)
  func publish(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let published = try await store.publish("nas", appID: "7") { content in
      content.group = "nightly"
      content.priority = .high
      content.tags = ["disk", "a,b"]
      content.visual = VisualContent(title: "nas", subtitle: "weekly", body: "finished ✓\nok")
      content.raw = #"{"a":1}"#
      content.clickURL = "https://example.com/x"
      content.expiration = store.clock.now.advanced(by: .seconds(86_400))
      content.displayTimeToLive = .seconds(60)
      content.deliverAt = store.clock.now.advanced(by: .seconds(3600))
      content.extras.sound = "bell"
      content.extras.actions = [.init(id: "open", title: "Open", options: ["foreground"])]
    }
    #expect(published.outcome == .created)
    let item = try await store.service.item(published.item.id, of: store.user)
    #expect(item == published.item)
    #expect(item.shortNumber == 1)
    #expect(item.created == store.clock.now)
    #expect(item.arrival == item.content.deliverAt)
    #expect(item.state.contentSequence == item.state.sequence)
    #expect(item.content.extras.actions?.first?.title == "Open")
    #expect(try await store.service.item(number: 1, of: store.user) == item)
  }

  @Test("an unread, untouched item is replaced in place", arguments: BackendKind.allCases)
  func replaceInPlace(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await store.publish("50 %", appID: "job").item
    try await store.publish("other")
    let second = try await store.publish("60 %", appID: "job")
    #expect(second.outcome == .updated)
    #expect(second.item.id == first.id)
    #expect(second.item.shortNumber == first.shortNumber)
    #expect(second.item.created == first.created)
    #expect(second.item.arrival == first.arrival)
    #expect(second.item.state.contentSequence > first.state.contentSequence)
    #expect(try await store.titles() == ["other", "60 %"])
  }

  @Test(
    "an item that was read or handled resurfaces on top, unread",
    arguments: BackendKind.allCases,
    [
      StateChange(readState: .read), StateChange(userActionState: .dismissed),
      StateChange(readState: .read, userActionState: .activated),
    ])
  func resurface(kind: BackendKind, change: StateChange) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await store.publish("build ok", appID: "job").item
    try await store.publish("other")
    _ = try await store.change(first, change)
    let second = try await store.publish("disk full", appID: "job")
    #expect(second.outcome == .resurfaced)
    #expect(second.item.id == first.id)
    #expect(second.item.arrival == store.clock.now)
    #expect(second.item.state.readState.value == .unread)
    #expect(second.item.state.userActionState.value == .noInteraction)
    let changed = [
      second.item.state.readState.change?.by, second.item.state.userActionState.change?.by,
    ]
    #expect(changed.contains(Author(kind: .publisher, id: "backups", name: "backups")))
    #expect(try await store.titles() == ["disk full", "other"])
    #expect(try await store.service.item(first.id, of: store.user) == second.item)
  }

  @Test("a quiet update keeps place and state", arguments: BackendKind.allCases)
  func quietUpdate(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await store.publish("1", appID: "job").item
    let dismissed = try await store.change(first, StateChange(userActionState: .dismissed))
    let second = try await store.publish("2", appID: "job", quiet: true)
    #expect(second.outcome == .updated)
    #expect(second.item.arrival == first.arrival)
    #expect(second.item.state.userActionState == dismissed.state.userActionState)
    #expect(second.item.state.contentSequence == second.item.state.sequence)
  }

  @Test("after a delete the same app id is a new item", arguments: BackendKind.allCases)
  func publishAfterDelete(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await store.publish("1", appID: "job").item
    try await store.service.delete(first.id, for: store.user)
    let second = try await store.publish("2", appID: "job")
    #expect(second.outcome == .created)
    #expect(second.item.id != first.id)
    #expect(second.item.shortNumber == 2)
    #expect(second.item.id > first.id)
  }

  @Test(
    "after its expiry the same app id is a new item, swept or not",
    arguments: BackendKind.allCases, [false, true])
  func publishAfterExpiry(kind: BackendKind, isSwept: Bool) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await store.publish("1", appID: "job") {
      $0.expiration = store.clock.now.advanced(by: .seconds(60))
    }
    store.clock.advance(by: .seconds(60))
    if isSwept { try await store.service.sweep() }
    let second = try await store.publish("2", appID: "job")
    #expect(second.outcome == .created)
    #expect(second.item.id != first.item.id)
    #expect(try await store.titles() == ["2"])
  }

  @Test("a publisher withdraws its item, once", arguments: BackendKind.allCases)
  func withdraw(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("1", appID: "job")
    let service = store.service
    func withdraw(_ app: String) async throws -> Bool {
      try await service.withdraw(app: app, appNotificationID: "job", for: store.user)
    }
    #expect(try await withdraw("other") == false)
    #expect(try await withdraw("backups"))
    #expect(try await withdraw("backups") == false)
    #expect(try await store.titles().isEmpty)
  }

  @Test(
    "the same idempotency key and body repeat the first answer, another body is a conflict",
    arguments: BackendKind.allCases)
  func idempotency(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let content = Content(app: "ci", visual: VisualContent(title: "green"))
    func publish(_ content: Content, hash: UInt8, token: AccessTokenID) async throws -> Published {
      try await store.service.publish(
        PublishRequest(
          content,
          idempotency: IdempotencyKey(
            token: token, key: "k", bodyHash: Array(repeating: hash, count: 32))),
        for: store.user)
    }
    let token = store.token.token.id
    let first = try await publish(content, hash: 1, token: token)
    store.clock.advance(by: .seconds(3600))
    let again = try await publish(content, hash: 1, token: token)
    #expect(again.isRepeat)
    #expect(again.item == first.item)
    #expect(again.outcome == first.outcome)
    let error = try await storeError { _ = try await publish(content, hash: 2, token: token) }
    #expect(error == .idempotencyConflict)
    // Another token's key is a different key.
    let other = try await store.service.mintToken(
      named: "ci", scope: .publish(.any), for: store.user)
    #expect(try await publish(content, hash: 2, token: other.token.id).outcome == .created)
    #expect(try await store.titles().count == 2)
    // Forgotten after its lifetime, not before a day.
    store.clock.advance(by: .seconds(23 * 3600))
    try await store.service.sweep()
    #expect(try await publish(content, hash: 1, token: token).isRepeat)
    store.clock.advance(by: store.limits.idempotencyLife)
    try await store.service.sweep()
    #expect(try await publish(content, hash: 1, token: token).isRepeat == false)
  }

  @Test(
    "a token's oldest idempotency keys are forgotten first, and another token's stay",
    arguments: BackendKind.allCases)
  func idempotencyKeysPerToken(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.idempotencyKeysPerTokenMax = 3
    let store = try await StoreUnderTest(kind, limits: limits)
    let other = try await store.service.mintToken(
      named: "ci", scope: .publish(.any), for: store.user)
    func isRepeat(_ key: String, _ token: AccessTokenID) async throws -> Bool {
      try await store.service.publish(
        PublishRequest(
          Content(app: "ci", appNotificationID: "x", visual: VisualContent(title: "green")),
          idempotency: IdempotencyKey(token: token, key: key, bodyHash: [1])), for: store.user
      ).isRepeat
    }
    let token = store.token.token.id
    #expect(try await !isRepeat("other", other.token.id))
    for number in 0..<5 { #expect(try await !isRepeat("\(number)", token)) }
    for number in 2..<5 { #expect(try await isRepeat("\(number)", token)) }
    #expect(try await isRepeat("other", other.token.id))
    #expect(try await !isRepeat("1", token))
    #expect(try await !isRepeat("2", token))
    // Numbers start again once all were forgotten because of their age.
    store.clock.advance(by: store.limits.idempotencyLife + .seconds(1))
    try await store.service.sweep()
    for number in 0..<5 { #expect(try await !isRepeat("\(number)", token)) }
    #expect(try await isRepeat("4", token))
  }

  @Test(
    "with a lower limit each publication removes a thousand idempotency keys",
    arguments: BackendKind.allCases)
  func fewerIdempotencyKeys(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let (user, token) = (store.user, store.token.token.id)
    let published = try await store.publish("green")
    func insert(_ numbers: Range<Int>, keeping count: Int) async throws {
      let at = store.clock.now
      try await store.backend.write(
        in: .user(user),
        { transaction in
          for number in numbers {
            let key = IdempotencyKey(token: token, key: "\(number)", bodyHash: [1])
            var record = PublicationRecord(published, key: key, at: at)
            record.sequence = SequenceNumber(Int64(number))
            try transaction.insert(record, keeping: count, of: user)
          }
        }, committed: { _ in })
    }
    try await insert(0..<2500, keeping: 10_000)
    for (number, first) in [(2500, 1000), (2501, 2000), (2502, 2500), (2503, 2501)] {
      try await insert(number..<number + 1, keeping: 3)
      let known = try await store.service.inspect { state in
        try (0...number).filter {
          try state.publication("\($0)", of: token, user: user) != nil
        }
      }
      #expect(known == Array(first...number))
    }
  }

  @Test("a refused publication leaves nothing behind", arguments: BackendKind.allCases)
  func refusedLeavesNothing(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let before = try await store.service.position(of: store.user)
    _ = try await storeError { try await store.publish("") }
    #expect(try await store.service.position(of: store.user) == before)
    #expect(try await store.publish("a").item.shortNumber == 1)
  }

  @Test("users are separate: one's items are not the other's", arguments: BackendKind.allCases)
  func usersAreApart(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("mine", appID: "x").item
    let other = try await store.service.addUser(named: "bob").id
    #expect(try await store.service.list(rows: 10, for: other).items.isEmpty)
    #expect(
      try await storeError { _ = try await store.service.item(item.id, of: other) }
        == .notFound(what: "item"))
    #expect(try await store.service.delete(item.id, for: other) == false)
    let published = try await store.service.publish(
      PublishRequest(
        Content(app: "backups", appNotificationID: "x", visual: VisualContent(title: "b"))),
      for: other)
    #expect(published.outcome == .created)
    #expect(published.item.shortNumber == 1)
    #expect(published.item.state.sequence == SequenceNumber(1))
  }
}
