import BellhopModel
import BellhopWire

/// The HTTP requests of the measurements.
enum BenchRequests {
  /// Returns a request that publishes an item.
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

  /// Returns a request for signals.
  static func signals(token: String) -> String {
    """
    GET \(Route.signal.path) HTTP/1.1\r
    Host: 127.0.0.1\r
    Authorization: Bearer \(token)\r
    Accept: text/event-stream\r
    \r

    """
  }

  /// Returns a request that pins or unpins an item.
  static func pin(_ id: NotificationID, _ isPinned: Bool, token: String) -> String {
    let body = "{\"kept\":\(isPinned)}"
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

  /// Returns the content of an ordinary notification.
  static func sample(title: String = "build 412 failed") -> Content {
    var content = Content(app: "ci.example.com", group: "main", priority: .high)
    content.visual = VisualContent(
      title: title, body: "2 of 1,204 tests failed on linux-arm64: CacheTests, OutboxTests")
    content.clickURL = "https://ci.example.com/412"
    content.tags = ["linux", "arm64"]
    return content
  }
}
