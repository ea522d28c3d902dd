internal import BellhopCache
package import BellhopClient
internal import BellhopModel
internal import BellhopText

extension Commands {
  /// Runs `bellhop rules apply`, which applies a rule to the items that are there.
  ///
  /// All of it is one operation. `bellhop undo` takes it back.
  ///
  /// - Parameter isConfirmed: Whether the user has agreed. Otherwise the command asks on a terminal.
  /// - Throws: `ClientError`, also during a first synchronisation, and if another device changed the
  ///   rule first.
  package static func applyRule(
    _ context: ClientContext, named name: String, isConfirmed: Bool, waits: Bool
  ) throws {
    let (access, rules) = try rulesToChange(context)
    let rule = try rules.named(name)
    let object = RuleText.object(rule.definition.name)
    let now = try access.storeTime()
    let extent = try extentToApply(rule.definition, access)
    guard extent.count > 0 else {
      return StandardError.say("No items match \(object). Nothing was changed.")
    }
    let items = extent.count.counted("item")
    let question = SafeText("Apply \(object) to \(items)?")
    guard isConfirmed || Question.agrees(question) ?? true else {
      return StandardError.say("Nothing was changed.")
    }
    var changes = RuleChanges { context.newID() }
    changes.apply(RuleReference(rule), through: extent.through, at: now)
    let what = "applied \(object) to \(items)"
    try make(
      changes, access, what, subject: RuleText.subject(rule.definition.name), waits: waits)
    sayDone(what, RuleText.words(rule.definition))
  }

  /// Returns the items to which a rule can be applied.
  ///
  /// - Throws: `ClientError` during a first synchronisation, which has not brought all items yet.
  static func extentToApply(
    _ definition: RuleDefinition, _ access: CacheAccess
  ) throws -> RuleExtent {
    let reader = try access.newReader()
    let extent = try failing { try reader.extent(of: definition.condition) }
    guard let extent else {
      throw ClientError(
        .tryLater,
        "The first synchronisation has not brought all items yet, so "
          + "\(RuleText.object(definition.name)) cannot be applied.",
        next: "Nothing was changed. bellhop sync finishes it.")
    }
    return extent
  }
}
