import BellhopModel
import BellhopWire

/// Requests as bytes.
enum Requests {
  /// A publication over HTTP.
  static func publish(_ content: Content, token: String) throws -> [UInt8] {
    let body = try WireJSON.encode(PublishPayload(content))
    let head = """
      POST \(Route.notifications.path) HTTP/1.1\r
      Host: 127.0.0.1\r
      Authorization: Bearer \(token)\r
      Content-Type: application/json\r
      Content-Length: \(body.count)\r
      \r

      """
    return Array(head.utf8) + body
  }

  /// An append to a Redis stream, which keeps what was published as a store does.
  static func append(_ body: [UInt8]) -> [UInt8] {
    command(["XADD", "items", "*", "item"].map { Array($0.utf8) } + [body])
  }

  static func command(_ words: [[UInt8]]) -> [UInt8] {
    var bytes = Array("*\(words.count)\r\n".utf8)
    for word in words { bytes += Array("$\(word.count)\r\n".utf8) + word + [13, 10] }
    return bytes
  }

  /// An ordinary notification.
  static func sample(title: String = "build 412 failed") -> Content {
    var content = Content(app: "ci.example.com", group: "main", priority: .high)
    content.visual = VisualContent(
      title: title, body: "2 of 1,204 tests failed on linux-arm64: CacheTests, OutboxTests")
    content.clickURL = "https://ci.example.com/412"
    content.tags = ["linux", "arm64"]
    return content
  }
}
