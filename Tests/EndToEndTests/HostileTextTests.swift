import BellhopTestSupport
import FoundationEssentials
import Testing

@Suite("Malicious text", .realPrograms)
struct HostileTextTests {
  /// Titles with sequences for the terminal, or text that misleads the reader.
  private static let titles = [
    "\u{1B}[31mred\u{1B}[0m \u{1B}]0;pwned\u{07} \u{1B}[2J\u{1B}[H end",
    "C1 \u{9B}31m \u{90}q\u{9C} bell \u{07} back\u{08}\u{08} del \u{7F}",
    "line one\nline two\r\nthree\ttab \u{2028} \u{2029} \u{0B}\u{0C}",
    "abc\u{202E}fed\u{2066}isolated \u{200B}zero\u{FEFF} tags\u{E0041}\u{E007F}",
    "👩‍👩‍👧‍👦 family 🏳️‍🌈 flag 👍🏽 skin 🇩🇪 country ☎️ ❤️",
    "备份全文搜索测试 全角ＡＢＣ 한국어 ｶﾅ",
    "Z" + String(repeating: "\u{0301}\u{0327}", count: 120) + "algo",
    "שלום עולם العربية mixed 12",
    "ก็ สวัสดีครับ क्षत्रिय தமிழ்",
    "\u{0301} begins with a mark \u{200D} and a joiner",
  ]

  private struct Body: Encodable {
    struct Payload: Encodable { var visualContent: Visual }
    struct Visual: Encodable { var title, body: String }
    var targetHostName: String
    var appNotificationId: String
    var payload: Payload
  }

  /// Publishes all of them, and one plain item last.
  private func publishAll(_ store: StoreProcess) async throws {
    let publisher = try await store.publisher()
    let body =
      "Body\u{1B}[2J\u{202E} a" + String(repeating: "\u{0316}", count: 5000)
      + " 备份\u{07}\nnext line"
    for (index, title) in Self.titles.enumerated() {
      let json = try JSONEncoder().encode(
        Body(
          targetHostName: "app\(index)", appNotificationId: "\(index)",
          payload: .init(visualContent: .init(title: title, body: body))))
      let answer = try await publisher.publishGraph(String(decoding: json, as: UTF8.self))
      #expect(answer.status == 201, "\(title.debugDescription): \(answer.body)")
    }
    try await publisher.publish("plain", app: "plain")
  }

  @Test("it stays in its cells: columns beside it are aligned and nothing else is touched")
  func screens() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      try await publishAll(store)
      try await device.succeed("sync")

      let narrow = try await scene.screen(on: device, columns: 80, rows: 24)
      let wide = try await scene.screen(on: device, columns: 120, rows: 40)
      try await narrow.wait(for: "plain", "● live, all sent")
      try await wide.wait(for: "plain", "● live, all sent")
      for index in 0...Self.titles.count {
        // Each item in turn is in the preview, and in the detail beside the list.
        let seen = try await narrow.wait(for: "item \(index + 1)") {
          $0.contains(" \(index + 1) of \(Self.titles.count + 1)  ? keys")
        }
        expectIntact(seen, rows: 24, isWide: false)
        let seenWide = try await wide.wait(for: "item \(index + 1)") {
          $0.contains(" \(index + 1) of \(Self.titles.count + 1)  ? keys")
        }
        expectIntact(seenWide, rows: 40, isWide: true)
        for screen in [narrow, wide] { try await screen.press("Down") }
      }
      #expect(try await narrow.title().contains("pwned") == false)
    }
  }

  private func expectIntact(_ screen: String, rows: Int, isWide: Bool) {
    let lines = screen.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines.count == rows)
    #expect(lines[0].hasPrefix(" bellhop") && lines[0].hasSuffix("● live, all sent"))
    #expect(Hidden.first(in: screen) == nil, "\(screen.debugDescription)")
    let items = lines.filter { $0.contains("  app") || $0.contains("  plain") }
      .filter { [" ", "▌"].contains($0.first) && $0.dropFirst().first == "●" }
    #expect(items.count == Self.titles.count + 1, "\(screen)")
    for item in items {
      let ageEnd: Int
      if isWide {
        let rules = CellWidth.columns(of: "│", in: item)
        #expect(rules.first == 62, "\(item)")
        ageEnd = CellWidth.of(item.prefix { $0 != "│" }.trimmingSuffix(while: { $0 == " " }))
      } else {
        ageEnd = CellWidth.of(item)
      }
      #expect(ageEnd == (isWide ? 61 : 79), "\(item)")
    }
  }

  @Test("list and JSON contain nothing that a terminal interprets, and JSON reads back unchanged")
  func commands() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      try await publishAll(store)
      try await device.succeed("sync")
      for arguments in [
        ["list"], ["list", "--all", "--json"], ["search", "app"], ["show", "1"],
        ["show", "4", "--json"], ["show", "7"],
      ] {
        let outcome = try await device.run(program: Programs.bellhop, arguments)
        #expect(outcome.exitCode == 0)
        #expect(!outcome.output.isEmpty || arguments[0] == "search")
        #expect(String(validating: outcome.outputBytes, as: UTF8.self) != nil)
        let hidden = Hidden.first(in: outcome.output)
        #expect(hidden == nil, "\(arguments): \(String(describing: hidden))")
      }
      #expect(try await device.bellhop("list").lines.count == Self.titles.count + 1)
      let titles = try await device.items("list").compactMap(\.title)
      #expect(titles.reversed() == Self.titles + ["plain"])
    }
  }
}

extension StringProtocol where SubSequence == Substring {
  /// The text without the trailing characters for which `isTrimmed` is true.
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
    var text = self[...]
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return text
  }
}
