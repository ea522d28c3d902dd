internal import BellhopWire
internal import HTTPTypes
internal import NIOCore

/// The body of a publication in any of the encodings that publishers use: JSON, a form, or a form in
/// parts. All come to the same members.
enum FormBody {
  /// A file among the parts of a form.
  struct File: Hashable {
    var name: String
    var bytes: [UInt8]
  }

  /// The members of a body. Files are passed over.
  ///
  /// - Throws: ``Failure`` for what can't be read.
  static func members(
    of body: ByteBuffer, contentType: String?, depthMax: Int
  ) throws -> [String: JSONValue] {
    try content(of: body, contentType: contentType, depthMax: depthMax).members
  }

  /// The members of a body, and its files.
  ///
  /// - Throws: ``Failure`` for what can't be read.
  static func content(
    of body: ByteBuffer, contentType: String?, depthMax: Int
  ) throws -> (members: [String: JSONValue], files: [File]) {
    let type = (contentType ?? "").lowercased()
    let bytes = Array(body.readableBytesView)
    if type.hasPrefix(FormCoding.contentType) {
      // What curl says of any text; no form of these services begins so.
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
      throw Failure.badRequest(error.description)
    }
  }

  private static func form(_ bytes: [UInt8]) throws -> [String: JSONValue] {
    let query = String(validating: bytes, as: UTF8.self).map { Query($0) }
    guard let query, !query.isDamaged else {
      throw Failure.badRequest("The body is wrong: expected a form in UTF-8.")
    }
    return Dictionary(query.pairs.map { ($0.name, JSONValue.string($0.value)) }) { first, _ in first
    }
  }

  private static func boundary(of contentType: String) throws -> [UInt8] {
    for part in contentType.split(separator: ";").dropFirst() {
      let halves = part.split(separator: "=", maxSplits: 1)
      guard halves.count == 2, halves[0].trimmed.lowercased() == "boundary" else { continue }
      let value = halves[1].trimmed.filter { $0 != "\"" }
      // RFC 2046 §5.1.1.
      if (1...70).contains(value.utf8.count) { return Array("--".utf8) + Array(value.utf8) }
    }
    throw Failure.badRequest("Content-Type is wrong: expected a boundary of 1 to 70 characters.")
  }

  /// RFC 7578: parts between boundaries, each with headers of its own.
  private static func parts(
    _ bytes: [UInt8], boundary: [UInt8]
  ) throws -> (members: [String: JSONValue], files: [File]) {
    var members: [String: JSONValue] = [:]
    var files: [File] = []
    var rest = bytes[...]
    guard let start = rest.firstRange(of: boundary) else {
      throw Failure.badRequest("The body is wrong: expected parts between boundaries.")
    }
    rest = rest[start.upperBound...]
    var count = 0
    while !rest.starts(with: Array("--".utf8)) {
      count += 1
      guard count <= partsMax else {
        throw Failure.badRequest("The body is wrong: expected at most \(partsMax) parts.")
      }
      guard let end = rest.firstRange(of: boundary) else {
        throw Failure.badRequest("The body is wrong: it is cut off.")
      }
      switch try part(rest[..<end.lowerBound]) {
      case .value(let name, let value)?: members[name] = .string(value)
      case .file(let file)?: files.append(file)
      case nil: break
      }
      rest = rest[end.upperBound...]
    }
    return (members, files)
  }

  /// More than any of these services has fields and files.
  private static let partsMax = 100

  private enum Part {
    case value(name: String, text: String)
    case file(File)
  }

  private static func part(_ bytes: ArraySlice<UInt8>) throws -> Part? {
    let gap = Array("\r\n\r\n".utf8)
    guard let end = bytes.firstRange(of: gap) else {
      throw Failure.badRequest("The body is wrong: a part has no headers.")
    }
    let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
    guard
      let line = head.split(whereSeparator: \.isNewline).first(where: {
        $0.lowercased().hasPrefix("content-disposition:")
      })
    else { return nil }
    var name: String?
    var fileName: String?
    for parameter in line.split(separator: ";").dropFirst() {
      let halves = parameter.split(separator: "=", maxSplits: 1)
      guard halves.count == 2 else { continue }
      switch halves[0].trimmed.lowercased() {
      case "name": name = halves[1].trimmed.filter { $0 != "\"" }
      case "filename": fileName = fileName ?? halves[1].trimmed.filter { $0 != "\"" }
      case "filename*": fileName = extendedValue(halves[1].trimmed) ?? fileName ?? ""
      default: break
      }
    }
    // The line break before the boundary belongs to it.
    var value = bytes[end.upperBound...]
    if value.last == 0x0a { value.removeLast() }
    if value.last == 0x0d { value.removeLast() }
    if let fileName { return .file(File(name: fileName, bytes: Array(value))) }
    guard let text = String(validating: value, as: UTF8.self) else {
      throw Failure.badRequest("The body is wrong: expected parts in UTF-8.")
    }
    return name.map { .value(name: $0, text: text) }
  }

  /// RFC 5987, as in `UTF-8''gr%C3%BCn`; nil for anything else than UTF-8.
  private static func extendedValue(_ text: String) -> String? {
    let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
    return Route.unescaped(parts[2])
  }
}
