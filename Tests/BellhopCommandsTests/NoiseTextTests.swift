import BellhopCache
import BellhopInbox
import BellhopModel
import BellhopText
import Testing

@testable import BellhopCommands

@Suite("Reports on noise as text")
struct NoiseTextTests {
  private func builds(_ advice: NoiseAdvice? = .collapse) -> NoiseReport.Line {
    var line = NoiseReport.Line(app: "ci", group: "main", title: "build # passed")
    line.exampleTitle = "build 412 passed"
    (line.count, line.items, line.handled) = (1_240, 40, 30)
    line.medianToHandle = .seconds(35)
    line.advice = advice
    return line
  }

  private func chat(_ advice: NoiseAdvice?) -> NoiseReport.Line {
    var line = NoiseReport.Line(app: "chat")
    line.hasOtherGroups = true
    (line.count, line.items, line.opened, line.answered) = (62, 62, 31, 1)
    line.advice = advice
    return line
  }

  private func text(_ lines: NoiseReport.Line...) -> NoiseText {
    var report = NoiseReport()
    report.lines = lines
    report.count = lines.map(\.count).reduce(0, +)
    report.items = lines.map(\.items).reduce(0, +)
    return NoiseText(report: report, names: ["chat": "Team chat"], days: 30)
  }

  @Test("each line has its number, a bar in proportion, its names and what the user did")
  func lines() {
    let lines = text(builds(nil), chat(nil)).lines(width: nil).map(\.string)
    #expect(
      lines == [
        "1,302 notifications in the last 30 days, 102 items",
        "",
        "  1,240 ████████████████████ ci · main · build # passed",
        "        40 items · opened 0 % · answered 0 % · handled 75 %, half of them within 35s",
        "",
        "     62 █                    Team chat · no group",
        "        opened 50 % · answered 1 % · handled 0 %",
      ])
    #expect(
      text().lines(width: nil).map(\.string) == ["0 notifications in the last 30 days, 0 items"])
  }

  @Test(
    "advice is a command with the rule that helps",
    arguments: [
      (NoiseAdvice.collapse, "--collapse ignoring-numbers"), (.lower, "--level low"),
      (.silence, "--silent"),
    ])
  func commands(advice: NoiseAdvice, options: String) throws {
    let name = "\(advice.rawValue) ci: build # passed"
    let lines = text(builds(advice)).lines(width: nil).map(\.string)
    #expect(
      lines.last
        == "        bellhop rules add '\(name)' --when 'app:ci title~/^build \\d+ passed$/' \(options)"
    )
    let condition = try RulePhrase().condition("app:ci title~/^build \\d+ passed$/").get()
    let content = Content(app: "ci", visual: VisualContent(title: "build 7 passed"))
    var budget = RegularExpression.StepBudget()
    let outcome = condition.matches(content, budget: &budget)
    #expect(outcome == .match)
    #expect(
      text(chat(advice)).command(for: chat(advice))?.string
        == "bellhop rules add '\(advice.rawValue) chat' --when 'app:chat -group:*' \(options)")
    #expect(text(builds(nil)).command(for: builds(nil)) == nil)
  }

  @Test("lines fit the terminal, but a command stays whole")
  func width() {
    let lines = text(builds(), chat(.silence)).lines(width: 40)
    let commands = lines.filter { $0.string.contains("bellhop rules add") }
    #expect(commands.count == 2 && commands[0].width > 40)
    #expect(lines.allSatisfy { $0.width <= 40 || commands.contains($0) })
  }

  @Test(
    "a title that a terminal would not show as it is gives no command",
    arguments: ["\n", "\u{202e}"])
  func hostile(character: String) {
    var line = builds()
    line.title = "build\(character)"
    line.exampleTitle = "build\(character)'; reboot"
    let lines = text(line).lines(width: nil)
    #expect(lines.count == 4)
    #expect(lines.allSatisfy { !$0.string.contains(character) && !$0.string.contains("reboot") })
    (line.title, line.exampleTitle) = ("it's #; reboot", "it's 5; reboot")
    #expect(
      text(line).command(for: line)?.string.hasSuffix(
        "--when 'app:ci title~/^it'\\''s \\d+; reboot$/' --collapse ignoring-numbers") == true)
  }

  @Test(
    "a span is in one unit, rounded up",
    arguments: [
      (0, "1s"), (35_000, "35s"), (35_001, "36s"), (100_000, "100s"), (120_001, "3m"),
      (3_600_000, "1h"), (5_000_000, "84m"), (7_200_001, "3h"), (200_000_000, "3d"),
    ] as [(Int64, String)])
  func spans(milliseconds: Int64, text: String) {
    #expect(NoiseText.span(.milliseconds(milliseconds)) == text)
  }
}
