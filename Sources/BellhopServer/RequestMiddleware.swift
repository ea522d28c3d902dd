internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// The middleware of every request.
///
/// Adds ids, the store's date and a random `Retry-After` to responses with status 503, limits the
/// head, responds to unknown addresses with an error body, and logs a line.
struct RequestMiddleware: MiddlewareProtocol {
  let store: StoreService
  let configuration: ServerConfiguration
  let environment: ServerEnvironment
  let metrics: ServerMetrics

  static let requestID = HTTPField.Name("request-id")!
  static let clientRequestID = HTTPField.Name("client-request-id")!
  /// The router's pattern for an unknown address.
  private static let nowhere = "NotFound"
  private static let contentTypeOptions = HTTPField.Name("X-Content-Type-Options")!

  func handle(
    _ request: Request, context: StoreContext,
    next: (Request, StoreContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    context.requestID = environment.makeRequestID()
    context.logger[metadataKey: "hb.request.id"] = nil
    context.logger[metadataKey: "request-id"] = .string(context.requestID)
    let start = ContinuousClock.now
    var response: Response
    do {
      try checkHead(request)
      response = try await next(request, context)
    } catch {
      var failure = RequestError(error)
      if failure.status == .notFound, !(error is RequestError) {
        failure = .notFound("There is nothing at this address.")
      }
      response = GraphDialect().response(
        to: failure, requestID: context.requestID, date: store.now)
      context.logger.log(failure)
    }
    response.headers[Self.requestID] = context.requestID
    if let id = request.headers[Self.clientRequestID], Self.isSafe(id) {
      response.headers[Self.clientRequestID] = id
    }
    response.headers[.date] = HTTPDate.text(store.now)
    if response.status == .serviceUnavailable {
      response.headers[.retryAfter] = ReturnTime.retryAfter(
        response.headers[.retryAfter], random: environment.random())
    }
    response.headers[Self.contentTypeOptions] = "nosniff"
    let duration = start.duration(to: .now)
    let endpoint = context.endpointPath == Self.nowhere ? nil : context.endpointPath
    metrics.answered(
      request.method, endpoint, status: response.status.code, after: duration)
    context.logger.debug(
      "answered",
      metadata: [
        "method": .string(String(request.method.rawValue.prefix(16))),
        "endpoint": .string(endpoint ?? "-"),
        "status": .stringConvertible(response.status.code),
        "microseconds": .stringConvertible(duration / .microseconds(1)),
      ])
    return response
  }

  /// Refuses heads that are too large, and heads with several `Host` headers.
  ///
  /// Programs in between may interpret several `Host` headers differently (RFC 9112 §3.2).
  /// ``HostCheck`` refuses a missing one.
  private func checkHead(_ request: Request) throws {
    // The library uses the first `Host` as the authority and leaves the others.
    guard request.head.authority == nil || !request.headers.contains(Exchange.host) else {
      throw RequestError.badRequest(
        "The request has several Host headers: expected one.")
    }
    guard request.uri.string.utf8.count <= configuration.targetBytesMax else {
      throw RequestError(
        .uriTooLong, .invalidRequest,
        "The address is too long: at most \(configuration.targetBytesMax) bytes are accepted.")
    }
    let headerBytes = request.headers.reduce(0) {
      $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4
    }
    guard headerBytes <= configuration.headerBytesMax else {
      throw RequestError(
        .requestHeaderFieldsTooLarge, .invalidRequest,
        "The headers are too large: at most \(configuration.headerBytesMax) bytes are accepted.")
    }
  }

  /// Whether the text is safe in headers and logs: 1 to 128 printable ASCII characters.
  private static func isSafe(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
  }
}

extension Logger {
  /// Logs a refusal at a level that suits the store's administrator.
  ///
  /// A storage failure is an error and a refused caller a notice. A client's own mistake is only
  /// logged for debugging.
  func log(_ failure: RequestError) {
    let level: Level =
      switch failure.status.code {
      case 500...: .error
      case 401, 403: .notice
      default: .debug  // open: Int
      }
    var metadata: Metadata = [
      "status": .stringConvertible(failure.status.code), "code": .string(failure.code.rawValue),
    ]
    if let detail = failure.logDetail { metadata["detail"] = .string(detail) }
    log(level: level, "refused", metadata: metadata)
  }
}
