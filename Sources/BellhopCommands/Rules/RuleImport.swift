internal import BellhopCache
package import BellhopClient
internal import BellhopModel
internal import BellhopText

/// The changes that make rules as a file has them.
struct RuleImport {
  private(set) var changes: RuleChanges
  private(set) var addedCount = 0
  private(set) var changedCount = 0
  private(set) var removedCount = 0

  /// Compares a file with the rules.
  ///
  /// A table is the rule with its id, or else the one with its name; if there is none, it is a new rule.
  /// Otherwise new rules come last, and the others keep their places.
  ///
  /// - Parameters:
  ///   - rules: The rules, sorted by their order.
  ///   - replaces: Whether the rules become those of the file, in its order.
  /// - Throws: `ClientError` if several rules have the name of a table, or there would be too many.
  init(
    _ entries: [RuleFile.Entry], into rules: [Rule], replaces: Bool,
    newID: @escaping () -> OperationID
  ) throws(ClientError) {
    changes = RuleChanges(newID)
    let known = try Self.rules(meantBy: entries, among: rules)
    let kept = Set(known.compactMap { $0?.id })
    var slots: [Slot] = zip(entries, known).map { Slot(entry: $0, rule: $1) }
    if replaces {
      for rule in rules where !kept.contains(rule.id) {
        changes.remove(rule)
        removedCount += 1
      }
    } else {
      let entries = Dictionary(
        slots.compactMap { slot in slot.rule.map { ($0.id, slot) } }, uniquingKeysWith: { $1 })
      slots = rules.map { entries[$0.id] ?? Slot(rule: $0) } + slots.filter { $0.rule == nil }
    }
    guard slots.count <= RuleSet.rulesMax else {
      throw ClientError(
        .badData, "There would be \(slots.count) rules, and the store allows \(RuleSet.rulesMax).",
        next: "No rule was changed.")
    }
    for (slot, order) in zip(slots, RuleOrder.filling(slots.map { $0.rule?.order })) {
      if let rule = slot.rule {
        let isChanged = changes.edit(
          rule, definition: slot.entry?.definition, order: order, isEnabled: slot.entry?.isEnabled)
        if isChanged { changedCount += 1 }
      } else if let entry = slot.entry {
        changes.add(entry.definition, at: order, isEnabled: entry.isEnabled)
        addedCount += 1
      }
    }
  }

  /// A rule after the import: of the file, one that is there already, or both.
  private struct Slot {
    var entry: RuleFile.Entry?
    var rule: Rule?
  }

  /// Returns the rule that each table stands for; nil for a new one.
  private static func rules(
    meantBy entries: [RuleFile.Entry], among rules: [Rule]
  ) throws(ClientError) -> [Rule?] {
    var known = entries.map { entry in
      entry.id.flatMap { id in rules.first { $0.id == id } }
    }
    var kept = Set(known.compactMap { $0?.id })
    for index in entries.indices where known[index] == nil {
      let name = entries[index].definition.name
      let named = rules.filter { $0.definition.isCalled(name) && !kept.contains($0.id) }
      guard named.count < 2 else {
        let ids = named.map(\.id.description).joined(separator: ", ")
        throw ClientError(
          .badData,
          "\(named.count) rules have the name “\(name)”, and rule[\(index + 1)] has no id.",
          next: "No rule was changed. Give it one of their ids: \(ids)")
      }
      known[index] = named.first
      if let rule = named.first { kept.insert(rule.id) }
    }
    return known
  }

  /// The counts, such as `1 added, 2 changed`.
  var words: String {
    [(addedCount, "added"), (changedCount, "changed"), (removedCount, "removed")]
      .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}

extension Commands {
  /// The largest file of rules: as many as a store keeps, of the largest size.
  private static let ruleFileBytesMax = RuleSet.rulesMax * 8192

  /// Runs `bellhop rules export`, which writes the rules as TOML.
  ///
  /// - Parameter path: A new file; nil or `-` for standard output.
  /// - Throws: `ClientError`, also if the file exists.
  package static func exportRules(
    _ context: ClientContext, to path: String?, isOffline: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: false)
    _ = try access.freshen(isOffline: isOffline)
    let rules = try access.newReader().rules()
    let text = RuleFile.text(of: rules)
    guard let path, path != "-" else {
      // A terminal may interpret the text of a rule. A file must be read back as it is.
      let printed =
        StandardOutput.isTerminal
        ? SafeText(text, lineBreaks: .kept, byteLimit: .max).string : String(text.dropLast())
      _ = StandardOutput.record(printed, endsWithNUL: false)
      return
    }
    guard let file = try NewFile.make(path: path) else {
      throw ClientError(
        .cannotCreate, "\(path) exists already and was not changed.",
        next: "Nothing was exported. Choose another name, or use bellhop rules export > FILE.")
    }
    try file.write(Array(text.utf8))
    try file.finish()
    StandardError.say("Exported \(rules.count.counted("rule")) to \(path).")
  }

  /// Runs `bellhop rules import`: all rules of the file, or none.
  ///
  /// - Parameters:
  ///   - path: The file; `-` for standard input.
  ///   - replaces: Whether to remove the rules that are not in the file.
  ///   - isConfirmed: Whether the user has agreed to that. Otherwise the command asks on a terminal.
  /// - Throws: `ClientError`, with a line for each error in the file.
  package static func importRules(
    _ context: ClientContext, from path: String, replaces: Bool, isConfirmed: Bool, waits: Bool
  ) throws {
    let name = path == "-" ? "standard input" : path
    let text = try FileText.read(path: path, bytesMax: ruleFileBytesMax)
    let entries = try RuleFile.entries(text, path: name)
    guard !entries.isEmpty else {
      throw ClientError(
        .badData, "\(name) contains no rules.",
        next: "No rule was changed. To remove a rule: bellhop rules remove NAME")
    }
    let (access, rules) = try rulesToChange(context)
    let plan = try RuleImport(entries, into: rules, replaces: replaces) { context.newID() }
    guard !plan.changes.isEmpty else {
      return StandardError.say("The rules are already as in \(name).")
    }
    if plan.removedCount > 0, !isConfirmed {
      let question = SafeText(
        "Remove \(plan.removedCount.counted("rule")) that \(name) does not contain?")
      guard Question.agrees(question) ?? true else {
        return StandardError.say("No rule was changed.")
      }
    }
    let what = "imported rules from \(name)"
    try make(plan.changes, access, what, subject: nil, waits: waits)
    sayDone(what, plan.words)
  }
}
