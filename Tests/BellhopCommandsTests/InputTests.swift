import BellhopModel
import BellhopText
import Foundation
import Testing

@testable import BellhopClient

@Suite("What people type")
struct InputTests {
  static let now = Timestamp(milliseconds: 1_000_000)

  @Test(
    "spans are read",
    arguments: [("90s", 90), ("15m", 900), ("1h30m", 5400), ("2d", 172_800), ("1w", 604_800)])
  func spans(text: String, seconds: Int64) {
    #expect(TimeExpression.duration(text) == .seconds(seconds))
    #expect(
      TimeExpression.instant(text, now: Self.now)
        == .success(Self.now.advanced(by: .seconds(seconds))))
  }

  @Test("a time is said as on the screen")
  func times() throws {
    let evening = try TimeExpression.instant("tomorrow 18:00", option: "--until", now: Self.now)
    #expect(evening.duration(since: Self.now) > .seconds(18 * 3600))
    let error = #expect(throws: ClientError.self) {
      try TimeExpression.instant("whenever", option: "--until", now: Self.now)
    }
    #expect(error?.description.contains("whenever") == true)
  }

  @Test(
    "what is no span is not read",
    arguments: ["", "h", "2", "2x", "-2h", "0m", "2 h", "99999999999999999999d", "٢h"])
  func noSpans(_ text: String) {
    #expect(TimeExpression.duration(text) == nil)
  }

  @Test("addresses of stores are scheme, host and port")
  func addresses() throws {
    #expect(try StoreAddress("https://store.example.com/").url == "https://store.example.com")
    #expect(try StoreAddress("http://[::1]:8642").host == "::1")
    #expect(try StoreAddress("https://s.example:99").accountName == AccountName("s.example"))
    for text in [
      "store.example.com", "ftp://a", "https://", "https://user:blh_x@host", "https://a/b",
      "https://a?token=b",
    ] {
      #expect(throws: ClientError.self, "\(text)") { try StoreAddress(text) }
    }
  }

  func request(_ change: (inout PublishRequest) -> Void) -> PublishRequest {
    var request = PublishRequest(
      body: nil, title: nil, subtitle: nil, app: nil, id: nil, group: nil, priority: nil,
      tags: [], url: nil, expires: nil, rawFile: nil)
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

  @Test("a wrong level, a wrong time and nothing at all are usage errors")
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

@Suite("What is printed")
struct OutputTests {
  @Test("a JSON line has no character that a terminal would act on, and reads back the same")
  func jsonLine() throws {
    let title = "a\u{1b}[31m\u{202e}\u{85}\u{2028}👩‍👩‍👧\u{e0041}\u{7f}\u{9b}1m 漢字"
    let line = try JSONLine.encode(["title": title])
    let unsafe = line.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: true
      default: false
      }
    }
    #expect(unsafe.isEmpty)
    #expect(line.contains("漢字"))
    let read = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
    #expect(read["title"] == title)
  }

  @Test("an item's line fits the terminal, whatever its title")
  func lineFits() {
    let content = Content(
      app: "nas", visual: VisualContent(title: "磁盘 " + String(repeating: "x\u{301}", count: 500)))
    let item = UserNotification(
      id: .version7(at: .distantPast, random: (1, 1)), shortNumber: 12, created: .distantPast,
      arrival: .distantPast, content: content,
      state: ItemState(sequence: .zero, contentSequence: .zero, changed: .distantPast))
    for width in [10, 40, 80, 200] {
      let line = ItemLine.text(item, at: .distantPast, width: width)
      #expect(SafeText(line.string).width <= width)
    }
    #expect(ItemLine.text(item, at: .distantPast, width: nil).string.hasPrefix("#12 "))
  }
}
