import BellhopTestSupport
import FoundationEssentials
import Testing

@Suite("Reports on noise by the program", .realPrograms)
struct NoiseReportTests {
  private struct Line: Decodable {
    var app: String
    var title: String?
    var count: Int
    var items: Int
    var opened: Int
    var advice: String?
    var command: String?
  }

  @Test("builds that are never opened are reported, with the command that collapses them")
  func builds() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store)
      for number in 1...20 {
        try await publisher.publish("done", title: "build \(number) passed", app: "ci")
      }
      try await publisher.publish("1 disk", title: "nas", app: "nas")
      try await device.succeed("sync")

      let outcome = try await device.bellhop("report", "noise", "--json", "--offline")
      let lines = try outcome.lines.map {
        try JSONDecoder().decode(Line.self, from: Data($0.utf8))
      }
      #expect(lines.map(\.app) == ["ci", "nas"])
      let first = try #require(lines.first)
      #expect(first.title == "build # passed" && first.count == 20 && first.items == 20)
      #expect(first.opened == 0 && first.advice == "collapse")
      #expect(first.command?.contains("rules add 'collapse ci: build # passed'") == true)
      #expect(lines[1].advice == nil && lines[1].command == nil)

      let text = try await device.succeed("report", "--offline")
      #expect(text.contains("21 notifications in the last 30 days, 21 items"))
      #expect(text.contains("     20 ████████████████████ ci · build # passed"))
      let wrong = try await device.bellhop("report", "noise", "--days", "0")
      #expect(wrong.exitCode == 64 && wrong.errors.contains("--days must be 1 to"))
    }
  }
}
