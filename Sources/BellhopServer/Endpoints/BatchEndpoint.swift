internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// `POST /v1.0/$batch`: up to twenty requests in one, as in Graph.
///
/// Each request has its own authorization, status, headers and body. They run one after the other:
/// a request runs after those that it depends on, and otherwise in the order of the batch.
enum BatchEndpoint {
  static let endpoints = [
    Endpoint.native(.post, "$batch", .publish, handle).described(
      .init(
        id: "batch", summary: "Send up to twenty requests in one; each receives its own answer.",
        body: .json("Batch", example: example),
        answers: [.init(200, "An answer for each request.", .json("BatchAnswer"))]))
  ]

  private static let example: JSONValue = [
    "requests": [
      [
        "id": "1", "method": "POST", "url": "/me/notifications",
        "headers": ["Content-Type": "application/json"],
        "body": [
          "targetHostName": "ci.example.com",
          "payload": ["visualContent": ["title": "build 412 failed"]],
        ],
      ]
    ]
  ]

  private static func handle(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    guard let inner = exchange.inner else {
      throw RequestError(.badRequest, .notSupported, "A batch cannot contain another batch.")
    }
    let limits = exchange.configuration
    let (batch, requests) = try await exchange.withBody(bytesMax: limits.batchBodyBytesMax) {
      let batch = try BatchPayload(parsing: $0.readableBytesView, depthMax: limits.jsonDepthMax)
      let requests = try batch.requests.enumerated().map { place, request in
        try self.request(request, "requests[\(place)]", within: exchange)
      }
      return (batch, requests)
    }
    var answers: [BatchAnswerPayload.Answer?] = Array(repeating: nil, count: requests.count)
    var context = StoreContext(logger: exchange.logger)
    context.peer = exchange.peer
    context.client = exchange.client
    context.isEncrypted = exchange.isEncrypted
    context.isLocal = exchange.isLocal
    context.isServed = exchange.isServed
    var bytesLeft = limits.batchAnswerBytesMax
    for place in batch.order {
      let id = batch.requests[place].id
      let failed = batch.requests[place].dependsOn.contains { (answers[$0]?.status ?? 424) >= 400 }
      if failed {
        answers[place] = refusal(
          id, .failedDependency, .failedDependency,
          "A request that this one depends on failed.", exchange)
        continue
      }
      // A change has already been made, so only a GET, which can be repeated, loses its response.
      let mayLeaveOut = batch.requests[place].method == "GET"
      var collected: (response: Response, bytes: [UInt8])?
      if bytesLeft > 0 || !mayLeaveOut {
        let response = try await inner.respond(to: requests[place], context: context)
        let collector = AnswerCollector(bytesMax: mayLeaveOut ? bytesLeft : .max)
        do {
          try await response.body.write(collector)
          collected = (response, collector.bytes)
        } catch is AnswerCollector.SizeError {}
      }
      guard let (response, bytes) = collected else {
        answers[place] = refusal(
          id, .contentTooLarge, .requestEntityTooLarge,
          "The batch response is too large. Send this request separately.",
          exchange)
        continue
      }
      bytesLeft -= bytes.count
      answers[place] = answer(id, response, bytes)
    }
    let answer = BatchAnswerPayload(answers.compactMap { $0 })
    let bytes = try await exchange.server.largeBodies.run(
      bytes: limits.batchAnswerBytesMax - bytesLeft
    ) { ByteBuffer(bytes: answer.bytes) }
    return Response(
      status: .ok,
      headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: bytes))
  }

  // MARK: - Requests

  private static let inherited: [HTTPField.Name] = [
    .authorization, Exchange.host, Exchange.device,
  ]

  /// Headers that a request within a batch inherits with all their fields.
  ///
  /// A proxy sets them on the batch only. Within the batch, a client could claim another address.
  private static let forwarded: [HTTPField.Name] = [Exchange.forwardedFor, Exchange.forwardedProto]

  /// Headers that belong to a connection and have no meaning for a request within a batch.
  private static let dropped: Set<String> = [
    "connection", "content-length", "expect", "forwarded", "host", "keep-alive", "te", "trailer",
    "transfer-encoding", "upgrade", "x-forwarded-for", "x-forwarded-proto",
  ]

  private static func request(
    _ request: BatchPayload.Request, _ field: String, within exchange: Exchange
  ) throws -> Request {
    guard let method = HTTPRequest.Method(request.method) else {
      throw WireError.invalid(field: field + ".method", expectation: "an HTTP method")
    }
    var headers = HTTPFields()
    for name in inherited { headers[name] = exchange.request.headers[name] }
    for name in forwarded { headers[values: name] = exchange.request.headers[values: name] }
    for (name, value) in request.headers where !dropped.contains(name.lowercased()) {
      guard let name = HTTPField.Name(name), value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
      else {
        throw WireError.invalid(field: field + ".headers", expectation: "HTTP headers")
      }
      headers[name] = value
    }
    let body = try body(request.body, type: headers[.contentType], field + ".body")
    if body != nil, headers[.contentType] == nil { headers[.contentType] = "application/json" }
    if let body { headers[.contentLength] = String(body.count) }
    return Request(
      head: HTTPRequest(
        method: method, scheme: exchange.request.head.scheme,
        authority: exchange.request.head.authority, path: path(request.url, within: exchange),
        headerFields: headers),
      body: RequestBody(buffer: ByteBuffer(bytes: body ?? [])))
  }

  /// Returns the address below a version: the one in the URL, or that of the batch itself.
  private static func path(_ url: String, within exchange: Exchange) -> String {
    let url = url.hasPrefix("/") ? url : "/" + url
    if Route.versions.contains(where: { url.hasPrefix("/\($0)/") }) { return url }
    let version = exchange.request.uri.path.split(separator: "/").first
    return "/\(version ?? Route.versions[0][...])" + url
  }

  /// Decodes a body: inline JSON, a string for a text type, and base64 for anything else.
  private static func body(
    _ body: BatchPayload.Body?, type: String?, _ field: String
  ) throws -> [UInt8]? {
    switch body {
    case nil: return nil
    case .json(let bytes)?: return bytes
    case .text(let text)? where type?.lowercased().hasPrefix("text/") == true:
      return Array(text.utf8)
    case .text(let text)?:
      guard let bytes = Base64.decodeLeniently(text) else {
        throw WireError.invalid(field: field, expectation: "a JSON object, or base64")
      }
      return bytes
    }
  }

  // MARK: - Responses

  private static func answer(
    _ id: String, _ response: Response, _ bytes: [UInt8]
  ) -> BatchAnswerPayload.Answer {
    var headers: [String: String] = [:]
    for field in response.headers {
      let known = headers[field.name.rawName].map { $0 + ", " } ?? ""
      headers[field.name.rawName] = known + field.value
    }
    var body: BatchPayload.Body?
    if !bytes.isEmpty {
      let isJSON = response.headers[.contentType]?.hasPrefix("application/json") == true
      body = isJSON ? .json(bytes) : .text(Base64.encode(bytes))
    }
    return BatchAnswerPayload.Answer(
      id: id, status: Int(response.status.code), headers: headers, body: body)
  }

  private static func refusal(
    _ id: String, _ status: HTTPResponse.Status, _ code: ErrorCode, _ message: String,
    _ exchange: Exchange
  ) -> BatchAnswerPayload.Answer {
    let payload = ErrorPayload(
      code: code, message: message, requestID: exchange.requestID, date: exchange.store.now)
    return BatchAnswerPayload.Answer(
      id: id, status: Int(status.code), headers: ["Content-Type": "application/json"],
      body: (try? WireJSON.encode(payload, sortingKeys: true)).map { .json($0) })
  }
}

/// A writer that collects the body of a response, up to a limit.
private final class AnswerCollector: ResponseBodyWriter, Sendable {
  /// The body is longer than the limit.
  struct SizeError: Error {}

  private let collected = Mutex<[UInt8]>([])
  private let bytesMax: Int

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  var bytes: [UInt8] { collected.withLock { $0 } }

  func write(_ buffer: ByteBuffer) async throws {
    let isTooLarge = collected.withLock { collected in
      guard collected.count + buffer.readableBytes <= bytesMax else { return true }
      collected += buffer.readableBytesView
      return false
    }
    if isTooLarge { throw SizeError() }
  }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension HTTPResponse.Status {
  /// The status of RFC 4918 §11.4.
  static var failedDependency: Self { .init(code: 424, reasonPhrase: "Failed Dependency") }
}
