internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// `GET /v1.0/me/notifications/signal`: the signal stream, as server-sent events.
///
/// On request, signals include the changes, like Graph's change notifications with
/// `includeResourceData`.
enum SignalEndpoint {
  private static let parameter = "includeResourceData"

  static let endpoints = [
    Endpoint.native(.get, "me/notifications/signal", .device, isStream: true, handle).described(
      .init(
        id: "signal", summary: "A stream of signals, each of which announces changes.",
        parameters: [
          .query(
            Self.parameter, Schemas.text,
            "true: a signal includes a small number of changes, as a delta since a token.")
        ],
        answers: [.init(200, "Server-sent events.", .text("text/event-stream"))]))
  ]

  private static func handle(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    guard let channel = exchange.channel else {
      // The limits are checked first, for every caller.
      _ = try await exchange.store.signals(
        for: principal.user.id, excluding: principal.device?.id, with: principal.token.id)
      throw RequestError(.badRequest, .notSupported, "A stream needs its own connection.")
    }
    let stream = SignalStream(
      secret: try GraphDialect().secret(in: exchange), device: exchange.namedDevice,
      channel: channel)
    let subscription = try await exchange.store.subscribe(
      stream, to: principal.user.id, excluding: principal.device?.id ?? exchange.namedDevice,
      with: principal.token.id,
      enclosesChanges: exchange.query[parameter] == "true")
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/event-stream", .cacheControl: "no-store",
        HTTPField.Name("X-Accel-Buffering")!: "no",
      ], body: body(of: stream, subscription, exchange.server.streams, exchange.server.verifiers))
  }

  /// Returns the body, which keeps only the parts of the request that the open stream needs.
  private static func body(
    of stream: SignalStream, _ subscription: SignalSubscription, _ streams: OpenStreams,
    _ verifiers: TokenVerifiers
  ) -> ResponseBody {
    ResponseBody { writer in
      let end = await streams.run(stream)
      withExtendedLifetime(subscription) {}
      switch end {
      case .ended: try await explain(stream, verifiers, &writer)
      case .shutdown:
        if let hint = streams.reconnectionHint() {
          try await writer.write(ByteBuffer(string: hint))
        }
      case .clientGone: break
      }
      try await writer.finish(nil)
    }
  }

  /// Sends a signed-out device the author of its sign-out.
  private static func explain(
    _ stream: SignalStream, _ verifiers: TokenVerifiers, _ writer: inout any ResponseBodyWriter
  ) async throws {
    do {
      _ = try await verifiers.principal(of: stream.secret, device: stream.device)
    } catch {
      guard let revocation = RequestError(error).revocation else { return }
      try await writer.write(
        SignalStream.event(
          RevocationPayload.event, RevocationPayload(at: revocation.at, by: revocation.by)))
    }
  }
}
