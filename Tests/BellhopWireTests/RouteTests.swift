import BellhopModel
import BellhopWire
import Testing

@Suite("Routes")
struct RouteTests {
  @Test("untrusted parts of paths are percent-encoded")
  func paths() {
    let id = NotificationID(high: 0x0198_c0de_0000_7000, low: 0x8000_0000_0000_0001)
    #expect(Route.notifications.path == "/v1.0/me/notifications")
    #expect(
      Route.notification(id).path
        == "/v1.0/me/notifications/0198c0de-0000-7000-8000-000000000001")
    #expect(
      Route.deltaSince(DeltaToken("a+b/c")).path
        == "/v1.0/me/notifications/delta?$deltatoken=a%2Bb%2Fc")
    #expect(
      Route.operations(DeviceID("my laptop/../x")).path
        == "/v1.0/me/devices/my%20laptop%2F..%2Fx/operations")
  }

  @Test("unescaping reverses escaping", arguments: ["", "aä%&=?/#", "🙂 +"])
  func escaping(text: String) {
    #expect(Route.unescaped(Route.escaped(text)) == text)
  }

  @Test("a broken escape is refused", arguments: ["%", "%2", "%zz", "%ff"])
  func brokenEscapes(text: String) {
    #expect(Route.unescaped(text) == nil)
  }

  @Test("dates of headers are written and read back to the second")
  func dates() {
    let time = Timestamp(milliseconds: 1_795_242_724_250)
    let text = HTTPDate.text(time)
    #expect(text == "Sat, 21 Nov 2026 06:32:04 GMT")
    #expect(HTTPDate.time(text) == Timestamp(seconds: 1_795_242_724))
    #expect(HTTPDate.time("Saturday, 21-Nov-26 06:12:04 GMT") == nil)
    #expect(HTTPDate.time("Sat, 31 Feb 2026 06:12:04 GMT") == nil)
  }
}
