internal import BellhopModel
internal import FoundationEssentials

/// The limits of a rule that its decoder does not check. Each refusal names the field and the accepted
/// values.
struct DefinitionRules {
  /// The largest rule in JSON. Two hundred of these still fit into a page of a delta.
  static let bytesMax = 8192

  let now: Timestamp
  /// The time zones that the store knows.
  let wallClock: WallClock
  let limits: StoreLimits

  /// Throws ``StoreError/invalid(field:expectation:)`` for the first broken limit.
  func check(_ rule: Rule) throws {
    let definition = rule.definition
    let actions = definition.actions
    try ContentRules.checkListedName(definition.name, "definition.name")
    for tag in actions.tags { try ContentRules.checkText(tag, "definition.actions.tags") }
    if let group = actions.group { try check(group: group) }
    if let app = actions.app, !ContentRules.isAppName(app) {
      throw StoreError.invalid(
        field: "definition.actions.targetHostName",
        expectation: "a domain or topic, such as ci.example.com")
    }
    if let zone = definition.timeZone {
      guard AppRules.isTimeZone(zone), wallClock.offsetSeconds(now, zone) != nil else {
        throw StoreError.invalid(
          field: "definition.timeZone",
          expectation: "the name of a time zone that the store knows, such as Europe/Berlin")
      }
    }
    guard rule.byteCount <= Self.bytesMax else {
      throw StoreError.invalid(
        field: "definition", expectation: "a rule of at most \(Self.bytesMax) bytes as JSON")
    }
  }

  private func check(group: String) throws {
    guard !group.isEmpty, group.utf8.count <= limits.nameBytesMax else {
      throw StoreError.invalid(
        field: "definition.actions.groupName", expectation: "1 to \(limits.nameBytesMax) bytes")
    }
    try ContentRules.checkText(group, "definition.actions.groupName")
  }
}

extension Rule {
  /// The size of the rule in JSON, in bytes.
  var byteCount: Int {
    // A rule has no value that JSON cannot represent.
    (try? JSONEncoder().encode(self).count) ?? 0
  }
}
