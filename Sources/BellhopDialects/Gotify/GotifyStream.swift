internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// `GET /stream`: a live stream of Gotify's messages over a WebSocket.
enum GotifyStream {
  static let endpoints = [
    GotifyDialect().endpoint(.get, "stream", .item, isStream: true, listen)
  ]

  private static func listen(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    guard let key = WebSocket.key(in: exchange), let channel = exchange.channel else {
      throw RequestError.badRequest("A stream needs a WebSocket: expected its headers.")
    }
    let stream = TopicStream(
      secret: try GotifyDialect().secret(in: exchange), device: exchange.namedDevice,
      channel: channel)
    let user = principal.user.id
    let subscription = try await exchange.store.subscribe(
      stream, to: user, with: principal.token.id)
    defer { withExtendedLifetime(subscription) {} }
    var reader = GotifyReader(
      store: exchange.store, pages: exchange.server.pages, principal: principal)
    try await reader.begin()
    let server = exchange.server
    let ended: @Sendable () -> Void = { stream.leave() }
    return try await WebSocket.serve(key, on: channel, of: server, ended: ended) { socket in
      try await server.whileReading(stream) {
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        while let wake = await stream.next() {
          if wake.isHeartbeat { try await socket.ping() }
          guard wake.isChanged else { continue }
          var isMore = true
          while isMore {
            let page = try await reader.changes(knowing: wake.known)
            for message in page.messages { try await socket.write(message) }
            isMore = page.isMore
          }
          timer?.cancel()
          timer = reader.waiting.values.min().map { due in stream.wakeUp(at: due, by: server) }
        }
      }
    }
  }
}

/// A reader that finds the messages for one listener as they arrive or become due.
private struct GotifyReader {
  let store: StoreService
  let pages: ChangePages
  let principal: Principal

  private var position = SequenceNumber.zero
  /// The deliveries that are not due yet.
  private(set) var waiting: [NotificationID: Timestamp] = [:]
  /// The last known crossings of items that wait for a place.
  private var crossed: [NotificationID: Timestamp] = [:]

  /// The clock of the user's triggers.
  private var clock = WallClock.utc

  private static let dueMax = 100
  /// The maximum number of scheduled items that are remembered at the start.
  private static let scheduledMax = 500
  /// The maximum number of remembered deliveries. Beyond it, a client sees them only in the list.
  private static let waitingMax = 4096

  init(store: StoreService, pages: ChangePages, principal: Principal) {
    self.store = store
    self.pages = pages
    self.principal = principal
  }

  /// Starts at the current position. Later changes and deliveries are reported.
  mutating func begin() async throws {
    position = try await store.position(of: principal.user.id).sequence
    let pending = try await store.pendingRequests(
      of: nil, rows: Self.scheduledMax, for: principal.user.id, reader: principal.environment)
    clock = try await store.wallClock(of: principal.user.id)
    for request in pending.requests { expect(request.item) }
  }

  /// Remembers the next delivery of an item, if there is one.
  private mutating func expect(_ item: UserNotification) {
    waiting[item.id] = nil
    crossed[item.id] = item.state.crossed
    guard item.content.visual != nil, principal.reaches(item), waiting.count < Self.waitingMax
    else { return }
    waiting[item.id] = item.nextDelivery(after: store.now, on: clock)
  }

  /// Returns the messages that are new since the last call, and those that are due.
  ///
  /// - Parameter known: The sequence that is known to be committed.
  /// - Returns: A page of messages, and whether there may be more.
  mutating func changes(
    knowing known: SequenceNumber
  ) async throws -> (messages: [String], isMore: Bool) {
    let base = position
    let page = try await pages.page(after: base, knowing: known, of: principal.user.id)
    position = max(base, page.through)
    var messages: [String] = []
    clock = try await store.wallClock(for: page.rows.liveItems, of: principal.user.id)
    for row in page.rows {
      guard let item = told(row, since: base) else { continue }
      let key = SharedTexts.Key(item: item.id, event: "message", form: "gotify")
      // The text of an item with a trigger depends on the time.
      let isShared = item.content.trigger == nil
      messages.append(isShared ? page.texts.text(key) { text(of: item) } : text(of: item))
    }
    if position < known, !page.rows.isEmpty { return (messages, true) }
    let now = store.now
    let due = waiting.filter { $0.value <= now }.sorted { $0.key < $1.key }
    if !due.isEmpty { clock = try await store.wallClock(of: principal.user.id) }
    for (id, time) in due.prefix(Self.dueMax) {
      waiting[id] = nil
      let known = try? await store.item(
        id, of: principal.user.id, reader: principal.environment)
      guard let item = known else { continue }
      expect(item)
      // Not if the delivery was cancelled meanwhile.
      guard let delivered = item.delivered(by: store.now, on: clock), delivered.arrival >= time
      else { continue }
      messages.append(text(of: delivered))
    }
    return (messages, due.count > Self.dueMax)
  }

  private func text(of item: UserNotification) -> String {
    String(decoding: JSONValue.object(GotifyMessages.json(item)).bytes, as: UTF8.self)
  }

  /// Returns the item if it has new content to show now.
  private mutating func told(
    _ row: StoredRow, since base: SequenceNumber
  ) -> UserNotification? {
    guard case .live(let item) = row else {
      waiting[row.id] = nil
      return nil
    }
    // A repeat is not new, so that a phone does not ring for each.
    let isNew = item.state.meaningSequence > base
    if let time = item.state.crossed, crossed[item.id] != time { waiting[item.id] = time }
    // A delivery that is due is reported later in the same call.
    if !isNew, let due = waiting[item.id], due <= store.now { return nil }
    // Also without new content: the deliveries may be cancelled or resumed.
    expect(item)
    guard isNew, item.content.visual != nil, principal.reaches(item) else { return nil }
    return item.delivered(by: store.now, on: clock)
  }
}
