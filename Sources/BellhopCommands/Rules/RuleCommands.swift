internal import BellhopCache
package import BellhopClient
internal import BellhopModel
internal import BellhopText

extension Commands {
  /// Runs `bellhop rules`, which lists the rules in the order in which they act.
  ///
  /// - Throws: `ClientError`.
  package static func rules(_ context: ClientContext, isOffline: Bool, asJSON: Bool) throws {
    let access = try CacheAccess(context, startsStore: false)
    let synced = try access.freshen(isOffline: isOffline).synced
    let rules = try ListedRule.all(
      in: try access.newReader(), since: try startOfPreviews(access))
    for rule in rules {
      if asJSON {
        var line = RuleJSON(rule, account: access.account.name)
        line.synced = synced?.description
        try StandardOutput.jsonLine(line)
      } else {
        StandardOutput.line(rule.line(width: StandardOutput.width))
      }
    }
    if rules.isEmpty, !asJSON, StandardOutput.isTerminal {
      StandardError.say("There are no rules yet. bellhop help rules shows how to add one.")
    }
  }

  /// Runs `bellhop rules add`.
  ///
  /// - Throws: `ClientError`, also for a name that another rule has.
  package static func addRule(
    _ context: ClientContext, named name: String, _ request: RuleRequest, waits: Bool
  ) throws {
    let (access, rules) = try rulesToChange(context)
    try checkIsFree(name, in: rules)
    let definition = try request.definition(
      named: name, appNames: try access.reader().displayNames())
    guard rules.count < RuleSet.rulesMax else {
      throw ClientError(
        .badData, "Not added: \(RejectionText.words(.tooManyRules))", next: "Nothing was changed.")
    }
    let index = try rules.index(for: request.place ?? .last)
    let now = try access.storeTime()
    let extent = request.isApplied ? try extentToApply(definition, access) : nil
    let object = RuleText.object(name)
    let items = extent.map { $0.count.counted("item") }
    let question = "Add \(object)" + (items.map { " and apply it to \($0)" } ?? "") + "?"
    guard
      try request.isConfirmed
        || agrees(to: question, definition, after: Array(rules[..<index]), access)
    else { return StandardError.say("Nothing was changed.") }
    var changes = RuleChanges { context.newID() }
    var order: RuleOrder?
    if index < rules.endIndex {
      var orders = rules.map { Optional($0.order) }
      orders.insert(nil, at: index)
      var filled = RuleOrder.filling(orders)
      order = filled.remove(at: index)
      for (rule, order) in zip(rules, filled) { changes.edit(rule, order: order) }
    }
    let rule = changes.add(definition, at: order, isEnabled: request.isEnabled ?? true)
    if let extent { changes.apply(rule, through: extent.through, at: now) }
    let what = "added \(object)" + (items.map { " and applied it to \($0)" } ?? "")
    try make(changes, access, what, subject: RuleText.subject(name), waits: waits)
    sayDone(what, RuleText.words(definition))
  }

  /// Runs `bellhop rules edit`, which leaves the parts unchanged that the options do not give.
  ///
  /// - Throws: `ClientError`, also if another device changed the rule first.
  package static func editRule(
    _ context: ClientContext, named name: String, _ request: RuleRequest, waits: Bool
  ) throws {
    let (access, rules) = try rulesToChange(context)
    let rule = try rules.named(name)
    if let newName = request.newName {
      try checkIsFree(newName, in: rules.filter { $0.id != rule.id })
    }
    let definition = try request.applied(
      to: rule.definition, appNames: try access.reader().displayNames())
    var changes = RuleChanges { context.newID() }
    guard changes.edit(rule, definition: definition, isEnabled: request.isEnabled) else {
      return StandardError.say("\(RuleText.subject(rule.definition.name)) is already like that.")
    }
    let object = RuleText.object(rule.definition.name)
    let isEnabled = request.isEnabled ?? rule.isEnabled
    var renamed = rule.definition
    renamed.name = definition.name
    let actsAsBefore = definition == renamed && rule.isEnabled
    guard
      try request.isConfirmed || !isEnabled || actsAsBefore
        || agrees(
          to: "Change \(object)?", definition,
          after: Array(rules.prefix { $0.id != rule.id }), access)
    else { return StandardError.say("Nothing was changed.") }
    let what = "changed \(object)"
    try make(
      changes, access, what, subject: RuleText.subject(rule.definition.name), waits: waits)
    sayDone(what, RuleText.words(definition) + (isEnabled ? "" : " · disabled"))
  }

  /// Runs `bellhop rules move`.
  ///
  /// - Throws: `ClientError`.
  package static func moveRule(
    _ context: ClientContext, named name: String, to place: RulePlace, waits: Bool
  ) throws {
    let (access, rules) = try rulesToChange(context)
    let rule = try rules.named(name)
    var others = rules
    others.removeAll { $0.id == rule.id }
    let index = try others.index(for: place)
    var moved = others
    moved.insert(rule, at: index)
    let object = RuleText.object(rule.definition.name)
    guard moved.map(\.id) != rules.map(\.id) else {
      return StandardError.say("\(RuleText.subject(rule.definition.name)) is already there.")
    }
    let orders = RuleOrder.filling(moved.map { $0.id == rule.id ? nil : $0.order })
    var changes = RuleChanges { context.newID() }
    for (rule, order) in zip(moved, orders) { changes.edit(rule, order: order) }
    let what = "moved \(object)"
    try make(
      changes, access, what, subject: RuleText.subject(rule.definition.name), waits: waits)
    sayDone(what, "place \(index + 1) of \(moved.count)")
  }

  /// Runs `bellhop rules remove`.
  ///
  /// - Throws: `ClientError`, also if another device changed the rule first.
  package static func removeRule(
    _ context: ClientContext, named name: String, waits: Bool
  ) throws {
    let (access, rules) = try rulesToChange(context)
    let rule = try rules.named(name)
    var changes = RuleChanges { context.newID() }
    changes.remove(rule)
    let what = "removed \(RuleText.object(rule.definition.name))"
    try make(
      changes, access, what, subject: RuleText.subject(rule.definition.name), waits: waits)
    sayDone(what, "What it did to items stays")
  }

  /// Returns the cache and the rules, as new as the store can be reached.
  static func rulesToChange(
    _ context: ClientContext
  ) throws -> (access: CacheAccess, rules: [Rule]) {
    let access = try CacheAccess(context, startsStore: false)
    _ = try access.freshen(isOffline: false)
    return (access, try access.newReader().rules())
  }

  /// Checks that no rule has a name yet: commands name rules by it.
  private static func checkIsFree(_ name: String, in rules: [Rule]) throws {
    guard let rule = rules.first(where: { $0.definition.isCalled(name) }) else { return }
    throw ClientError(
      .usage, "There is a rule “\(rule.definition.name)” already.",
      next: "Nothing was changed. Choose another name, or change the rule: bellhop rules edit.")
  }

  /// Writes a sentence such as `Added the rule “passed builds”: app:ci → level low.`
  static func sayDone(_ what: String, _ details: String) {
    let sentence = what.prefix(1).uppercased() + String(what.dropFirst())
    StandardError.say("\(sentence): \(details).")
  }

  /// Changes or applies rules in the cache and sends that. `bellhop undo` reverts it.
  ///
  /// - Parameters:
  ///   - what: The change in words, such as `removed the rule “ci”`.
  ///   - subject: The name of the rule at the beginning of a sentence; nil for several rules.
  /// - Throws: `ClientError`, also if the store refuses a change.
  static func make(
    _ changes: RuleChanges, _ access: CacheAccess, _ what: String, subject: String?, waits: Bool
  ) throws {
    let operations = changes.operations
    var made = CommandChange(summary: what, undo: changes.undo, subject: subject)
    if operations.count == 1 { made.settings = operations[0] }
    let now = try access.storeTime()
    try failing {
      try access.storage().enqueue(operations, remembering: made, now: now)
      if operations.contains(where: { $0.appliedRule != nil }) { try overlay(access) }
    }
    _ = try send(access, waits: waits, operations: operations)
    let ids = Set(operations.map(\.id))
    // Includes outcomes that the engine of another process has received.
    let refused = try access.newReader().outcomes(of: nil, limit: RuleSet.rulesMax * 2)
      .filter { ids.contains($0.operation.id) }
    guard let first = refused.first else { return }
    guard operations.count == 1 else {
      try reportOutcomes(access, of: ids)
      throw ClientError(
        .badData, "\(refused.count) of \(operations.count) changes did not apply.",
        next: refused.count < operations.count
          ? "The others did. To take them back: bellhop undo" : "Nothing was changed.")
    }
    guard let error = refusal(first.result, of: subject ?? "The rule") else { return }
    // If this fails, the next screen reports it again.
    try? access.storage().markReported([first.operation.id])
    try? access.storage().forgetCommandChange(of: first.operation.id)
    throw error
  }

  /// Returns the error for a change of one rule that was not carried out; nil if it was.
  static func refusal(_ result: OperationResult, of subject: String) -> ClientError? {
    let unchanged = "Nothing was changed."
    return switch result {
    case .applied, .alreadyApplied: nil
    case .superseded:
      ClientError(
        .tryLater, "\(subject) was changed on another device first.",
        next: "\(unchanged) Check it with bellhop rules, and try again.")
    case .gone:
      ClientError(.noSuchItem, "\(subject) was removed on another device.", next: unchanged)
    case .unacceptable(let fault):
      ClientError(.badData, "Not set: \(RejectionText.words(fault))", next: unchanged)
    case .refused, .notPublished:
      ClientError(.badData, "Not set: the store refused it.", next: unchanged)
    case .outcomeUnknown:
      ClientError(
        .tryLater, "\(subject) may have been changed or not: the store no longer knows.",
        next: "bellhop rules shows it as it is now.")
    }
  }
}
