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

  /// Asks for signals.
  static func signals(token: String) -> String {
    """
    GET \(Route.signal.path) HTTP/1.1\r
    Host: 127.0.0.1\r
    Authorization: Bearer \(token)\r
    Accept: text/event-stream\r
    \r

    """
  }

  /// Keeps an item for good, or no longer.
  static func keep(_ id: NotificationID, _ isKept: Bool, token: String) -> String {
    let body = "{\"kept\":\(isKept)}"
    return """
      PATCH \(Route.notification(id).path) HTTP/1.1\r
      Host: 127.0.0.1\r
      Authorization: Bearer \(token)\r
      Content-Type: application/json\r
      Content-Length: \(body.utf8.count)\r
      \r
      \(body)
      """
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
