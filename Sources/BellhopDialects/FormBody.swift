internal import BellhopServer
internal import BellhopWire
internal import HTTPTypes
internal import NIOCore

/// The body of a publication in any encoding that publishers use.
///
/// JSON, a URL-encoded form and a multipart form all result in the same members.
enum FormBody {
  /// A file in a multipart form.
  struct File: Hashable {
    var name: String
    var bytes: [UInt8]
  }

  /// Returns the members of a body and ignores files.
  ///
  /// - Throws: `RequestError` for a body that cannot be read.
  static func members(
    of body: ByteBuffer, contentType: String?, depthMax: Int
  ) throws -> [String: JSONValue] {
    try content(of: body, contentType: contentType, depthMax: depthMax).members
  }

  /// Returns the members of a body and its files.
  ///
  /// - Throws: `RequestError` for a body that cannot be read.
  static func content(
    of body: ByteBuffer, contentType: String?, depthMax: Int
  ) throws -> (members: [String: JSONValue], files: [File]) {
    let type = (contentType ?? "").lowercased()
    let bytes = Array(body.readableBytesView)
    if type.hasPrefix(FormCoding.contentType) {
      // curl sends this type with any text by default. No form of these services begins with a
      // brace.
      let isJSON = bytes.first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) } == UInt8(ascii: "{")
      if isJSON, case .object(let members)? = try? JSONValue(parsing: bytes, depthMax: depthMax) {
        return (members, [])
      }
      return (try form(bytes), [])
    }
    if type.hasPrefix("multipart/form-data") {
      return try parts(bytes, boundary: boundary(of: contentType ?? ""))
    }
    do throws(WireError) {
      guard case .object(let members) = try JSONValue(parsing: bytes, depthMax: depthMax) else {
        throw .invalid(field: "", expectation: "a JSON object")
      }
      return (members, [])
    } catch {
      throw RequestError.badRequest(error.description)
    }
  }

  private static func form(_ bytes: [UInt8]) throws -> [String: JSONValue] {
    guard bytes.count(where: { $0 == UInt8(ascii: "&") }) < fieldsMax else {
      throw RequestError.badRequest("The body is wrong: expected at most \(fieldsMax) fields.")
    }
    let query = String(validating: bytes, as: UTF8.self).map { Query($0) }
    guard let query, !query.isDamaged else {
      throw RequestError.badRequest("The body is wrong: expected a form in UTF-8.")
    }
    return Dictionary(query.pairs.map { ($0.name, JSONValue.string($0.value)) }) { first, _ in first
    }
  }

  /// A limit above what any of these services sends. A field costs more memory than it has bytes.
  private static let fieldsMax = 1000

  private static func boundary(of contentType: String) throws -> [UInt8] {
    for part in contentType.split(separator: ";").dropFirst() {
      let halves = part.split(separator: "=", maxSplits: 1)
      guard halves.count == 2, halves[0].trimmed.lowercased() == "boundary" else { continue }
      let value = halves[1].trimmed.filter { $0 != "\"" }
      // The limit of RFC 2046 §5.1.1.
      if (1...70).contains(value.utf8.count) { return Array("--".utf8) + Array(value.utf8) }
    }
    throw RequestError.badRequest(
      "Content-Type is wrong: expected a boundary of 1 to 70 characters.")
  }

  /// Parses a multipart form (RFC 7578): parts between boundaries, each with its own headers.
  private static func parts(
    _ bytes: [UInt8], boundary: [UInt8]
  ) throws -> (members: [String: JSONValue], files: [File]) {
    var members: [String: JSONValue] = [:]
    var files: [File] = []
    guard let start = bytes.firstRange(of: boundary) else {
      throw RequestError.badRequest("The body is wrong: expected parts between boundaries.")
    }
    var rest = start.upperBound..<bytes.endIndex
    var count = 0
    while !bytes[rest].starts(with: Array("--".utf8)) {
      count += 1
      guard count <= partsMax else {
        throw RequestError.badRequest("The body is wrong: expected at most \(partsMax) parts.")
      }
      guard let end = bytes[rest].firstRange(of: boundary) else {
        throw RequestError.badRequest("The body is wrong: it is cut off.")
      }
      switch try part(bytes, rest.lowerBound..<end.lowerBound) {
      case .value(let name, let value)?: members[name] = .string(value)
      case .file(let file)?: files.append(file)
      case nil: break
      }
      rest = end.upperBound..<bytes.endIndex
    }
    return (members, files)
  }

  /// A limit above the number of fields and files that any of these services sends.
  private static let partsMax = 100
  /// The maximum size of a part's headers: a name, and a file's name and type.
  private static let partHeadBytesMax = 8 * 1024

  private enum Part {
    case value(name: String, text: String)
    case file(File)
  }

  private static func part(_ bytes: [UInt8], _ range: Range<Int>) throws -> Part? {
    let gap = Array("\r\n\r\n".utf8)
    let head = range.clamped(to: range.lowerBound..<range.lowerBound + partHeadBytesMax + gap.count)
    guard let end = bytes[head].firstRange(of: gap) else {
      throw RequestError.badRequest(
        head.count < range.count
          ? "The body is wrong: expected at most \(partHeadBytesMax) bytes of headers in each part."
          : "The body is wrong: a part has no headers.")
    }
    guard let disposition = Disposition(head: bytes[range.lowerBound..<end.lowerBound]) else {
      return nil
    }
    // The line break before the boundary is part of it.
    var value = bytes[end.upperBound..<range.upperBound]
    if value.last == 0x0a { value.removeLast() }
    if value.last == 0x0d { value.removeLast() }
    if let fileName = disposition.fileName {
      return .file(File(name: fileName, bytes: Array(value)))
    }
    guard let text = String(validating: value, as: UTF8.self) else {
      throw RequestError.badRequest("The body is wrong: expected parts in UTF-8.")
    }
    return disposition.name.map { .value(name: $0, text: text) }
  }
}

/// The field name and the file name in the headers of a part (RFC 7578 §4.2).
private struct Disposition {
  var name: String?
  var fileName: String?

  /// - Parameter head: The header lines.
  /// - Returns: Nil when there is no `Content-Disposition`.
  init?(head: ArraySlice<UInt8>) {
    let field = "content-disposition:"
    let lines = head.split { $0 == 0x0d || $0 == 0x0a }
    guard let line = lines.first(where: { Self.word($0.prefix(field.utf8.count)) == field }) else {
      return nil
    }
    for parameter in line.split(separator: UInt8(ascii: ";")).dropFirst() {
      let halves = parameter.split(separator: UInt8(ascii: "="), maxSplits: 1)
      guard halves.count == 2 else { continue }
      let value = String(decoding: halves[1], as: UTF8.self)
      switch Self.word(halves[0]) {
      case "name": name = Self.unquoted(value)
      case "filename": fileName = fileName ?? Self.unquoted(value)
      case "filename*": fileName = Self.extended(value.trimmed) ?? fileName ?? ""
      default: break  // open: String
      }
    }
  }

  private static func word(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self).trimmed.lowercased()
  }

  private static func unquoted(_ value: String) -> String {
    String(decoding: value.trimmed.utf8.filter { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
  }

  /// Decodes an RFC 5987 value, such as `UTF-8''gr%C3%BCn`. Nil for other charsets than UTF-8.
  private static func extended(_ text: String) -> String? {
    let parts = text.utf8.split(
      separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false
    ).map { Substring($0) }
    guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
    return Route.unescaped(parts[2])
  }
}
