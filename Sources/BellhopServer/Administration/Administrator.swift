internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import Synchronization

/// The reason why an administration request failed, in the store's words.
package struct AdminError: ExplainedError, Sendable {
  package enum Reason: Sendable {
    case notFound
    case badData
    case busy
    case notAllowed
    case storage
    case failed
  }

  package var reason: Reason
  package var description: String

  init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }

  init(status: Int, body: [UInt8]) {
    let words = (try? WireJSON.decode(ErrorPayload.self, from: body))?.message
    self.init(
      Self.reason(status), words ?? "The store answered with status \(status) and no message.")
  }

  private static func reason(_ status: Int) -> Reason {
    switch status {
    case 404: .notFound
    case 401, 403: .notAllowed
    case 429, 503: .busy
    case 507: .storage
    case 400..<500: .badData
    default: .failed  // open: Int
    }
  }
}

/// The place where administration commands run.
///
/// While a store is serving, they run in it and take effect at once. Otherwise they run on the
/// storage itself, through the same endpoints.
package enum Administrator: Sendable {
  /// The admin socket of a running store.
  case serving(AdminSocket)
  /// A store that this process opened for the command.
  case direct(StoreServer)

  /// Sends a request and decodes its response.
  ///
  /// - Throws: ``AdminError``.
  package func send<Answer>(_ request: AdminRequest<Answer>) async throws -> Answer {
    let (status, body): (Int, [UInt8])
    switch self {
    case .serving(let socket):
      (status, body) = try await socket.exchange(
        request.method.rawValue, request.path, body: request.body)
    case .direct(let server): (status, body) = try await Self.call(server, request)
    }
    guard (200..<300).contains(status) else { throw AdminError(status: status, body: body) }
    do {
      return try WireJSON.decode(Answer.self, from: body)
    } catch {
      throw AdminError(
        .failed, "The store's answer cannot be read: " + error.explanation.clause)
    }
  }

  private static func call<Answer>(
    _ server: StoreServer, _ request: AdminRequest<Answer>
  ) async throws -> (Int, [UInt8]) {
    var fields = HTTPFields()
    if !request.body.isEmpty { fields[.contentLength] = String(request.body.count) }
    let response = try await server.makeResponder(for: .administration).respond(
      to: Request(
        head: HTTPRequest(
          method: request.method, scheme: nil, authority: nil, path: request.path,
          headerFields: fields),
        body: RequestBody(buffer: ByteBuffer(bytes: request.body))),
      context: StoreContext(logger: server.logger))
    let collector = BodyCollector()
    try await response.body.write(collector)
    return (Int(response.status.code), collector.bytes)
  }
}

private final class BodyCollector: ResponseBodyWriter, Sendable {
  private let collected = Mutex<[UInt8]>([])

  var bytes: [UInt8] { collected.withLock { $0 } }

  func write(_ buffer: ByteBuffer) async throws {
    collected.withLock { $0 += buffer.readableBytesView }
  }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
