import BellhopClient
import BellhopModel
import BellhopText
import BellhopTime
import Testing

@testable import BellhopCommands

@Suite("Typed input")
struct InputTests {
  static let now = Timestamp(milliseconds: 1_000_000)

  @Test(
    "spans are parsed",
    arguments: [("90s", 90), ("15m", 900), ("1h30m", 5400), ("2d", 172_800), ("1w", 604_800)])
  func spans(text: String, seconds: Int64) {
    #expect(SpanPhrase.duration(text) == .seconds(seconds))
    #expect(
      TimeExpression.instant(text, now: Self.now)
        == .success(Self.now.advanced(by: .seconds(seconds))))
  }

  @Test("a time has the same form as on the screen")
  func times() throws {
    let evening = try TimeExpression.instant("tomorrow 18:00", option: "--until", now: Self.now)
    #expect(evening.duration(since: Self.now) > .seconds(18 * 3600))
    let error = #expect(throws: ClientError.self) {
      try TimeExpression.instant("whenever", option: "--until", now: Self.now)
    }
    #expect(error?.description.contains("whenever") == true)
  }

  @Test(
    "an invalid span is refused",
    arguments: ["", "h", "2", "2x", "-2h", "0m", "2 h", "99999999999999999999d", "٢h"])
  func noSpans(_ text: String) {
    #expect(SpanPhrase.duration(text) == nil)
  }

  func request(_ change: (inout PublishRequest) -> Void) -> PublishRequest {
    var request = PublishRequest()
    change(&request)
    return request
  }

  func content(_ request: PublishRequest, input: String = "") throws -> Content {
    try request.content(now: Self.now, readInput: { input })
  }

  @Test("the first line of a body without a title is the title")
  func titles() throws {
    let one = try content(request { $0.body = "Backup finished" })
    #expect(one.visual == VisualContent(title: "Backup finished"))
    let two = try content(request { $0.body = "-" }, input: "Backup\nfinished\n")
    #expect(two.visual == VisualContent(title: "Backup", body: "finished"))
    let titled = try content(
      request {
        $0.body = "finished"
        $0.title = "Backup"
      })
    #expect(titled.visual == VisualContent(title: "Backup", body: "finished"))
    let long = String(repeating: "é", count: 400)
    let cut = try content(request { $0.body = long })
    #expect(cut.visual?.title == String(repeating: "é", count: 254) + "…")
    #expect(cut.visual?.body == long)
  }

  @Test("an invalid level, an invalid time and no text at all are usage errors")
  func badRequests() {
    for request in [
      request { _ in },
      request {
        $0.body = "x"
        $0.priority = "loud"
      },
      request {
        $0.body = "x"
        $0.expires = "soon"
      },
    ] {
      let error = #expect(throws: ClientError.self) { try content(request) }
      #expect(error?.exitCode == .usage)
    }
  }
}
