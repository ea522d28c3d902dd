import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopDialects

@Suite("Long histories, read through other services' interfaces", .timeLimit(.minutes(5)))
struct LongHistoryTests {
  @Test("Gotify's page of an app without recent messages ends early, and the next one continues")
  func gotify() async throws {
    var limits = StoreLimits()
    limits.listScanMax = 10
    let store = try await InProcessStore(limits: limits)
    let rows = limits.listScanMax * GotifyMessages.pagesMax
    try await store.publish(1, app: "nas")
    try await store.publish(rows + 5, app: "ci")
    let user = try await store.service.user(named: "me").id
    let token = try await store.service.mintToken(
      named: "a", scope: .app("nas"), for: user
    ).secret.text
    func page(_ path: String) async throws -> JSONValue {
      let answer = try await store.send(.get, path, token: token)
      try #require(answer.status == 200, "\(answer.text)")
      return try JSONValue(parsing: answer.body)
    }
    let first = try await page("/message?limit=10")
    #expect(first["messages"] == [])
    let next = try #require(first["paging"]?["next"]?.text)
    let second = try await page(next.replacing("http://store.test", with: ""))
    #expect((second["messages"]?.elements ?? []).compactMap { $0["message"]?.text } == ["nas 0"])
    #expect(second["paging"]?["next"] == nil)
    // Deleting goes on to the end by itself.
    #expect(try await store.send(.delete, "/message", token: token).status == 200)
    #expect(try await page(next.replacing("http://store.test", with: ""))["messages"] == [])
  }

  @Test("a poll of a long topic gives its newest messages, and other topics get theirs")
  func ntfy() async throws {
    var limits = StoreLimits()
    limits.listScanMax = 1
    let store = try await InProcessStore(limits: limits)
    try await store.publish(3, app: "zoo")
    try await store.publish(150, app: "ci")
    let token = try await store.deviceToken()
    func look(_ topics: String) async throws -> [String] {
      let answer = try await store.send(.get, "/\(topics)/json?poll=1", token: token)
      try #require(answer.status == 200, "\(answer.text)")
      return try answer.text.split(separator: "\n").compactMap {
        try JSONValue(parsing: Array($0.utf8))["message"]?.text
      }
    }
    let pages = NtfyReader.historyPagesMax
    #expect(try await look("ci") == ((150 - pages)..<150).map { "ci \($0)" })
    let both = try await look("ci,zoo")
    #expect(both.filter { $0.hasPrefix("zoo") } == ["zoo 0", "zoo 1", "zoo 2"])
    #expect(both.filter { $0.hasPrefix("ci") } == ((150 - pages / 2)..<150).map { "ci \($0)" })
  }
}
