import BellhopClient
import BellhopModel
import Testing

@testable import BellhopCommands

@Suite("Publishing with --environment")
struct EnvironmentOptionTests {
  private func environment(_ word: String?) throws -> RegistrationEnvironment? {
    var request = PublishRequest()
    request.body = "Test"
    request.environment = word
    return try request.content(now: InputTests.now, readInput: { "" }).extras.environment
  }

  @Test("development is published, and production is the same as no option")
  func words() throws {
    #expect(try environment("development") == .development)
    #expect(try environment("production") == nil)
    #expect(try environment(nil) == nil)
  }

  @Test("another word is a usage error that names the accepted words")
  func unknown() {
    let error = #expect(throws: ClientError.self) { try environment("staging") }
    #expect(error?.exitCode == .usage)
    #expect(error?.description.contains("development or production") == true)
  }
}
