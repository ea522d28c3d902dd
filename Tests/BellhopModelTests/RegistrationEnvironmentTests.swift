import BellhopModel
import Foundation
import Testing

@Suite("Environments")
struct RegistrationEnvironmentTests {
  private func content(_ environment: RegistrationEnvironment?) -> Content {
    var content = Content(app: "ci", visual: VisualContent(title: "a"))
    content.extras.environment = environment
    return content
  }

  @Test(
    "an item for development reaches only devices in development, and any other item every device",
    arguments: RegistrationEnvironment.allCases)
  func reach(reader: RegistrationEnvironment) {
    #expect(reader.receives(content(nil)))
    #expect(reader.receives(content(.production)))
    #expect(reader.receives(content(.development)) == (reader == .development))
  }

  @Test("stored extras without an environment are those of an item in production")
  func stored() throws {
    let old = try JSONDecoder().decode(ContentExtras.self, from: Data("{}".utf8))
    #expect(old == ContentExtras())
    var extras = ContentExtras()
    extras.environment = .development
    let data = try JSONEncoder().encode(extras)
    #expect(String(decoding: data, as: UTF8.self) == #"{"environment":"development"}"#)
    #expect(try JSONDecoder().decode(ContentExtras.self, from: data) == extras)
  }
}
