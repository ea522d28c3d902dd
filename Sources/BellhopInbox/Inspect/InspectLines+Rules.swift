import BellhopModel
import BellhopText

/// The sections on what rules did to an item, and on its repeats.
extension InspectLines {
  // MARK: - Rules

  /// Each field that a rule has set, as published and as listed, with the rule and its revision.
  var rules: [Outline.Line] {
    let applied = item.state.applied
    let effect = applied.value
    guard applied.change != nil || effect != .empty else { return [] }
    var lines: [Outline.Line] = []
    for part in AppliedEffect.Part.allCases {
      guard let text = self.text(of: part, in: effect) else { continue }
      lines.append(Outline.Line(Self.name(of: part), value: text))
      for contribution in effect.rules where contribution.parts.contains(part) {
        lines += named(contribution.rule)
      }
    }
    for rule in effect.exhausted {
      lines.append(Outline.Line("not evaluated", value: "it takes too many steps"))
      lines += named(rule)
    }
    return lines
      + register("effect", applied, inspection.base.applied) { summary(of: $0) }
  }

  private func named(_ rule: RuleMark) -> [Outline.Line] {
    [
      Outline.Line(
        "rule", value: safe(rule.name) + " (" + safe(rule.id.description) + ")", indent: 2),
      Outline.Line("revision", value: safe(rule.revision.description), indent: 2),
    ]
  }

  private static func name(of part: AppliedEffect.Part) -> SafeText {
    switch part {
    case .priority: "level"
    case .groupName: "group"
    case .tags: "tags"
    case .targetHostName: "app"
    case .silent: "silent"
    }
  }

  /// Returns the published value and that of the rules; nil for a part that no rule has set.
  private func text(of part: AppliedEffect.Part, in effect: AppliedEffect) -> SafeText? {
    let content = item.content
    func change(_ published: String, _ value: String) -> SafeText {
      safe(published) + " → " + safe(value)
    }
    return switch part {
    case .priority: effect.level.map { change(content.priority.name, $0.name) }
    case .groupName: effect.group.map { change(content.group ?? "none", $0) }
    case .tags:
      effect.tags.isEmpty
        ? nil : "added " + SafeText.joined(effect.tags.map { safe($0) }, by: ", ")
    case .targetHostName: effect.app.map { change(content.app, $0) }
    case .silent: effect.isSilent ? change("no", "yes") : nil
    }
  }

  /// Returns the names of the fields that an effect sets.
  private func summary(of effect: AppliedEffect) -> SafeText {
    let names = AppliedEffect.Part.allCases.filter { text(of: $0, in: effect) != nil }.map {
      Self.name(of: $0)
    }
    return names.isEmpty ? "none" : SafeText.joined(names, by: ", ")
  }

  // MARK: - Repeats

  var repeats: [Outline.Line] {
    guard let repeats = item.repeats else { return [] }
    let counts = repeats.buckets.map { SafeText($0.grouped) }
    let length = TimeText.length(
      from: repeats.first, to: repeats.first.advanced(by: .seconds(repeats.bucketSeconds)))
    let lines = [
      Outline.Line("count", value: SafeText(repeats.count.grouped)),
      Outline.Line("first", value: time.exact(repeats.first)),
      Outline.Line("last", value: time.exact(repeats.last)),
      Outline.Line(
        "counts", value: SafeText.joined(counts, by: " ") + ", each of " + length),
    ]
    return lines
      + repeats.earlier.map { round in
        Outline.Line(
          "earlier round",
          value: "×" + SafeText(round.count.grouped) + ", " + time.exact(round.first) + " to "
            + time.exact(round.last))
      }
  }
}
