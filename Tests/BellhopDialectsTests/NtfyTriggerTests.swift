import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopDialects
@testable import BellhopServer

@Suite("Repeated and scheduled items, read with ntfy", .timeLimit(.minutes(15)))
struct NtfyTriggerTests {
  private let reading = NtfyReadingTests()

  private static func every(_ seconds: Int64) throws -> Trigger {
    try Trigger(.interval(seconds: seconds), repeats: true)
  }

  /// Publishes an item of the topic `nas`.
  @discardableResult
  private func publish(
    _ text: String, on store: InProcessStore, _ adjust: (inout Content) throws -> Void
  ) async throws -> UserNotification {
    var content = Content(app: "nas", visual: VisualContent(title: text))
    try adjust(&content)
    let user = try await store.service.user(named: "me").id
    return try await store.service.publish(PublishRequest(content), for: user).item
  }

  // MARK: - Polls

  @Test("a poll finds nothing before the first delivery, and then only the latest one")
  func polling() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let start = store.time.now
    try await publish("backup", on: store) { $0.trigger = try Self.every(3600) }
    store.time.advance(by: .seconds(3599))
    #expect(try await reading.poll(store, "/nas/json?poll=1", token: token).isEmpty)
    store.time.advance(by: .seconds(3601))
    let events = try await reading.poll(store, "/nas/json?poll=1", token: token)
    #expect(events.count == 1)
    #expect(reading.messages(events) == ["backup"])
    let time = NtfyMessage.seconds(start.advanced(by: .seconds(7200)))
    #expect(events.first?["time"] == time)
  }

  @Test("the starting point of a poll refers to the latest delivery")
  func since() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    try await publish("backup", on: store) { $0.trigger = try Self.every(3600) }
    store.time.advance(by: .seconds(7140))
    try await publish("plain", on: store) { _ in }
    store.time.advance(by: .seconds(120))
    let all = try await reading.poll(store, "/nas/json?poll=1", token: token)
    #expect(reading.messages(all) == ["plain", "backup"])
    let last = try #require(all.last?["id"]?.text)
    for (since, expected) in [
      ("90s", ["backup"]), ("10s", []), ("latest", ["backup"]), (last, []),
    ] as [(String, [String])] {
      let found = try await reading.poll(
        store, "/nas/json?poll=1&since=\(since)", token: token)
      #expect(reading.messages(found) == expected, "since=\(since)")
    }
  }

  // MARK: - Streams

  /// A listener to the topic `nas`, without a connection.
  private struct Listener {
    let store: InProcessStore
    let user: UserID
    private var reader: NtfyReader

    init(_ store: InProcessStore) async throws {
      let user = try await store.service.user(named: "me").id
      var reader = NtfyReader(
        store: store.service, pages: ChangePages(store.service), user: user, apps: ["nas": "nas"],
        filter: NtfyFilter(), showsScheduled: false, base: "")
      _ = try await reader.begin(.none)
      self.store = store
      self.user = user
      self.reader = reader
    }

    /// Returns the events since the last call.
    mutating func next() async throws -> [JSONValue] {
      let known = try await store.service.position(of: user).sequence
      let page = try await reader.changes(knowing: known)
      #expect(!page.isMore)
      return page.events.map(\.value)
    }
  }

  private func names(_ events: [JSONValue]) -> [String] {
    events.compactMap { $0["event"]?.text }
  }

  @Test("an open stream gets one message for each delivery, each with another id")
  func deliveries() async throws {
    let store = try await InProcessStore()
    let start = store.time.now
    try await publish("before", on: store) { $0.trigger = try Self.every(3600) }
    var listener = try await Listener(store)
    try await publish("after", on: store) { $0.trigger = try Self.every(3600) }
    let early = try await listener.next()
    #expect(early.isEmpty)
    var ids: Set<String> = []
    for number: Int64 in 1...3 {
      store.time.advance(by: .seconds(3600))
      let events = try await listener.next()
      #expect(reading.messages(events).sorted() == ["after", "before"])
      #expect(names(events) == ["message", "message"])
      let time = NtfyMessage.seconds(start.advanced(by: .seconds(number * 3600)))
      for event in events { #expect(event["time"] == time) }
      ids.formUnion(events.compactMap { $0["id"]?.text })
      let again = try await listener.next()
      #expect(again.isEmpty)
    }
    #expect(ids.count == 6)
    // Deliveries that a slow reader missed count as one.
    store.time.advance(by: .seconds(5 * 3600))
    let missed = try await listener.next()
    #expect(reading.messages(missed).sorted() == ["after", "before"])
  }

  @Test("a dismissed delivery is cleared, and the next one is a new message")
  func dismissed() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken(DeviceID("laptop"))
    let item = try await publish("backup", on: store) { $0.trigger = try Self.every(3600) }
    var listener = try await Listener(store)
    var ids: Set<String> = []
    for _ in 1...2 {
      store.time.advance(by: .seconds(3600))
      let delivered = try await listener.next()
      #expect(names(delivered) == ["message"])
      ids.formUnion(delivered.compactMap { $0["id"]?.text })
      // A device dismisses it through the native interface.
      let answer = try await store.send(
        .patch, Route.notification(item.id).path, token: token,
        text: #"{"userActionState":"dismissed"}"#)
      #expect(answer.status == 200, "\(answer.text)")
      let cleared = try await listener.next()
      #expect(names(cleared) == ["message_clear"])
      #expect(cleared.first?["sequence_id"] == delivered.first?["sequence_id"])
    }
    #expect(ids.count == 2)
    let handled = try await reading.poll(store, "/nas/json?poll=1", token: token)
    #expect(names(handled) == ["message", "message_clear"])
    store.time.advance(by: .seconds(3600))
    let next = try await reading.poll(store, "/nas/json?poll=1", token: token)
    #expect(names(next) == ["message"])
  }

  // MARK: - Connections

  /// The maximum number of events of a stream to read, because keepalives never end.
  private static let eventsMax = 100

  /// Reads the messages of a stream until there are as many as expected.
  private func messages(_ count: Int, from stream: RawConnection) async throws -> [JSONValue] {
    var messages: [JSONValue] = []
    for _ in 0..<Self.eventsMax where messages.count < count {
      let event = try await reading.event(stream)
      if event["event"]?.text == "message" { messages.append(event) }
    }
    try #require(messages.count == count, "the stream sent \(Self.eventsMax) events")
    return messages
  }

  /// Runs the store's server, reads messages from a stream while time goes on, and checks them.
  private func withMessages(
    _ count: Int, of clocked: ClockedStore, _ token: String,
    check: @escaping @Sendable ([JSONValue]) throws -> Void
  ) async throws {
    try await withRunningServer(clocked.store.server) { addresses, _ in
      guard case .tcp(_, let port)? = addresses.first else { return }
      let stream = try self.reading.open(port, "/nas/json", token)
      #expect(try await self.reading.event(stream)["event"]?.text == "open")
      let ticker = clocked.runTime()
      defer { ticker.cancel() }
      try check(try await self.messages(count, from: stream))
    }
  }

  @Test("a stream wakes up for each delivery of an item that was published before it began")
  func connection() async throws {
    let clocked = try await ClockedStore()
    let store = clocked.store
    let token = try await store.deviceToken()
    let start = Int(store.time.now.milliseconds / 1000)
    try await publish("backup", on: store) { $0.trigger = try Self.every(60) }
    try await withMessages(3, of: clocked, token) { messages in
      #expect(Set(messages.compactMap { $0["id"]?.text }).count == 3)
      // The time goes on meanwhile, so that a slow stream may miss a delivery.
      let times = messages.compactMap { $0["time"]?.number }
      #expect(times.count == 3 && times == times.sorted() && Set(times).count == 3)
      for time in times { #expect(time > start && (time - start).isMultiple(of: 60)) }
    }
  }

  @Test("a stream sends a scheduled item that was published before it began, when it is due")
  func scheduled() async throws {
    let clocked = try await ClockedStore()
    let store = clocked.store
    let token = try await store.deviceToken()
    let due = store.time.now.advanced(by: .seconds(100))
    try await publish("later", on: store) { $0.deliverAt = due }
    try await withMessages(1, of: clocked, token) { messages in
      #expect(messages.first?["message"]?.text == "later")
      #expect(messages.first?["time"] == NtfyMessage.seconds(due))
    }
  }
}
