import BellhopWire

/// A request made of the parts that the store's dialects parse, combined at random.
package struct DialectRequest: Sendable, CustomStringConvertible {
  package var method: String
  package var path: String
  package var headers: [String: String]
  package var body: [UInt8]

  package var description: String {
    "\(method) \(path) \(headers) \(String(decoding: body, as: UTF8.self))"
  }

  private static let paths = [
    "/", "/nas", "/nas/x", "/nas/x/clear", "/nas/publish", "/nas/json?poll=1", "/nas/raw?poll=1",
    "/nas,ci/sse?poll=1", "/nas/auth", "/message", "/message/1", "/application", "/client",
    "/notify", "/notify/nas", "/hooks/github", "/hooks/gitlab", "/hooks/grafana",
    "/hooks/alertmanager", "/hooks/uptime-kuma", "/hooks/healthchecks", "/hooks/x",
    "/v1/account", "/current/user",
    // The number of the app nas.
    "/application/344910137", "/application/344910137/message", "/client/1",
  ]
  private static let methods = ["GET", "PUT", "POST", "DELETE"]
  private static let names = [
    "Title", "Message", "Priority", "Tags", "Click", "Icon", "Attach", "Filename", "Actions",
    "Delay", "Cache", "Markdown", "Email", "X-Sequence-ID", "Content-Type", "since", "id",
    "X-GitHub-Event", "X-Event",
  ]
  private static let pieces = [
    "", " ", ",", ";", "'", "\"", "\\", "=", "{", "}", "[", "]", "view", "http", "Open",
    "https://a.b", "clear=true", "headers.a=b", "u=1", "5", "-1", "99999999999999999999", "30m",
    "in 2 days", "=?UTF-8?B?8J+agA==?=", "=?UTF-8?Q?=ZZ?=", "null", "true", "ü", "🚀", "\\n",
    "multipart/form-data; boundary=X", "application/x-www-form-urlencoded", "text/markdown", "%",
    "--X", "\r\n\r\n", "name=", "1.5e400", "\u{0}",
  ]
  private static let memberNames = [
    "topic", "message", "title", "priority", "tags", "actions", "extras", "type", "attachments",
    "repository", "object_kind", "alerts", "monitor", "status", "body", "markdown", "delay",
    "name", "description", "defaultPriority",
  ]

  /// A text made of parts that have a meaning in some dialect.
  package static func text(_ random: inout SeededRandom) -> String {
    (0..<Int.random(in: 0...6, using: &random))
      .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
  }

  private static func value(_ random: inout SeededRandom, depth: Int) -> JSONValue {
    switch Int.random(in: 0...(depth > 3 ? 4 : 6), using: &random) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &random))
    case 2:
      return .number(
        ["0", "3", "-7", "1e9", "9223372036854775808"].randomElement(using: &random) ?? "0")
    case 3: return "nas"
    case 4: return .string(text(&random))
    case 5:
      return .array(
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
          value(&random, depth: depth + 1)
        })
    default: return object(&random, depth: depth + 1)
    }
  }

  private static func object(_ random: inout SeededRandom, depth: Int) -> JSONValue {
    var members: [String: JSONValue] = [:]
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      members[memberNames.randomElement(using: &random) ?? ""] = value(&random, depth: depth)
    }
    return .object(members)
  }

  package static func random(_ random: inout SeededRandom) -> DialectRequest {
    var headers: [String: String] = [:]
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let value = text(&random).filter { $0 != "\0" && !$0.isNewline }
      headers[names.randomElement(using: &random) ?? ""] = value
    }
    var body: [UInt8]
    switch Int.random(in: 0...3, using: &random) {
    case 0: body = []
    case 1: body = Array(text(&random).utf8)
    case 2:
      body = (0..<Int.random(in: 0...64, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
    default: body = object(&random, depth: 0).bytes
    }
    if Int.random(in: 0...9, using: &random) == 0, !body.isEmpty { body.removeLast() }
    return DialectRequest(
      method: methods.randomElement(using: &random) ?? "GET",
      path: paths.randomElement(using: &random) ?? "/", headers: headers, body: body)
  }
}
