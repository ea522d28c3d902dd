import BellhopClient
import BellhopInbox
import BellhopModel
import Testing

@testable import BellhopCommands

@Suite("Files of rules")
struct RuleFileTests {
  private static func id(_ number: UInt64) -> RuleID { RuleID(high: 0x7000, low: number) }

  private static func condition(_ text: String) throws -> RuleCondition {
    try RulePhrase().condition(text).get()
  }

  private static func actions(_ change: (inout RuleActions) -> Void) -> RuleActions {
    var actions = RuleActions()
    change(&actions)
    return actions
  }

  /// Rules whose orders are descending, so that the file has them in reverse.
  private static func rules(_ definitions: [RuleDefinition]) -> [Rule] {
    zip(definitions, RuleOrder.evenly(definitions.count).reversed()).enumerated().map {
      index, pair in
      Rule(
        id: id(UInt64(index)), definition: pair.0, order: pair.1, isEnabled: index != 1,
        revision: OperationID(high: 1, low: UInt64(index)), sequence: SequenceNumber(7))
    }
  }

  private static func entries(_ text: String) throws -> [RuleFile.Entry] {
    try RuleFile.entries(text, path: "rules.toml")
  }

  @Test("a file of rules is read back as written")
  func roundTrip() throws {
    let evening = try #require(LocalTime("18:00"))
    let all: [RuleActions] = [
      Self.actions { $0.level = .low }, Self.actions { $0.isSilent = true },
      Self.actions { $0.marksRead = true }, Self.actions { $0.dismisses = true },
      Self.actions { $0.snooze = .for(.seconds(90)) },
      Self.actions { $0.snooze = .for(.seconds(RuleSnooze.secondsMax)) },
      Self.actions { $0.snooze = .until(evening) }, Self.actions { $0.pins = true },
      Self.actions { $0.tags = ["ci", "“q”, 'x' \\ \"y\""] }, Self.actions { $0.group = "a\tb" },
      Self.actions { $0.app = "noise" }, Self.actions { $0.collapse = .exact },
      Self.actions { $0.collapse = .ignoringNumbers }, Self.actions { $0.stops = true },
      Self.actions {
        ($0.level, $0.isSilent, $0.marksRead, $0.dismisses) = (.urgent, true, true, true)
        ($0.pins, $0.stops, $0.tags) = (true, true, ["a"])
        ($0.group, $0.app, $0.collapse) = ("g", "a", .exact)
        $0.snooze = .until(evening)
      },
    ]
    let conditions = try [
      "app:ci title~/(?i)passed|fixed/", #"group:"it's \"here\"" body~/\d+\/'\\/"#, "'",
      #"-"a b" level:>=high"#, "title~/a\nb/", "title~/\u{301}/ \"\u{1}\"",
    ].map(Self.condition)
    let definitions = all.enumerated().map { index, actions in
      RuleDefinition(
        name: "rule “\(index)” \"'\\", condition: conditions[index % conditions.count],
        actions: actions, timeZone: index == 6 ? "Europe/Berlin" : nil)
    }
    let rules = Self.rules(definitions)
    let expected = rules.reversed().map { rule in
      RuleFile.Entry(id: rule.id, definition: rule.definition, isEnabled: rule.isEnabled)
    }
    #expect(try Self.entries(RuleFile.text(of: rules)) == expected)
  }

  @Test("a file has what differs from a rule without actions, and no more")
  func written() throws {
    let definition = RuleDefinition(
      name: "passed builds", condition: try Self.condition(#"app:ci title~/passed \d+/"#),
      actions: Self.actions {
        $0.level = .low
        $0.tags = ["ci"]
        $0.snooze = .for(.seconds(7200))
      })
    let text = RuleFile.text(of: Self.rules([definition]))
    let tables = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(
      tables == [
        "[[rule]]", #"id = "00000000-0000-7000-0000-000000000000""#, #"name = "passed builds""#,
        #"when = 'app:ci title~/passed \d+/'"#, #"level = "low""#, #"snooze = "2h""#,
        #"tags = ["ci"]"#,
      ])
    #expect(try Self.entries(RuleFile.text(of: [])) == [])
  }

  @Test("a rule without an id is new, and one tag or a span of several units is understood")
  func newRule() throws {
    let entries = try Self.entries(
      """
      [[rule]]
      name = "a"
      when = "app:ci"
      tags = "x"
      snooze = "1h30m"
      """)
    let entry = try #require(entries.first)
    #expect(entries.count == 1 && entry.id == nil && entry.isEnabled)
    #expect(entry.definition.actions.tags == ["x"])
    #expect(entry.definition.actions.snooze == .for(.seconds(5400)))
    #expect(entry.definition.condition.phrase == "app:ci")
  }

  /// A table without a name, whose condition is in line 2.
  private static func table(_ lines: String...) -> String {
    (["[[rule]]", "when = 'app:ci'"] + lines).joined(separator: "\n")
  }

  @Test(
    "an error names the file, the line and the accepted form",
    arguments: [
      (Self.table("level = \"low\""), 1, "rule[1].name must be a text of 1 to 64 bytes"),
      (Self.table("name = 3", "stop = true"), 3, "rule[1].name must be a text"),
      (
        Self.table("name = \"a\""), 1,
        "another action: silent, read, dismiss, snooze, pin, tags, group"
      ),
      (Self.table("name = \"a\"", "level = \"loud\""), 4, "must be \"min\", \"low\", \"normal\""),
      (Self.table("name = \"a\"", "silent = \"yes\""), 4, "rule[1].silent must be true or false"),
      (Self.table("name = \"a\"", "snooze = \"25:00\""), 4, "such as \"2h\""),
      (Self.table("name = \"a\"", "snooze = \"366d\""), 4, "at most 365 days"),
      (Self.table("name = \"a\"", "tags = [\"\"]"), 4, "at most 8 texts of 1 to 64 bytes"),
      (Self.table("name = \"a\"", "collapse = true"), 4, "\"exact\" or \"ignoring-numbers\""),
      (Self.table("name = \"a\"", "levl = \"low\""), 4, "did you mean level?"),
      (Self.table("name = \"a\"", "id = \"7\"", "stop = true"), 4, "must be a UUID such as"),
      (Self.table("name = \"a\"", "stop = yes"), 4, "yes is not a value; write true"),
      (
        "[[rule]]\nname = \"a\"\nstop = true\nwhen = 'app:ci level:soon'", 4,
        "rule[1].when is not valid at character 14: app:ci level:▸soon · “soon” is not a level"
      ),
      (
        "[[rule]]\nname = \"a\"\nstop = true\nwhen = 'title~/(a/ x'", 4,
        "at character 8: title~/▸(a/ x · At character 1 of the pattern, the group is not closed"
      ),
      (
        "[[rule]]\nname = \"a\"\nstop = true\nwhen = 3", 4,
        "rule[1].when must be a condition such as"
      ),
      ("[[rule]]\nname = \"a\"\nstop = true", 1, "rule[1].when must be a condition such as"),
      ("[rule]\nname = \"a\"", 1, "rule must be at most 200 tables, each under [[rule]]"),
    ])
  func errors(text: String, line: Int, part: String) {
    let error = #expect(throws: ClientError.self) { try Self.entries(text) }
    #expect(error?.exitCode == .badData && error?.next == "No rule was changed.")
    let lines = error?.what.split(separator: "\n").map(String.init) ?? []
    #expect(
      lines.contains { $0.hasPrefix("rules.toml, line \(line): ") && $0.contains(part) },
      "\(lines)")
  }

  @Test("one invalid rule refuses the whole file, with every error in it")
  func wholeFile() throws {
    let valid = "[[rule]]\nname = \"a\"\nwhen = 'app:ci'\nstop = true\n"
    #expect(try Self.entries(valid).count == 1)
    let text = valid + "[[rule]]\nname = \"b\"\nwhen = 'is:read'\npin = 1\n" + valid
    let error = #expect(throws: ClientError.self) { try Self.entries(text) }
    let lines = try #require(error).what.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("rules.toml, line 7: rule[2].when is not valid at ") == true)
    #expect(lines.last?.hasPrefix("rules.toml, line 8: rule[2].pin must be true") == true)
  }

  @Test("two tables cannot have one id, and there are at most 200")
  func wholeList() throws {
    let id = #"id = "00000000-0000-7000-0000-000000000001""#
    let table = "[[rule]]\nname = \"a\"\nwhen = 'app:ci'\nstop = true\n"
    var error = #expect(throws: ClientError.self) {
      try Self.entries(table + id + "\n" + table + table + id)
    }
    #expect(
      error?.what
        == "rules.toml, line 14: rule[3].id is that of rule[1] too. Leave it out for another rule.")
    #expect(try Self.entries(String(repeating: table, count: 200)).count == 200)
    error = #expect(throws: ClientError.self) {
      try Self.entries(String(repeating: table, count: 201))
    }
    #expect(error?.what.contains("at most 200 tables") == true)
  }
}
