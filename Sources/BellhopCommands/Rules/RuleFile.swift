internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopSettings

/// A TOML file of rules, in the order in which they act.
///
/// The order of the tables stands for ``Rule/order``. Revisions and sequences are not in the file: they
/// belong to one store.
enum RuleFile {
  /// A rule of a file.
  struct Entry: Hashable, Sendable {
    /// The rule's id; nil for the rule of this name, or for a new one.
    var id: RuleID?
    var definition: RuleDefinition
    var isEnabled: Bool

    init(id: RuleID?, definition: RuleDefinition, isEnabled: Bool = true) {
      self.id = id
      self.definition = definition
      self.isEnabled = isEnabled
    }
  }

  private static let head = """
    # Rules of Bellhop, in the order in which they act. Edit them, and read them back with
    # bellhop rules import. Without an id, a table is the rule of that name, or a new one.

    """

  /// Returns a file with these rules, sorted by their order.
  static func text(of rules: some Sequence<Rule>) -> String {
    let entries = rules.inOrder().map { rule in
      Entry(id: rule.id, definition: rule.definition, isEnabled: rule.isEnabled)
    }
    return head + (Entry.tables.written(entries).map { "\n\($0)\n" } ?? "")
  }

  /// Reads the rules of a file.
  ///
  /// - Parameter path: The path of the file, for errors.
  /// - Throws: `ClientError` with everything that is wrong, and the line of each.
  static func entries(_ text: String, path: String) throws(ClientError) -> [Entry] {
    let lines = SettingLines(text)
    var entries: [Entry] = []
    var findings = schema.read(text, lines, into: &entries)
    // A table that is wrong is not in the list, so the index of the others is known only without any.
    if findings.isEmpty { findings = flaws(of: entries).map { schema.finding(of: $0, lines) } }
    guard findings.isEmpty else {
      throw ClientError(
        .badData, ConfigurationFinding.text(of: findings, in: path), next: "No rule was changed.")
    }
    return entries
  }

  private static let schema = SettingsSchema<[Entry]>([Entry.tables])

  /// Returns the mistakes that show only when the whole file is known.
  private static func flaws(of entries: [Entry]) -> [SettingError.Part] {
    var tables: [RuleID: String] = [:]
    var parts: [SettingError.Part] = []
    for (index, entry) in entries.enumerated() {
      let table = "rule[\(index + 1)]"
      if entry.definition.actions.isEmpty {
        let others = Entry.actions.map(\.path).filter { $0 != "level" }.joined(separator: ", ")
        parts.append(.init("\(table).level", "must be there, or another action: \(others)."))
      }
      guard let id = entry.id else { continue }
      if let earlier = tables[id] {
        parts.append(
          .init("\(table).id", "is that of \(earlier) too. Leave it out for another rule."))
      } else {
        tables[id] = table
      }
    }
    return parts
  }
}

extension RuleFile.Entry {
  /// The tables of a file.
  fileprivate static let tables = Setting<[RuleFile.Entry]>.tables(
    "rule", \.self, of: schema,
    from: {
      RuleFile.Entry(
        id: nil,
        definition: RuleDefinition(
          name: "", condition: RuleCondition([]), actions: RuleActions()))
    }, countMax: RuleSet.rulesMax, "")

  private static let schema = SettingsSchema<RuleFile.Entry>(
    parts + actions + [timeZone, flag("enabled", \.isEnabled, standard: true)],
    required: ["name", "when"])

  private static let parts: [Setting<RuleFile.Entry>] = [
    .optional(
      "id", \.id, expected: "a UUID such as \"0198c0de-0000-7000-8000-000000000001\"", "",
      written: { TOMLText.quoted($0.description) }, read: { $0.text.flatMap { RuleID($0) } }),
    .value(
      "name", \.definition.name, expected: RuleDefinition.nameForm, "", written: TOMLText.quoted,
      read: { $0.text.flatMap { RuleDefinition.isName($0) ? $0 : nil } }),
    Setting(
      "when", expected: expectedCondition, "",
      written: { TOMLText.literal($0.definition.condition.phrase) },
      read: { (value, entry) throws(SettingError) in
        guard let text = value.text else {
          throw SettingError("when", mustBe: expectedCondition)
        }
        switch RulePhrase().condition(text) {
        case .success(let condition): entry.definition.condition = condition
        case .failure(let problem):
          throw SettingError([.init("when", reason(of: problem, in: text))])
        }
      }),
  ]

  private static let expectedCondition = "a condition such as 'app:ci title~/passed|fixed/'"

  /// The longest condition that an error repeats with a mark at the problem.
  private static let shownMax = 200

  private static func reason(of problem: FilterPhrase.SyntaxError, in text: String) -> String {
    let place = "is not valid at character \(problem.range.lowerBound + 1): "
    guard text.count <= shownMax, !text.contains(where: \.isNewline) else {
      return place + problem.description
    }
    return place + problem.pointing(in: text)
  }

  /// The settings of the actions, in the order of the file.
  fileprivate static let actions: [Setting<RuleFile.Entry>] = [
    .choice(
      "level", \.definition.actions.level,
      among: Priority.allCases.map { (name: $0.name, value: Optional($0)) }, ""),
    flag("silent", \.definition.actions.isSilent),
    flag("read", \.definition.actions.marksRead),
    flag("dismiss", \.definition.actions.dismisses),
    .optional(
      "snooze", \.definition.actions.snooze, expected: RuleSnooze.form, "",
      written: { TOMLText.quoted($0.words) }, read: { $0.text.flatMap { RuleSnooze(words: $0) } }),
    flag("pin", \.definition.actions.pins),
    .value(
      "tags", \.definition.actions.tags,
      expected: "at most \(RuleActions.tagsMax) texts of 1 to \(RuleActions.tagBytesMax) bytes", "",
      written: { $0.isEmpty ? nil : TOMLText.list($0) },
      read: { value in
        guard let tags = value.each(\.text), tags.count <= RuleActions.tagsMax,
          tags.allSatisfy({ (1...RuleActions.tagBytesMax).contains($0.utf8.count) })
        else { return nil }
        return tags
      }),
    name("group", \.definition.actions.group, expected: "the name of a group such as \"builds\""),
    name("move-to", \.definition.actions.app, expected: "the name of an app such as \"noise\""),
    .choice(
      "collapse", \.definition.actions.collapse,
      among: RepeatKey.allCases.map { (name: $0.word, value: Optional($0)) }, ""),
    flag("stop", \.definition.actions.stops),
  ]

  private static let timeZone = name(
    "time-zone", \.definition.timeZone,
    expected: "the IANA name of a time zone such as \"Europe/Berlin\"")

  /// A setting that is in the file only if it differs from the standard.
  private static func flag(
    _ path: String, _ place: any WritableKeyPath<RuleFile.Entry, Bool> & Sendable,
    standard: Bool = false
  ) -> Setting<RuleFile.Entry> {
    .value(
      path, place, expected: "true or false", "",
      written: { $0 == standard ? nil : String($0) }, read: \.flag)
  }

  /// A text that is not empty; the store decides which ones it accepts.
  private static func name(
    _ path: String, _ place: any WritableKeyPath<RuleFile.Entry, String?> & Sendable,
    expected: String
  ) -> Setting<RuleFile.Entry> {
    .optional(
      path, place, expected: expected, "", written: TOMLText.quoted,
      read: { $0.text.flatMap { $0.isEmpty ? nil : $0 } })
  }
}
