import BellhopModel
import BellhopTestSupport
import BellhopWire
import Testing

@Suite("Payloads")
struct PayloadTests {
  /// An item with every field set, and registers set by a device and by a publisher.
  static func fullItem() -> UserNotification {
    var extras = ContentExtras()
    extras.category = "build"
    extras.actions = [
      .init(id: "open", title: "Open", options: ["foreground"], url: "https://a.b"),
      .init(
        id: "run", title: "Run", kind: .http, options: ["clear"], url: "https://a.b/run",
        text: "text", method: "PUT", headers: ["X-A": "b"], body: "b", placeholder: "p"),
    ]
    extras.attachments = [.init(name: "log", url: "https://a.b/log", type: "text/plain", size: 3)]
    extras.sound = "ding"
    extras.badge = 4
    extras.markdown = true
    extras.icon = "https://a.b/i.png"
    extras.awaitsResponse = true
    extras.userInfo = [
      "build": .integer(412), "ratio": .number(0.5), "ok": .bool(true), "none": .null,
      "names": .list([.text("ü")]), "more": .object(["a": .text("b")]),
    ]
    extras.mutableContent = true
    extras.environment = .development
    extras.startedDateTime = Timestamp(milliseconds: 1_794_000_000_250)
    extras.targetPolicy = .init(platformTypes: ["Windows", "iOS"])
    extras.fallbackPolicy = .init(
      platformTypes: ["Android"], fallbackDelayInSeconds: 90,
      visualContent: VisualContent(title: "Fallback"))
    let calendar = try? CalendarPattern(minute: 30, hour: 9, weekdays: [2, 6])
    let content = Content(
      app: "ci.example.com", appNotificationID: "b/1", group: "builds", priority: .urgent,
      tags: ["a", "ü"], visual: VisualContent(title: "Bauen \u{1b}[31m", subtitle: "s", body: "b"),
      raw: "{\"x\":1}", clickURL: "https://example.com/?a=b&c",
      expiration: Timestamp(seconds: 1_800_000_000), displayTimeToLive: .seconds(60),
      deliverAt: Timestamp(milliseconds: 1_795_000_000_123),
      trigger: calendar.flatMap {
        try? Trigger(.calendar($0, timeZone: "Europe/Berlin"), repeats: true)
      }, extras: extras)
    let device = RegisterChange(
      at: Timestamp(milliseconds: 1_795_000_000_001),
      by: Author(kind: .device, id: "laptop-1", name: "Laptop"),
      operation: OperationID(high: 7, low: 9))
    var dismissal = device
    dismissal.occurrence = Occurrence.Label("2026-11-30T09:30")
    let publisher = RegisterChange(
      at: Timestamp(seconds: 1_795_000_001),
      by: Author(kind: .publisher, id: "ci.example.com", name: "CI"), operation: nil)
    let state = ItemState(
      sequence: SequenceNumber(12), contentSequence: SequenceNumber(9), meaning: SequenceNumber(6),
      changed: Timestamp(milliseconds: 1_795_000_000_500),
      resolved: Timestamp(milliseconds: 1_795_000_000_400),
      registers: ItemRegisters(
        readState: Register(.unread, previous: .read, change: publisher),
        userActionState: Register(
          .dismissed, previous: .snoozed(until: Timestamp(seconds: 1_796_000_000)),
          change: dismissal),
        pinned: Register(true, previous: false, change: device)))
    return UserNotification(
      id: NotificationID(high: 0x0198_c0de_0000_7000, low: 0x8000_0000_0000_0001),
      shortNumber: 42, created: Timestamp(seconds: 1_794_999_999),
      arrival: Timestamp(milliseconds: 1_795_000_000_000), content: content, state: state,
      repeats: Repeats(firstAt: Timestamp(seconds: 1_794_000_000))
        .newRound(at: Timestamp(seconds: 1_795_000_000))
        .repeated(at: Timestamp(seconds: 1_795_000_130)))
  }

  static func bareItem() -> UserNotification {
    UserNotification(
      id: NotificationID(high: 1, low: 2), shortNumber: 1, created: Timestamp(seconds: 5),
      arrival: Timestamp(seconds: 5), content: Content(app: "nas", raw: ""),
      state: ItemState(
        sequence: SequenceNumber(1), contentSequence: SequenceNumber(1),
        changed: Timestamp(seconds: 5)))
  }

  @Test("a client decodes exactly the item that the store encoded", arguments: [true, false])
  func itemRoundTrip(isFull: Bool) throws {
    let item = isFull ? Self.fullItem() : Self.bareItem()
    let bytes = try WireJSON.encode(NotificationPayload(item))
    #expect(try WireJSON.decode(NotificationPayload.self, from: bytes).item == item)
  }

  @Test("a change by a rule has the rule's id and name, and those of no device or publisher")
  func changeByRule() throws {
    var item = Self.bareItem()
    let mark = RuleMark(
      id: RuleID(high: 5, low: 1), revision: OperationID(high: 5, low: 2), name: "passed builds")
    let change = RegisterChange(
      at: Timestamp(seconds: 6), by: Author(rule: mark), operation: OperationID(high: 1, low: 1))
    item.state.pinned = item.state.pinned.setting(true, change: change)
    let bytes = try WireJSON.encode(NotificationPayload(item))
    #expect(try WireJSON.decode(NotificationPayload.self, from: bytes).item == item)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains(#""ruleId":"\#(mark.id)","ruleName":"passed builds""#))
    #expect(!text.contains("deviceId") && !text.contains("publisherId"))
  }

  @Test("a repeat has the number of what it means, and its rounds; any other item has neither")
  func repeatMembers() throws {
    func members(_ item: UserNotification) throws -> JSONValue {
      try JSONValue(parsing: WireJSON.encode(NotificationPayload(item)))
    }
    let full = try members(Self.fullItem())
    #expect(full["meaningSequence"] == 6)
    #expect(full["resolvedDateTime"]?.text == "2026-11-18T11:06:40.400Z")
    #expect(full["repeats"]?["count"] == 2)
    #expect(full["repeats"]?["buckets"] == [1, 0, 1])
    let time: JSONValue = "2026-11-06T21:20:00.000Z"
    #expect(full["repeats"]?["earlier"] == [["count": 1, "first": time, "last": time]])
    let bare = try members(Self.bareItem())
    for name in ["meaningSequence", "resolvedDateTime", "repeats"] { #expect(bare[name] == nil) }
  }

  @Test("a meaning that is not below the content, and repeats that do not add up, are errors")
  func wrongRepeats() throws {
    let text = String(
      decoding: try WireJSON.encode(NotificationPayload(Self.fullItem())), as: UTF8.self)
    func problem(_ old: String, _ new: String) -> WireError? {
      #expect(throws: WireError.self) {
        try WireJSON.decode(
          NotificationPayload.self, from: Array(text.replacing(old, with: new).utf8))
      }
    }
    #expect(
      problem("\"meaningSequence\":6", "\"meaningSequence\":9")
        == .invalid(field: "meaningSequence", expectation: "a number below contentSequence"))
    #expect(
      problem("\"buckets\":[1,0,1]", "\"buckets\":[1,0,2]")
        == .invalid(field: "repeats.buckets", expectation: "1 to 64 numbers with the sum count"))
  }

  @Test("a snoozed register is encoded with the end of its snooze")
  func snoozeRoundTrip() throws {
    var item = Self.bareItem()
    let change = RegisterChange(
      at: Timestamp(seconds: 6), by: Author(kind: .device, id: "d", name: "D"),
      operation: OperationID(high: 1, low: 1))
    item.state.userActionState = item.state.userActionState.setting(
      .snoozed(until: Timestamp(milliseconds: 7_001)), change: change)
    let bytes = try WireJSON.encode(NotificationPayload(item))
    #expect(try WireJSON.decode(NotificationPayload.self, from: bytes).item == item)
  }

  @Test("a publisher's view has the content and none of the state")
  func publishedPayloadHasNoState() throws {
    let item = Self.fullItem()
    let bytes = try WireJSON.encode(PublishedPayload(item))
    let text = String(decoding: bytes, as: UTF8.self)
    for word in [
      "readState", "userActionState", "kept", "equence", "Change", "laptop", "etag", "buckets",
      "resolved",
    ] {
      #expect(!text.contains(word), "\(word) leaks")
    }
    let payload = try WireJSON.decode(PublishedPayload.self, from: bytes)
    #expect(payload.content == item.content)
    #expect(payload.shortNumber == 42)
  }

  @Test("a page of a delta keeps items, states and removals in order, and its tokens")
  func deltaRoundTrip() throws {
    let item = Self.fullItem()
    let removed = NotificationID(high: 3, low: 4)
    let page = DeltaPayload(
      changes: [
        .item(item), .state(item.id, item.state), .removed(removed, sequence: SequenceNumber(13)),
      ],
      end: .next(page: "p/+ä="), started: DeltaToken("start&x"), sequence: SequenceNumber(13),
      epoch: Epoch("e"), linkBase: "https://store.example.com:8642")
    let bytes = try WireJSON.encode(page)
    #expect(
      String(decoding: bytes, as: UTF8.self).contains("\"@removed\":{\"reason\":\"deleted\"}"))
    var decoded = try WireJSON.decode(DeltaPayload.self, from: bytes)
    decoded.linkBase = page.linkBase
    #expect(decoded == page)

    let last = DeltaPayload(
      changes: [], end: .complete(DeltaToken("t")), started: nil, sequence: .zero,
      epoch: Epoch("e"))
    #expect(try WireJSON.decode(DeltaPayload.self, from: WireJSON.encode(last)) == last)
  }

  @Test("operations and their answers keep numbers, ids and results")
  func operationsRoundTrip() throws {
    let operation = Operation(
      id: OperationID(high: 5, low: 6), target: .item(NotificationID(high: 1, low: 1)),
      mutation: ItemCommand.snooze(until: Timestamp(seconds: 99)).mutation, seen: SequenceNumber(4))
    let payload = OperationsPayload(
      lineage: Lineage("l"), operations: [.init(number: 17, operation: operation)])
    let bytes = try WireJSON.encode(payload)
    #expect(String(decoding: bytes, as: UTF8.self).contains("\"sequence\":17"))
    #expect(try WireJSON.decode(OperationsPayload.self, from: bytes) == payload)

    let results: [OperationResult] =
      [
        .applied, .alreadyApplied, .superseded, .gone, .refused(latest: Timestamp(seconds: 8)),
        .outcomeUnknown, .notPublished("not allowed"),
      ] + AppSettingsError.allCases.map(OperationResult.unacceptable)
    let answer = OperationsAnswerPayload(
      results: results.enumerated().map {
        .init(number: Int64($0.offset + 1), id: operation.id, result: $0.element)
      },
      sequence: SequenceNumber(20), epoch: Epoch("e"))
    #expect(
      try WireJSON.decode(OperationsAnswerPayload.self, from: WireJSON.encode(answer)) == answer)
  }

  @Test("a client of 0.1.0 reads an unknown outcome as a result that it knows")
  func unknownOutcome() throws {
    let answer = OperationsAnswerPayload.Answer(
      number: 1, id: OperationID(high: 5, low: 6), result: .outcomeUnknown)
    let text = String(decoding: try WireJSON.encode(answer), as: UTF8.self)
    #expect(text.contains(#""result":"gone""#) && text.contains(#""reason":"outcomeUnknown""#))
    let later = text.replacing(#""gone""#, with: #""outcomeUnknown""#)
    #expect(
      try WireJSON.decode(OperationsAnswerPayload.Answer.self, from: Array(later.utf8)) == answer)
  }

  @Test("an error keeps Graph's format and its expected sequence")
  func errorRoundTrip() throws {
    let error = ErrorPayload(
      code: .outboxGap, message: "m", requestID: "r", date: Timestamp(seconds: 1),
      expectedSequence: 3)
    let text = String(decoding: try WireJSON.encode(error, sortingKeys: true), as: UTF8.self)
    #expect(
      text == """
        {"error":{"code":"outboxGap","expectedSequence":3,"innerError":\
        {"date":"1970-01-01T00:00:01.000Z","request-id":"r"},"message":"m"}}
        """)
    #expect(try WireJSON.decode(ErrorPayload.self, from: Array(text.utf8)) == error)
  }

  @Test("a first synchronisation's large pages decode fast enough")
  func largePage() throws {
    let page = DeltaPayload(
      changes: Array(repeating: .item(Self.fullItem()), count: 500), end: .next(page: "p"),
      started: DeltaToken("s"), sequence: SequenceNumber(1), epoch: Epoch("e"))
    let bytes = try WireJSON.encode(page)
    let start = ContinuousClock.now
    let decoded = try WireJSON.decode(DeltaPayload.self, from: bytes)
    let took = start.duration(to: .now)
    #expect(decoded.changes.count == 500)
    // Generous, because it must hold without optimisation on a busy machine.
    #expect(took < .seconds(20), "took \(took)")
  }
}
