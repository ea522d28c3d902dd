internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Reading topics in ntfy's formats: `GET /{topic}[,…]/json`, `sse` and `raw`.
///
/// A request reads once, or for as long as the reader listens (docs.ntfy.sh/subscribe/api).
enum NtfyReading {
  static let endpoints =
    Format.allCases.map { format in
      NtfyDialect().endpoint(.get, ":topic/\(format.rawValue)", .item, isStream: true) {
        try await read(format, $0, $1)
      }
    } + [NtfyDialect().endpoint(.get, ":topic/ws", .item, isStream: true, listen)]

  /// The format of the events.
  enum Format: String, CaseIterable, Sendable {
    case json, sse, raw

    var contentType: String {
      switch self {
      case .json: "application/x-ndjson; charset=utf-8"
      case .sse: "text/event-stream; charset=utf-8"
      case .raw: "text/plain; charset=utf-8"
      }
    }

    func text(_ event: JSONValue) -> String {
      let json = String(decoding: event.bytes, as: UTF8.self)
      let name = event["event"]?.text ?? ""
      switch self {
      case .json: return json + "\n"
      case .sse:
        let isPlain = name.hasPrefix("message")
        return (isPlain ? "" : "event: \(name)\n") + "data: \(json)\n\n"
      case .raw:
        // An empty line shows that the connection is alive.
        guard name == "message" else { return name.hasPrefix("message") ? "" : "\n" }
        let line = (event["message"]?.text ?? "").map { $0.isNewline ? " " : $0 }
        return String(line) + "\n"
      }
    }

    func buffer(_ events: [NtfyEvent]) -> ByteBuffer {
      var buffer = ByteBuffer()
      for event in events { buffer.writeString(event.text(rawValue, text)) }
      return buffer
    }
  }

  // MARK: - Responses

  private static func read(
    _ format: Format, _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    let (reader, since) = try await reader(exchange, principal)
    let headers: HTTPFields = [
      .contentType: format.contentType, .cacheControl: "no-store",
      HTTPField.Name("X-Accel-Buffering")!: "no",
    ]
    if isPolling(exchange) {
      let events = try await exchange.untilClientLeaves { [reader] in
        var reader = reader
        return try await reader.begin(since)
      }
      return Response(
        status: .ok, headers: headers, body: ResponseBody(byteBuffer: format.buffer(events)))
    }
    guard let channel = exchange.channel else {
      throw RequestError.ntfy(.badRequest, "a stream needs its own connection")
    }
    let session = try await NtfySession.open(
      reader, since, topics: exchange.ntfyPart("topic"), exchange, principal, channel)
    let server = exchange.server
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        let writer = WriterBox(writer)
        try await session.run { try await writer.write(format.buffer($0)) }
        if format == .sse, let hint = server.readerReconnectionHint() {
          try await writer.write(ByteBuffer(string: hint))
        }
        try await writer.writer.finish(nil)
      })
  }

  /// Serves the same events over a WebSocket, one text each.
  private static func listen(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    let (reader, since) = try await reader(exchange, principal)
    guard let key = WebSocket.key(in: exchange), let channel = exchange.channel else {
      throw RequestError.ntfy(.notWebSocket)
    }
    let session = try await NtfySession.open(
      reader, since, topics: exchange.ntfyPart("topic"), exchange, principal, channel)
    return try await WebSocket.serve(key, on: channel, of: exchange.server, ended: session.end) {
      socket in
      try await session.run { events in
        for event in events {
          try await socket.write(
            event.text("ws") { String(decoding: $0.bytes, as: UTF8.self) })
        }
      }
    }
  }

  static func isPolling(_ exchange: Exchange) -> Bool {
    let word = exchange.ntfyParameter("x-poll", "poll", "po")?.lowercased() ?? ""
    return ["1", "true", "yes"].contains(word)
  }

  /// Returns the reader and the starting point that the request describes.
  static func reader(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> (NtfyReader, NtfySince) {
    let topics = exchange.ntfyPart("topic").split(separator: ",", omittingEmptySubsequences: false)
    let apps = try await exchange.ntfyApps(topics.map(String.init), principal)
    try exchange.admitAnonymous(principal, to: .read)
    let scheduled =
      exchange.ntfyParameter("x-scheduled", "scheduled", "sched")?.lowercased() ?? ""
    let reader = NtfyReader(
      store: exchange.store, pages: exchange.server.pages, user: principal.user.id,
      isAnonymous: principal.isAnonymous, environment: principal.environment, apps: apps,
      filter: try NtfyFilter(exchange),
      showsScheduled: ["1", "true", "yes"].contains(scheduled), base: exchange.linkBase)
    let since = try NtfySince(
      exchange.ntfyParameter("x-since", "since", "si"), isPolling: isPolling(exchange),
      now: exchange.store.now)
    return (reader, since)
  }
}

/// A box that passes a writer into a closure.
private final class WriterBox {
  var writer: any ResponseBodyWriter
  init(_ writer: any ResponseBodyWriter) { self.writer = writer }
  func write(_ buffer: ByteBuffer) async throws { try await writer.write(buffer) }
}

/// The connection of one listener, which receives changes until it disconnects.
struct NtfySession: Sendable {
  private let stream: TopicStream
  private let subscription: SignalSubscription
  private let reader: NtfyReader
  private let since: NtfySince
  private let topics: String
  private let server: StoreServer

  /// - Throws: `RequestError` when the limit of open streams is reached.
  static func open(
    _ reader: NtfyReader, _ since: NtfySince, topics: String, _ exchange: Exchange,
    _ principal: Principal, _ channel: any Channel
  ) async throws -> NtfySession {
    let stream = TopicStream(
      secret: principal.isAnonymous ? nil : try NtfyDialect().secret(in: exchange),
      device: exchange.namedDevice, channel: channel)
    // Includes changes by the caller's own device: these readers have no concept of devices.
    let subscription: SignalSubscription
    do {
      subscription = try await exchange.store.subscribe(
        stream, to: principal.user.id, with: principal.token.id)
    } catch StoreError.tooManyStreams {
      throw RequestError.ntfy(.tooManyStreams)
    }
    return NtfySession(
      stream: stream, subscription: subscription, reader: reader, since: since, topics: topics,
      server: exchange.server)
  }

  /// Ends the session when the listener disconnects.
  func end() { stream.leave() }

  /// Reads the earlier messages, unless the listener disconnects.
  ///
  /// - Returns: Nil after it has disconnected.
  private func begin() async throws -> ([NtfyEvent], NtfyReader)? {
    do {
      return try await stream.whileOpen { [reader, since] in
        var reader = reader
        let events = try await reader.begin(since)
        return (events, reader)
      }
    } catch {
      if stream.isOver { return nil }
      throw error
    }
  }

  /// Writes events until the stream ends.
  func run(_ write: ([NtfyEvent]) async throws -> Void) async throws {
    let store = server.store
    func own(_ event: String) -> NtfyEvent {
      NtfyEvent([
        "id": .string(server.environment.makeRequestID()), "event": .string(event),
        "time": NtfyMessage.seconds(store.now), "topic": .string(topics),
      ])
    }
    defer { withExtendedLifetime(subscription) {} }
    try await server.whileReading(stream) {
      // Starts first: the reader must not miss what is published after it receives `open`.
      guard let begun = try await begin() else { return }
      var reader = begun.1
      try await write([own("open")] + begun.0)
      var timer: Task<Void, Never>?
      defer { timer?.cancel() }
      while let wake = await stream.next() {
        if wake.isChanged {
          var isMore = true
          while isMore {
            let page = try await reader.changes(knowing: wake.known)
            if !page.events.isEmpty { try await write(page.events) }
            isMore = page.isMore
          }
          timer?.cancel()
          timer = reader.waiting.values.min().map { due in stream.wakeUp(at: due, by: server) }
        }
        if wake.isHeartbeat { try await write([own("keepalive")]) }
      }
    }
  }
}
