internal import BellhopCache
package import BellhopClient
internal import BellhopModel
internal import BellhopText

/// The options of `bellhop rules test`, as typed.
package struct RuleTest: Sendable {
  /// The items, by number, id, or the beginning of an id; none for a preview.
  package var items: [String]
  /// The condition to test; nil for rules.
  package var condition: String?
  /// The rule to test, also if it is disabled; nil for all that are enabled.
  package var rule: String?
  package var isOffline: Bool

  package init(items: [String], condition: String?, rule: String?, isOffline: Bool) {
    self.items = items
    self.condition = condition
    self.rule = rule
    self.isOffline = isOffline
  }
}

extension Commands {
  /// Runs `bellhop rules test`, which prints what rules would do with items that were published now.
  ///
  /// Without items it prints a preview of a condition or of a rule.
  ///
  /// It changes nothing, and reads the items in this device's cache.
  ///
  /// - Throws: `ClientError`.
  package static func testRules(_ context: ClientContext, _ test: RuleTest) throws {
    let access = try CacheAccess(context, startsStore: false)
    _ = try access.freshen(isOffline: test.isOffline)
    guard !test.items.isEmpty else { return try showPreview(test, access) }
    let names = try test.items == ["-"] ? StandardInput.names() : test.items
    let items = try names.map { try access.item(named: $0, consequence: nil) }
    let labels = try labels(of: items, access)
    if let text = test.condition {
      let condition = try FilterOption.condition(
        text, appNames: try access.reader().displayNames())
      for (item, label) in zip(items, labels) {
        let verdict = RuleText.verdict(of: condition, on: item.notification.content)
        StandardOutput.line(label + ": " + SafeText(verdict))
      }
      return
    }
    var rules = try access.newReader().rules()
    if let name = test.rule {
      var rule = try rules.named(name, consequence: nil)
      rule.isEnabled = true
      rules = [rule]
    }
    let now = try access.storeTime()
    for (item, label) in zip(items, labels) {
      StandardOutput.line(label)
      let lines = RuleText.verdict(
        of: rules, on: item.notification.content, at: now, clock: SystemClock.wallClock)
      for line in lines {
        StandardOutput.line("  " + SafeText(line, byteLimit: SafeText.bodyBytesMax))
      }
    }
  }

  /// Prints what a new last rule with a condition, or a rule in its place, would have done.
  private static func showPreview(_ test: RuleTest, _ access: CacheAccess) throws {
    let rules = try access.newReader().rules()
    var (subject, earlier) = ("The condition", rules)
    let condition: RuleCondition
    if let text = test.condition {
      condition = try FilterOption.condition(
        text, appNames: try access.reader().displayNames())
    } else if let name = test.rule {
      let rule = try rules.named(name, consequence: nil)
      condition = rule.definition.condition
      subject = RuleText.subject(rule.definition.name)
      earlier = Array(rules.prefix { $0.id != rule.id })
    } else {
      throw ClientError(
        .usage, "The items are missing.",
        next: "Name items, such as bellhop rules test 12, or use --when or --rule for a preview.")
    }
    let preview = try preview(
      of: condition, after: earlier, access, samples: RulePreviewText.samplesMax)
    let lines = try lines(of: preview, access, width: StandardOutput.width)
    let text = RulePreviewText(preview: preview, subject: subject)
    StandardOutput.line(SafeText(text.sentence(listing: lines.count)))
    for line in lines { StandardOutput.line(line) }
  }

  /// Runs `bellhop rules undo`, which takes back what rules did to items. `bellhop undo` reverts it.
  ///
  /// Registers that a device or a publisher changed since then stay as they are.
  ///
  /// - Throws: `ClientError`.
  package static func undoRules(
    _ context: ClientContext, names: [String], waits: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: false)
    let names = try names == ["-"] ? StandardInput.names() : names
    // Looks up all names before it changes anything.
    let items = try items(named: names, access)
    let labels = try labels(of: items, access)
    var operations: [BellhopModel.Operation] = []
    var change = CommandChange(summary: "")
    var changed: [SafeText] = []
    for (item, label) in zip(items, labels) {
      let made = item.notification.operationsTakingBackRules { context.newID() }
      operations += made
      change.undo += made.compactMap {
        $0.undo(id: context.newID(), before: item.notification)
      }
      if made.isEmpty {
        StandardError.say("No rule changed " + label + ".")
      } else {
        changed.append(label)
      }
    }
    guard let first = changed.first else { return }
    let object = changed.count == 1 ? first : SafeText("\(changed.count) items")
    let phrase = "took back what rules did to " + object
    change.summary = phrase.string
    if items.count == 1 { change.subject = items[0].notification.numberOrID }
    let now = try access.storeTime()
    try failing { try access.storage().enqueue(operations, remembering: change, now: now) }
    StandardError.say(ChangeText.sentence(phrase))
    try send(access, waits: waits, operations: operations)
    try reportOutcomes(access, of: Set(operations.map(\.id)))
  }
}
