internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// `GET /stream`: Gotify's messages as they come, over a WebSocket.
enum GotifyStream {
  static let endpoints = [
    GotifyDialect.endpoint(.get, "stream", .item, isStream: true, listen)
  ]

  private static func listen(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    guard let key = WebSocket.key(in: exchange), let channel = exchange.channel else {
      throw Failure.badRequest("A stream is a WebSocket: expected its headers.")
    }
    let stream = TopicStream(
      secret: try GotifyDialect().secret(in: exchange), device: exchange.namedDevice,
      channel: channel)
    let user = principal.user.id
    let subscription = try await exchange.store.subscribe(
      stream, to: user, with: principal.token.id)
    defer { withExtendedLifetime(subscription) {} }
    var position = try await exchange.store.position(of: user).sequence
    let store = exchange.store
    let readers = exchange.server.readers
    let ended: @Sendable () -> Void = { stream.end(.clientGone) }
    return try await WebSocket.serve(key, on: channel, ended: ended) { socket in
      try await readers.whileOpen(stream) {
        while let wake = await stream.next() {
          if wake.isHeartbeat { try await socket.ping() }
          while wake.isChanged {
            let base = position
            let (rows, through) = try await store.rows(after: base, limit: rowsMax, of: user)
            position = max(base, through)
            if rows.isEmpty { break }
            for item in rows.compactMap({ $0.published(after: base, at: store.now) })
            where principal.reaches(item) {
              let message = JSONValue.object(GotifyMessages.json(item))
              try await socket.write(String(decoding: message.bytes, as: UTF8.self))
            }
          }
        }
      }
    }
  }

  private static let rowsMax = 500
}

extension StoredRow {
  /// The item, if it has new content for people to see now.
  fileprivate func published(after base: SequenceNumber, at now: Timestamp) -> UserNotification? {
    guard case .live(let item) = self, item.state.contentSequence > base,
      item.content.visual != nil, item.arrival <= now
    else { return nil }
    return item
  }
}
