internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// `POST /v1.0/me/attachments` and `GET /file/{id}`: uploads for publications, and downloads.
///
/// The address of a file is a capability of its own, because ntfy's clients request it without a
/// token. Its 128 random bits admit every client that knows them, and cannot be guessed.
enum FileEndpoints {
  static let endpoints = [
    Endpoint.native(.post, "me/attachments", .publish, upload).described(
      .init(
        id: "upload",
        summary: "Upload a file. A publication with the same token then refers to its url in "
          + "attachments. A file without a reference is removed after an hour.",
        parameters: [
          .query("name", Schemas.limited(1024), "The file's name; only its last part is used.")
        ],
        body: .init(
          mediaType: "application/octet-stream",
          schema: ["type": "string", "format": "binary", "minLength": 1]),
        answers: [
          .init(
            201, "Stored. The store detects the type.", .json("Upload"),
            headers: ["Location"])
        ])),
    Endpoint.open(.get, "file/:id", download).described(
      .init(
        id: "file", summary: "The bytes of an attachment. The address suffices without a token.",
        parameters: [
          .header("Range", Schemas.text, "One range of bytes."),
          .header("If-Range", Schemas.text, "The ETag to which the range applies."),
          .header("If-None-Match", Schemas.text, "ETags that the client already has."),
        ],
        answers: [
          .init(200, "The file.", bytes, headers: fileHeaders),
          .init(206, "The part in Range.", bytes, headers: fileHeaders + ["Content-Range"]),
          .init(304, "The file's ETag is in If-None-Match."),
        ],
        refusals: [416: "The file has no bytes in Range."])),
  ]

  private static let bytes = OperationDescription.Content(
    mediaType: "application/octet-stream", schema: ["type": "string", "format": "binary"])
  private static let fileHeaders = ["ETag", "Accept-Ranges", "Content-Disposition"]

  // MARK: - Upload

  private static func upload(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    var body = try exchange.fileBody()
    let file = try await exchange.receiveFile(
      named: exchange.query["name"], app: principal.onlyApp, from: &body, principal)
    return try .json(
      .created,
      [
        "url": .string(file.id.path), "name": .string(file.name), "type": .string(file.type),
        "size": .integer(file.size),
      ] as JSONValue, headers: [.location: exchange.linkBase + file.id.path])
  }

  // MARK: - Download

  private static let contentSecurityPolicy = HTTPField.Name("Content-Security-Policy")!
  /// The number of bytes that move from the disk to the network at a time.
  private static let chunkBytes = 128 * 1024

  private static func download(_ exchange: Exchange) async throws -> Response {
    guard let id = exchange.parameters.get("id"), (1...64).contains(id.utf8.count),
      id.utf8.allSatisfy(Base64URL.contains)
    else { throw StoreError.notFound(what: "file") }
    let (file, bytes) = try await exchange.store.openFile(FileID(id))
    // The bytes of an address never change.
    let tag = "\"\(String(file.created.milliseconds, radix: 36))-\(String(file.size, radix: 36))\""
    var headers: HTTPFields = [
      .eTag: tag, .acceptRanges: "bytes", .cacheControl: "private, no-cache",
      .contentDisposition: disposition(file.name),
      contentSecurityPolicy: "sandbox; default-src 'none'",
    ]
    if let known = exchange.request.headers[.ifNoneMatch], EntityTags(known).match(tag) {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = servedType(file.type)
    var range = ByteRange.whole
    // Only GET supports ranges, and only if the client has the rest of the same file.
    if exchange.request.method == .get,
      exchange.request.headers[Publishing.ifRange].map({ $0 == tag }) ?? true
    {
      range = ByteRange(exchange.request.headers[.range], size: file.size)
    }
    switch range {
    case .whole:
      return Response(
        status: .ok, headers: headers, body: body(bytes, 0..<file.size))
    case .part(let part):
      headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.size)"
      return Response(status: .partialContent, headers: headers, body: body(bytes, part))
    case .unsatisfiable:
      throw RequestError(
        .rangeNotSatisfiable, .invalidRequest,
        "Range is wrong: the file has \(file.size) bytes.",
        headers: [.contentRange: "bytes */\(file.size)", .acceptRanges: "bytes"])
    }
  }

  private static func body(_ bytes: any StoredBlob, _ part: Range<Int>) -> ResponseBody {
    ResponseBody(contentLength: part.count) { writer in
      var offset = part.lowerBound
      while offset < part.upperBound {
        let chunk = try await bytes.read(
          at: offset, count: min(chunkBytes, part.upperBound - offset))
        // The file was cut short: the connection ends before the announced length, which clients
        // notice.
        guard !chunk.isEmpty else {
          throw StoreError.unavailable(reason: "an attachment's file is too short")
        }
        try await writer.write(ByteBuffer(bytes: chunk))
        offset += chunk.count
      }
      try await writer.finish(nil)
    }
  }

  /// Returns the type if browsers only display it, else the type of arbitrary bytes.
  private static func servedType(_ type: String) -> String {
    switch type {
    case "image/png", "image/jpeg", "image/gif", "image/webp", "audio/mpeg", "audio/ogg",
      "audio/flac", "audio/wav", "video/mp4", "video/webm":
      type
    case "text/plain": "text/plain; charset=utf-8"
    default: "application/octet-stream"  // open: String
    }
  }

  /// Returns the header that saves a file under its name (RFC 6266).
  ///
  /// The first form is for clients that do not know the second.
  private static func disposition(_ name: String) -> String {
    let plain = String(
      decoding: name.utf8.map { byte in
        (0x20...0x7e).contains(byte) && byte != 0x22 && byte != 0x5c && byte != 0x25 ? byte : 0x5f
      }, as: UTF8.self)
    return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(Route.escaped(name))"
  }
}
