import BellhopModel
import BellhopWire
import Testing

@Suite("The body of a publication")
struct PublishPayloadTests {
  private func content(_ text: String) throws -> Content {
    try WireJSON.decode(PublishPayload.self, from: Array(text.utf8)).content
  }

  @Test("the vendor's samples are accepted: numbers as strings, words in any case")
  func vendorSample() throws {
    let content = try content(
      """
      {"targetHostName":"graph.example.com","appNotificationId":"id1","groupName":"g",
       "expirationDateTime":"2026-12-01T00:00:00Z","displayTimeToLive":"60","priority":"HIGH",
       "payload":{"rawContent":"raw","visualContent":{"title":"T","body":"B"}},
       "targetPolicy":{"platformTypes":["windows","IOS","ANDROID","webPush"]},
       "fallbackPolicy":{"endpointFallback":{"platformTypes":["ios"],
         "fallbackDelayInSeconds":"120","visualContent":{"title":"F"}}},
       "somethingNew":{"deep":[1,2]}}
      """)
    #expect(content.app == "graph.example.com")
    #expect(content.displayTimeToLive == .seconds(60))
    #expect(content.priority == .high)
    #expect(content.raw == "raw")
    #expect(content.visual == VisualContent(title: "T", body: "B"))
    #expect(
      content.extras.targetPolicy?.platformTypes == ["Windows", "iOS", "Android", "WebPush"])
    #expect(content.extras.fallbackPolicy?.fallbackDelayInSeconds == 120)
  }

  @Test("encoded publications are decoded unchanged")
  func roundTrip() throws {
    let content = PayloadTests.fullItem().content
    let bytes = try WireJSON.encode(PublishPayload(content))
    #expect(try WireJSON.decode(PublishPayload.self, from: bytes).content == content)
  }

  @Test(
    "an invalid field is named, with the accepted values",
    arguments: [
      ("[]", "", "not an array"),
      ("3", "", "one JSON object"),
      ("{}", "targetHostName", "missing"),
      (#"{"targetHostName":5}"#, "targetHostName", "a string"),
      (#"{"targetHostName":"a"}"#, "payload", "visualContent"),
      (#"{"targetHostName":"a","payload":{}}"#, "payload", "visualContent"),
      (
        #"{"targetHostName":"a","payload":{"visualContent":{"body":"b"}}}"#,
        "payload.visualContent.title", "missing"
      ),
      (
        #"{"targetHostName":"a","payload":{"visualContent":{"title":["t"]}}}"#,
        "payload.visualContent.title", "a string"
      ),
      (
        #"{"targetHostName":"a","payload":{"rawContent":""},"priority":"loud"}"#, "priority",
        "High"
      ),
      (
        #"{"targetHostName":"a","payload":{"rawContent":""},"displayTimeToLive":"soon"}"#,
        "displayTimeToLive", "whole number"
      ),
      (
        #"{"targetHostName":"a","payload":{"rawContent":""},"expirationDateTime":"tomorrow"}"#,
        "expirationDateTime", "UTC time"
      ),
      (
        #"{"targetHostName":"a","payload":{"rawContent":""},"tags":"x"}"#, "tags", "an array"
      ),
      (
        #"{"targetHostName":"a","payload":{"rawContent":""},"targetPolicy":{"platformTypes":["amiga"]}}"#,
        "targetPolicy.platformTypes", "Windows"
      ),
      (
        #"{"targetHostName":"a","payload":{"rawContent":""},"fallbackPolicy":{"endpointFallback":{"fallbackDelayInSeconds":5}}}"#,
        "fallbackPolicy.endpointFallback.fallbackDelayInSeconds", "60 to 600"
      ),
    ])
  func wrongFields(text: String, field: String, expectation: String) throws {
    let error = try #require(throws: WireError.self) { try content(text) }
    guard case .invalid(let named, let expected) = error else {
      Issue.record("\(error) names no field")
      return
    }
    #expect(named == field)
    #expect(expected.contains(expectation))
  }

  @Test("broken JSON is reported as such", arguments: ["{", "{\"a\":}", "nonsense", "\u{1}", ""])
  func malformed(text: String) throws {
    let error = try #require(throws: WireError.self) { try content(text) }
    guard case .malformed = error else {
      Issue.record("\(error)")
      return
    }
  }

  @Test("nesting past 64 levels is refused before it is parsed; brackets in strings do not count")
  func depth() throws {
    let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
    let error = #expect(throws: WireError.self) { try content(deep) }
    #expect(error == .tooDeep(limit: 64))
    let text = #"{"targetHostName":"a","payload":{"rawContent":"\#(deep)\""}}"#
    #expect(throws: Never.self) { try content(text.replacing("\\\"\"", with: "\"")) }
  }
}
