import AsyncHTTPClient
import BellhopNetwork
import BellhopWire
import NIOCore
import NIOHTTP1

/// What comes of a stored file, in its order.
package enum FilePart: Hashable, Sendable {
  /// How many bytes there will be, where the store says so; comes first, once.
  case length(Int?)
  /// At most what one read of the connection brought.
  case bytes([UInt8])
}

extension TransportError {
  /// A file is longer than whoever asked for it takes.
  package static let fileTooLarge = TransportError.badAnswer("it is too large")
}

extension HTTPTransport {
  /// Reads a file of the store, piece by piece; the whole is never in memory.
  ///
  /// - Parameters:
  ///   - id: What the store calls the file. Nothing in it leads to another path or host.
  ///   - bytesMax: A longer one is refused, whatever its length was said to be.
  ///   - take: Called for each part; what it throws ends the transfer.
  /// - Throws: ``TransportError``, or what `take` throws.
  package func readFile(
    id: String, bytesMax: Int, _ take: @Sendable (FilePart) throws -> Void
  ) async throws {
    let response = try await openFile(id)
    let length = response.headers.first(name: "Content-Length").flatMap { Int($0) }
    guard length ?? 0 <= bytesMax else { throw TransportError.fileTooLarge }
    try take(.length(length))
    var received = 0
    var pieces = response.body.makeAsyncIterator()
    while let piece = try await next(of: &pieces) {
      received += piece.readableBytes
      guard received <= bytesMax else { throw TransportError.fileTooLarge }
      try take(.bytes(Array(piece.readableBytesView)))
    }
    guard received == length ?? received else {
      throw TransportError.offline(.closed(peer))
    }
  }

  private func openFile(_ id: String) async throws(TransportError) -> HTTPClientResponse {
    do {
      var request = self.request(.GET, path: "/file/" + Route.escaped(id))
      request.headers.add(name: "Accept", value: "*/*")
      // A route without a meaning of its own for any status.
      let response = try await performSignedIn(request, .health, within: nil)
      guard response.status == .ok else { throw try await failure(response, of: .health) }
      return response
    } catch {
      throw await explained(error)
    }
  }

  private func next(
    of pieces: inout HTTPClientResponse.Body.AsyncIterator
  ) async throws(TransportError) -> ByteBuffer? {
    do {
      return try await pieces.next()
    } catch {
      throw await explained(error)
    }
  }
}
