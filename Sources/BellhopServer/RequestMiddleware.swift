internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// What every request gets, whatever it asks for: ids, the store's date, limits on its head, an
/// error body when nothing serves its address, and a line in the log.
struct RequestMiddleware: MiddlewareProtocol {
  let store: StoreService
  let configuration: ServerConfiguration
  let environment: ServerEnvironment
  let metrics: ServerMetrics

  static let requestID = HTTPField.Name("request-id")!
  static let clientRequestID = HTTPField.Name("client-request-id")!
  /// What the router calls the pattern of an address that nothing serves.
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
      var failure = Failure(error)
      if failure.status == .notFound, !(error is Failure) {
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

  /// Refuses heads that are larger than anything the interface needs, and those with two `Host`
  /// headers, which programs on the way may read differently (RFC 9112 §3.2). Those with none are
  /// refused by ``HostCheck``.
  private func checkHead(_ request: Request) throws {
    // The library takes the first one for the authority, and leaves the others.
    guard request.head.authority == nil || !request.headers.contains(Exchange.host) else {
      throw Failure.badRequest("There are several Host headers: expected one. Nothing was done.")
    }
    guard request.uri.string.utf8.count <= configuration.targetBytesMax else {
      throw Failure(
        .uriTooLong, .invalidRequest,
        "The address is too long: at most \(configuration.targetBytesMax) bytes are accepted.")
    }
    let headerBytes = request.headers.reduce(0) {
      $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4
    }
    guard headerBytes <= configuration.headerBytesMax else {
      throw Failure(
        .requestHeaderFieldsTooLarge, .invalidRequest,
        "The headers are too large: at most \(configuration.headerBytesMax) bytes are accepted.")
    }
  }

  /// 1 to 128 printable ASCII characters: safe in a header and in a log.
  private static func isSafe(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
  }
}

extension Logger {
  /// What a person who runs the store needs to know of a refusal: much of a failed storage, who
  /// was not let in, nothing of a client's own mistakes.
  func log(_ failure: Failure) {
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
