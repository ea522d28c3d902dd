internal import BellhopModel
package import BellhopStore
internal import BellhopWire
package import HTTPTypes
package import Hummingbird
internal import Logging
package import NIOCore

/// One request on its way through an endpoint, with everything that the response depends on.
package struct Exchange: Sendable {
  package let request: Request
  package let parameters: Parameters
  package let query: Query
  package let server: StoreServer
  let logger: Logger
  /// The IP address of the client; nil for a Unix socket.
  let peer: String?
  /// The `request-id` of the response.
  package let requestID: String
  /// The responder for requests within a batch; nil for a request that is within one.
  let inner: RouterResponder<StoreContext>?
  /// Whether the connection uses TLS.
  let isEncrypted: Bool
  /// Whether only programs on this machine can reach the listener.
  let isLocal: Bool
  /// Whether the request came over a socket.
  let isServed: Bool
  /// The connection; nil for a request without one.
  package let channel: (any Channel)?
  /// The client that waits for the response; nil for a request without a connection.
  let client: WaitingClient?

  package var store: StoreService { server.store }
  package var configuration: ServerConfiguration { server.configuration }

  init(
    request: Request, context: StoreContext, server: StoreServer,
    inner: RouterResponder<StoreContext>?
  ) {
    self.request = request
    self.server = server
    self.inner = inner
    parameters = context.parameters
    query = Query(request.uri.query ?? "")
    logger = context.logger
    peer = context.peer
    requestID = context.requestID
    isEncrypted = context.isEncrypted
    isLocal = context.isLocal
    isServed = context.isServed
    channel = context.channel
    client = context.client
  }

  /// Calls `work` with the whole decompressed body, away from the event loop if it is large.
  ///
  /// The limit applies to the bytes that were sent and to the decompressed bytes.
  /// - Throws: ``RequestError`` for a body that exceeds the limit, is damaged or has another coding, and
  ///   the errors of `work`.
  package func withBody<Result: Sendable>(
    bytesMax: Int? = nil, _ work: (ByteBuffer) async throws -> Result
  ) async throws -> Result {
    let bytesMax = bytesMax ?? configuration.bodyBytesMax
    let coding = try contentCoding()
    let body = try await collect(bytesMax: bytesMax)
    guard let coding, body.readableBytes > 0 else {
      return try await server.largeBodies.run(bytes: body.readableBytes) { try await work(body) }
    }
    // The decompressed body may be as large as the limit allows.
    return try await server.largeBodies.run(bytes: bytesMax) {
      try await work(try Self.unpacked(body, coding, bytesMax: bytesMax))
    }
  }

  private func collect(bytesMax: Int) async throws -> ByteBuffer {
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > bytesMax {
      throw RequestError.bodyTooLarge(bytesMax: bytesMax)
    }
    do {
      return try await request.body.collect(upTo: bytesMax)
    } catch is NIOTooManyBytesError {
      throw RequestError.bodyTooLarge(bytesMax: bytesMax)
    } catch {
      throw RequestError.badRequest("The body could not be read completely.")
    }
  }

  private static func unpacked(
    _ body: ByteBuffer, _ coding: Inflation.Coding, bytesMax: Int
  ) throws -> ByteBuffer {
    do {
      return ByteBuffer(
        bytes: try Inflation.inflate(Array(body.readableBytesView), coding, bytesMax: bytesMax))
    } catch Inflation.InflationError.tooLarge {
      throw RequestError.bodyTooLarge(bytesMax: bytesMax)
    } catch {
      throw RequestError.badRequest("The body does not match its Content-Encoding.")
    }
  }

  /// Whether the body is compressed.
  ///
  /// - Throws: ``RequestError`` for a coding that is not accepted.
  package var isPacked: Bool { get throws { try contentCoding() != nil } }

  /// Returns the coding of a compressed body; nil if it is not compressed.
  func contentCoding() throws -> Inflation.Coding? {
    let names = request.headers[values: .contentEncoding].joined(separator: ",")
      .split(separator: ",").map(\.trimmed).filter { $0.lowercased() != "identity" }
    guard let name = names.first else { return nil }
    guard names.count == 1, let coding = Inflation.Coding(name) else {
      throw RequestError(
        .unsupportedMediaType, .unsupportedMediaType,
        "Content-Encoding is wrong: expected gzip, deflate or none.",
        headers: [.acceptEncoding: "gzip, deflate"])
    }
    return coding
  }

  /// Decodes the body as a payload.
  func payload<Payload: Decodable & Sendable>(
    _ type: Payload.Type, bytesMax: Int? = nil
  ) async throws -> Payload {
    try await withBody(bytesMax: bytesMax) { body in
      guard body.readableBytes > 0 else {
        throw WireError.invalid(field: "", expectation: "a JSON object; it is empty")
      }
      return try WireJSON.decode(
        type, from: body.readableBytesView, depthMax: configuration.jsonDepthMax)
    }
  }

  /// Returns the item id of the path. An id that no item can have is not found either.
  func notificationID() throws -> NotificationID {
    guard let id = parameters.get("id").flatMap({ NotificationID($0) }) else {
      throw StoreError.notFound(what: "item")
    }
    return id
  }

  /// Throws unless `users/{id}` is the token's own user, by name or number.
  ///
  /// The refusal is the same whether another user exists or not.
  func checkUser(_ user: User) throws {
    guard let name = parameters.get("user") else { return }
    guard let name = Route.unescaped(name), name == user.name || name == String(user.id.rawValue)
    else {
      throw RequestError.forbidden(
        "An access token can access only its own user's notifications.")
    }
  }

  /// Returns the device id of the path.
  func deviceID() throws -> DeviceID {
    guard let id = parameters.get("id").flatMap({ Route.unescaped($0) }) else {
      throw StoreError.notFound(what: "device")
    }
    return DeviceID(id)
  }

  /// The scheme and authority that the client used, for absolute links.
  ///
  /// Empty, for relative links, when the client sent no plain authority.
  package var linkBase: String {
    guard let authority = request.head.authority ?? request.headers[Self.host],
      (1...255).contains(authority.utf8.count),
      authority.utf8.allSatisfy({ byte in
        (0x30...0x3a).contains(byte) || (0x41...0x5a).contains(byte)
          || (0x61...0x7a).contains(byte) || "-._[]".utf8.contains(byte)
      })
    else { return "" }
    return (isSecure ? "https://" : "http://") + authority
  }

  /// Throws for unknown or repeated `$` parameters, and for an unreadable query.
  ///
  /// The store must not ignore what a client requests.
  func allowParameters(_ names: String...) throws {
    guard !query.isDamaged else {
      throw RequestError.badRequest(
        "The query is wrong: expected UTF-8 with two hexadecimal digits after each %.")
    }
    let asked = query.pairs.map(\.name).filter { $0.hasPrefix("$") }
    var seen: Set<String> = []
    for name in asked where !seen.insert(name).inserted {
      throw RequestError.badRequest(
        "The parameter \(name.prefix(32)) occurs twice; expected once.")
    }
    for name in asked where !names.contains(name) {
      throw RequestError(
        .badRequest, .notSupported,
        "The parameter \(name.prefix(32)) is not known at this address; expected: "
          + names.joined(separator: ", ") + ".")
    }
  }

  package static let host = HTTPField.Name("Host")!
  static let prefer = HTTPField.Name("Prefer")!
  static let preferenceApplied = HTTPField.Name("Preference-Applied")!
}

/// The parameters of a request's query, decoded and in order.
package struct Query: Sendable {
  package private(set) var pairs: [(name: String, value: String)] = []
  /// Whether a part of the query could not be decoded.
  package private(set) var isDamaged = false
  /// The encoded form of each pair, as sent.
  private var sent: [Substring] = []

  package init(_ text: String) {
    for part in text.utf8.split(separator: UInt8(ascii: "&")) {
      let halves = part.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decoded(halves[0]),
        let value = halves.count > 1 ? Self.decoded(halves[1]) : ""
      else {
        isDamaged = true
        continue
      }
      pairs.append((name, value))
      sent.append(Substring(part))
    }
  }

  private static func decoded(_ part: Substring.UTF8View) -> String? {
    guard part.contains(UInt8(ascii: "+")) else { return Route.unescaped(Substring(part)) }
    let spaced = part.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    return Route.unescaped(String(decoding: spaced, as: UTF8.self))
  }

  /// Returns the `$` parameters not in `names` as they were sent, for use in a link.
  func options(besides names: Set<String>) -> [String] {
    zip(pairs, sent).filter { $0.0.name.hasPrefix("$") && !names.contains($0.0.name) }
      .map { pair, sent in
        let isPlain = sent.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        return isPlain ? String(sent) : pair.name + "=" + Route.escaped(pair.value)
      }
  }

  /// Returns the first parameter with this name.
  package subscript(name: String) -> String? {
    pairs.first { $0.name == name }?.value
  }
}

extension StringProtocol {
  /// The text without white space at its ends.
  ///
  /// It works on scalars, like all code for texts of any length: a character may be as long as a
  /// text.
  package var trimmed: String {
    var rest = Substring(self).unicodeScalars
    while rest.first?.properties.isWhitespace == true { rest.removeFirst() }
    while rest.last?.properties.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }

  /// Whether the text contains only white space.
  package var isBlank: Bool { unicodeScalars.allSatisfy(\.properties.isWhitespace) }
}

extension Response {
  /// Creates a response with a JSON body that must not be cached.
  ///
  /// Long bodies are written without sorting their keys.
  package static func json(
    _ status: HTTPResponse.Status = .ok, _ value: some Encodable, headers: HTTPFields = [:],
    sortingKeys isSorted: Bool = true
  ) throws -> Response {
    var headers = headers
    headers[.contentType] = "application/json"
    headers[.cacheControl] = "no-store"
    return Response(
      status: status, headers: headers,
      body: ResponseBody(
        byteBuffer: ByteBuffer(bytes: try WireJSON.encode(value, sortingKeys: isSorted))))
  }
}
