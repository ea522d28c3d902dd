import AsyncHTTPClient
package import BellhopModel
import BellhopNetwork
import BellhopWire
import FoundationEssentials
import NIOCore
import NIOHTTP1

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A part of a stored file, in order.
package enum FilePart: Hashable, Sendable {
  /// The number of bytes, if the store reports it. Comes first, once.
  case length(Int?)
  /// Bytes of the file, at most those of one read of the connection.
  case bytes([UInt8])
}

extension TransportError {
  /// The error for a file that is longer than its reader accepts.
  package static let fileTooLarge = TransportError.badAnswer("it is too large")
}

extension HTTPTransport {
  /// Reads a file of the store piece by piece. The whole file is never in memory.
  ///
  /// - Parameters:
  ///   - id: The store's id of the file. It can't lead to another path or host.
  ///   - bytesMax: The maximum size. A longer file is refused, whatever length was reported.
  ///   - take: Called for each part. An error that it throws ends the transfer.
  /// - Throws: ``TransportError``, or an error that `take` throws.
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
      // A route without a special meaning for any status.
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

  // MARK: Uploads

  /// The store's answer to an upload.
  private struct Upload: Decodable {
    var url: String
    var name: String
    var type: String
    var size: Int
  }

  /// Uploads a file, which a publication with the same token then names.
  ///
  /// The store removes the file after an hour if no publication names it.
  ///
  /// - Parameters:
  ///   - path: The file, which is read piece by piece.
  ///   - size: The length of the file in bytes.
  /// - Returns: The attachment that the publication has to name.
  /// - Throws: ``TransportError``.
  package func uploadFile(
    at path: String, name: String, size: Int
  ) async throws(TransportError) -> ContentExtras.Attachment {
    do {
      var request = self.request(
        .POST, path: Route.attachments.path + "?name=" + Route.escaped(name))
      request.headers.add(name: "Accept", value: "application/json")
      request.headers.add(name: "Content-Type", value: "application/octet-stream")
      request.body = .stream(FilePieces(path: path), length: .known(Int64(size)))
      let response = try await performSignedIn(request, .attachments, within: nil)
      guard response.status == .created else { throw try await failure(response, of: .attachments) }
      let bytes = try await response.body.collect(upTo: Limits.answerBytesMax)
      let upload = try WireJSON.decode(Upload.self, from: bytes.readableBytesView)
      return ContentExtras.Attachment(
        name: upload.name, url: upload.url, type: upload.type, size: upload.size)
    } catch {
      throw await explained(error)
    }
  }
}

/// The bytes of a file from its beginning.
///
/// Each iteration opens the file again, so that a request can be repeated.
private struct FilePieces: AsyncSequence, Sendable {
  /// The number of bytes that are read and sent at a time.
  private static let pieceBytes = 128 << 10

  let path: String

  func makeAsyncIterator() -> Iterator { Iterator(path: path) }

  struct Iterator: AsyncIteratorProtocol {
    let path: String
    private var file: OpenFile?

    init(path: String) { self.path = path }

    mutating func next() async throws -> ByteBuffer? {
      if file == nil { file = try OpenFile(path) }
      guard let bytes = try file?.read(FilePieces.pieceBytes), !bytes.isEmpty else { return nil }
      return ByteBuffer(bytes: bytes)
    }
  }

  /// An open file, closed when its last owner releases it.
  final class OpenFile {
    private let descriptor: Int32

    init(_ path: String) throws {
      descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "open") }
    }

    deinit { _ = close(descriptor) }

    func read(_ count: Int) throws -> [UInt8] {
      var buffer = [UInt8](repeating: 0, count: count)
      while true {
        let got = platformRead(descriptor, &buffer, count)
        if got < 0, errno == EINTR { continue }
        guard got >= 0 else { throw IOError(errnoCode: errno, reason: "read") }
        return Array(buffer[..<got])
      }
    }
  }
}
