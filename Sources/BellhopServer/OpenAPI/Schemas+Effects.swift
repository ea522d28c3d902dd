internal import BellhopModel
internal import BellhopWire

extension Schemas {
  /// The effect of rules on an item; its members are those of the item.
  static let appliedEffect: JSONValue = open(
    [],
    [
      "priority": words(Priority.allCases.map(\.name)), "groupName": text, "targetHostName": text,
      "tags": list(text, max: AppliedEffect.tagsMax), "silent": bool,
      "rules": list(contribution, max: AppliedEffect.rulesMax),
      "exhausted": described(
        list(reference("RuleMark"), max: AppliedEffect.exhaustedMax),
        "Rules that did not act because their searches took too many steps."),
    ])

  /// A rule with the members of the effect that come from it.
  private static let contribution: JSONValue = open(
    ["rule", "parts"],
    [
      "rule": reference("RuleMark"),
      "parts": list(words(AppliedEffect.Part.allCases.map(\.rawValue))),
    ])

  /// A revision of a rule, with its name at that time.
  static let ruleMark: JSONValue = open(
    ["id", "revision", "name"],
    ["id": uuid, "revision": uuid, "name": limited(RuleDefinition.nameBytesMax)])
}
