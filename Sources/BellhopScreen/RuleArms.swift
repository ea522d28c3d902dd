import BellhopText

/// The sides on which a cell with a rule is joined to its neighbours.
struct RuleArms: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let left = RuleArms(rawValue: 1)
  static let right = RuleArms(rawValue: 2)
  static let up = RuleArms(rawValue: 4)
  static let down = RuleArms(rawValue: 8)

  /// The box-drawing character with these arms.
  ///
  /// A single arm is drawn as a straight line, no arms as a blank.
  var glyph: Glyph { Self.glyphs[Int(rawValue)] }

  private static let glyphs: [Glyph] = (UInt8(0)..<16).map { value in
    let arms = RuleArms(rawValue: value)
    guard !arms.isEmpty else { return .space }
    return switch (arms.isDisjoint(with: [.left, .right]), arms.isDisjoint(with: [.up, .down])) {
    case (false, true): Glyph("─")
    case (true, false): Glyph("│")
    case (false, false), (true, true): joints[arms] ?? Glyph("┼")
    }
  }

  private static let joints: [RuleArms: Glyph] = [
    [.left, .down]: Glyph("┐"), [.right, .down]: Glyph("┌"), [.left, .up]: Glyph("┘"),
    [.right, .up]: Glyph("└"), [.left, .right, .down]: Glyph("┬"),
    [.left, .right, .up]: Glyph("┴"), [.left, .up, .down]: Glyph("┤"),
    [.right, .up, .down]: Glyph("├"),
  ]
}
