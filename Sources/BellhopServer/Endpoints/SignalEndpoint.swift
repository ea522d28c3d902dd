internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ServiceLifecycle

/// `GET /v1.0/me/notifications/signal`: the content-free tap, as server-sent events.
enum SignalEndpoint {
  static let endpoints = [
    Endpoint.native(.get, "me/notifications/signal", .device, isStream: true, handle).described(
      .init(
        id: "signal", summary: "A stream of signals without content: there are changes.",
        answers: [.init(200, "Server-sent events.", .text("text/event-stream"))]))
  ]

  private enum StreamEvent {
    case signal(Signal)
    case heartbeat
  }

  private static func handle(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    let signals = try await exchange.store.signals(
      for: principal.user.id, excluding: principal.device?.id, with: principal.token.id)
    let secret = try GraphDialect().secret(in: exchange)
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/event-stream", .cacheControl: "no-store",
        HTTPField.Name("X-Accel-Buffering")!: "no",
      ],
      body: ResponseBody { writer in
        // Ends with the client's connection, the server's shutdown or the token's revocation,
        // whichever comes first; none of them is an error.
        do {
          try await exchange.request.body.consumeWithCancellationOnInboundClose { _ in
            try await forward(signals, to: &writer, exchange, revocable: secret)
          }
        } catch is CancellationError {}
        try await writer.finish(nil)
      })
  }

  private static func forward(
    _ signals: AsyncStream<Signal>, to writer: inout any ResponseBodyWriter,
    _ exchange: Exchange, revocable secret: AccessTokenSecret
  ) async throws {
    // A slow reader loses older events; the newest signal says it all.
    let (events, source) = AsyncStream<StreamEvent>.makeStream(bufferingPolicy: .bufferingNewest(2))
    let isOpen = try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        for await signal in signals.cancelOnGracefulShutdown() { source.yield(.signal(signal)) }
        source.finish()
      }
      group.addTask {
        while !Task.isCancelled {
          try await exchange.server.environment.sleep(exchange.configuration.heartbeatInterval)
          source.yield(.heartbeat)
        }
      }
      for await event in events {
        switch event {
        case .signal(let signal):
          try await writer.write(
            try Self.event(
              SignalPayload.event, SignalPayload(epoch: signal.epoch, sequence: signal.sequence)))
        case .heartbeat:
          // A token that holds no longer hears nothing more, whoever revoked it or when it ended.
          guard try await holds(secret, exchange, &writer) else { return false }
          try await writer.write(ByteBuffer(string: ": \n\n"))
        }
      }
      return true
    }
    // The hub ends the stream of a device that was signed out: it is told why.
    if isOpen { _ = try await holds(secret, exchange, &writer) }
  }

  /// Whether the token still lets its device in; one that was taken back is told so.
  private static func holds(
    _ secret: AccessTokenSecret, _ exchange: Exchange, _ writer: inout any ResponseBodyWriter
  ) async throws -> Bool {
    do {
      _ = try await exchange.principal(of: secret)
      return true
    } catch {
      let failure = Failure(error)
      if let revocation = failure.revocation {
        try await writer.write(
          try event(
            RevocationPayload.event, RevocationPayload(at: revocation.at, by: revocation.by)))
      }
      // A storage that fails for a moment is no reason to end a stream.
      return failure.status != .unauthorized
    }
  }

  private static func event(_ name: String, _ payload: some Encodable) throws -> ByteBuffer {
    var buffer = ByteBuffer(string: "event: \(name)\ndata: ")
    buffer.writeBytes(try WireJSON.encode(payload))
    buffer.writeString("\n\n")
    return buffer
  }
}
