import BellhopModel
import BellhopWire
import Testing

@Suite("Environments on the wire")
struct EnvironmentPayloadTests {
  private func publication(_ environment: String) throws -> Content {
    let text =
      #"{"targetHostName":"ci","payload":{"rawContent":"r"},"environment":\#(environment)}"#
    return try WireJSON.decode(PublishPayload.self, from: Array(text.utf8)).content
  }

  @Test(
    "a publication names its environment in any case; production is the same as none",
    arguments: [
      (#""development""#, RegistrationEnvironment.development), (#""Development""#, .development),
      (#""production""#, nil), ("null", nil),
    ] as [(String, RegistrationEnvironment?)])
  func publications(text: String, environment: RegistrationEnvironment?) throws {
    #expect(try publication(text).extras.environment == environment)
  }

  @Test("another word is refused with the field and the accepted words")
  func unknown() throws {
    let error = #expect(throws: WireError.self) { try publication(#""staging""#) }
    #expect(
      error == .invalid(field: "environment", expectation: "development or production"))
  }

  @Test("production is never written")
  func written() throws {
    var content = Content(app: "ci", raw: "r")
    let plain = try WireJSON.encode(PublishPayload(content))
    #expect(!String(decoding: plain, as: UTF8.self).contains("environment"))
    content.extras.environment = .development
    let bytes = try WireJSON.encode(PublishPayload(content))
    #expect(String(decoding: bytes, as: UTF8.self).contains(#""environment":"development""#))
    #expect(try WireJSON.decode(PublishPayload.self, from: bytes).content == content)
    let device = DeviceRegistrationPayload(
      id: DeviceID("a"), name: "a", platform: "linux", channel: .signal,
      environment: RegistrationEnvironment.production.written)
    #expect(
      !String(decoding: try WireJSON.encode(device), as: UTF8.self).contains("environment"))
  }

  @Test("a registration of an earlier client is in production")
  func earlierClient() throws {
    let text = #"{"id":"a","name":"a","platform":"linux","channel":"signal"}"#
    let payload = try WireJSON.decode(DeviceRegistrationPayload.self, from: Array(text.utf8))
    #expect(payload.environment == nil)
  }
}
