#if BELLHOP_POSTGRES
import AsyncHTTPClient
import BellhopTestSupport
import Foundation
import NIOCore
import NIOHTTP1

/// An answer of a store or of the load balancer.
struct StoreAnswer: Sendable, CustomStringConvertible {
  var status: Int
  /// The value of `Retry-After`.
  var retryAfter: String?
  var body: String

  var isSuccess: Bool { (200..<300).contains(status) }
  /// Whether the client may repeat the request, and knows when.
  var isClearRefusal: Bool { [429, 503].contains(status) && retryAfter != nil || status == 507 }

  var description: String { "\(status) \(body.prefix(300))" }
}

/// Requests of publishers and of the test.
enum StoreHTTP {
  /// A client that never closes, because it lasts as long as the tests.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration()
    configuration.timeout.connect = .seconds(5)
    configuration.redirectConfiguration = .disallow
    configuration.httpVersion = .http1Only
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }()

  static let bodyBytesMax = 256 << 20

  enum Method: Sendable { case get, post }

  /// Sends a request.
  ///
  /// - Returns: nil without a complete answer; the request may have been performed or not.
  static func ask(
    _ method: Method, _ url: String, token: String? = nil, headers: [String: String] = [:],
    body: String? = nil, within limit: Duration = .seconds(20)
  ) async -> StoreAnswer? {
    var request = HTTPClientRequest(url: url)
    request.method =
      switch method {
      case .get: .GET
      case .post: .POST
      }
    if let token { request.headers.add(name: "Authorization", value: "Bearer " + token) }
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    if let body {
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(ByteBuffer(string: body))
    }
    do {
      let response = try await client.execute(request, timeout: TimeAmount(limit))
      let bytes = try await response.body.collect(upTo: bodyBytesMax)
      return StoreAnswer(
        status: Int(response.status.code),
        retryAfter: response.headers.first(name: "Retry-After"), body: String(buffer: bytes))
    } catch {
      return nil
    }
  }

  /// The answer of a store to a check of its readiness.
  static func readiness(_ address: String) async -> StoreAnswer? {
    await ask(.get, address + "/health/ready", within: .seconds(10))
  }
}

/// Waits for the next turn of a load that is spread over time.
func nextTurn(after pause: Duration) async throws {
  let next = ContinuousClock.now + pause
  try await eventually("the next turn", within: pause + patience, every: .milliseconds(20)) {
    ContinuousClock.now >= next
  }
}

/// Whether a load goes on.
final class LoadSwitch: Sendable {
  private let end: ContinuousClock.Instant

  init(for duration: Duration) { end = ContinuousClock.now + duration }

  var isOn: Bool { ContinuousClock.now < end }
}
#endif
