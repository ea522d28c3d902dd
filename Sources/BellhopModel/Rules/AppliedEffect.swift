/// The changes that rules make to how an item is listed and announced.
///
/// The content stays as its publisher wrote it: identity, quotas and the answers to publishers use
/// that. Lists, filters, counts and alerts use the content with this effect.
public struct AppliedEffect: Hashable, Sendable {
  /// A part of the effect, under the name of its member.
  public enum Part: String, Hashable, Sendable, Codable, CaseIterable {
    case priority, groupName, tags, targetHostName, silent
  }

  /// A rule with the parts of the effect that come from it.
  public struct Contribution: Hashable, Sendable {
    public var rule: RuleMark
    /// The parts in the order of ``Part``. All but ``Part/tags`` come from one rule only.
    public var parts: [Part]

    public init(rule: RuleMark, parts: [Part]) {
      self.rule = rule
      self.parts = parts
    }
  }

  public var level: Priority?
  public var group: String?
  public var app: String?
  /// The tags that the content does not have, at most ``tagsMax``.
  public var tags: [String] = []
  public var isSilent = false
  /// The rules with a part in the effect, in the order in which they acted.
  public var rules: [Contribution] = []
  /// Rules that did not act because their searches took too many steps, at most ``exhaustedMax``.
  public var exhausted: [RuleMark] = []

  /// The most tags that rules add to an item.
  public static let tagsMax = 16
  /// The most rules with a part in an effect: one for each tag, and one for each other part.
  public static let rulesMax = tagsMax + Part.allCases.count - 1
  /// The number of rules that are listed as ``exhausted``.
  public static let exhaustedMax = 8

  /// The effect of no rule.
  public static let empty = AppliedEffect()

  public init() {}

  /// Adds the effect of a rule's actions on published content.
  ///
  /// The values replace those of earlier rules, and the tags are added to theirs. Tags that the content
  /// has, and those beyond ``tagsMax``, are left out.
  package mutating func add(_ actions: RuleActions, of rule: RuleMark, to content: Content) {
    var added: Set<Part> = []
    if let level = actions.level {
      self.level = level
      added.insert(.priority)
    }
    if let group = actions.group {
      self.group = group
      added.insert(.groupName)
    }
    if let app = actions.app {
      self.app = app
      added.insert(.targetHostName)
    }
    if actions.isSilent {
      isSilent = true
      added.insert(.silent)
    }
    for index in rules.indices { rules[index].parts.removeAll(where: added.contains) }
    for tag in actions.tags where !content.tags.contains(tag) && !tags.contains(tag) {
      guard tags.count < Self.tagsMax else { break }
      tags.append(tag)
      added.insert(.tags)
    }
    note(added, of: rule)
    exhausted.removeAll { $0.id == rule.id }
  }

  /// Removes the names of the rules, and leaves what they do.
  package mutating func removeRules() {
    rules = []
    exhausted = []
  }

  /// Names a rule as the source of parts, and forgets the rules that have none left.
  private mutating func note(_ parts: Set<Part>, of rule: RuleMark) {
    var parts = parts
    if !parts.isEmpty, let known = rules.first(where: { $0.rule == rule }) {
      parts.formUnion(known.parts)
      rules.removeAll { $0.rule == rule }
    }
    rules.removeAll(where: \.parts.isEmpty)
    guard !parts.isEmpty else { return }
    rules.append(Contribution(rule: rule, parts: Part.allCases.filter(parts.contains)))
  }

  /// Names a rule whose searches were given up.
  mutating func noteExhausted(_ rule: RuleMark) {
    if exhausted.count < Self.exhaustedMax { exhausted.append(rule) }
  }
}
