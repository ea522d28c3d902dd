/// The neighbours that a cell with a rule is joined to.
struct RuleArms: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let left = RuleArms(rawValue: 1)
  static let right = RuleArms(rawValue: 2)
  static let up = RuleArms(rawValue: 4)
  static let down = RuleArms(rawValue: 8)

  /// The box-drawing character with these arms; a lone arm is drawn as a straight line.
  var glyph: String {
    switch (isDisjoint(with: [.left, .right]), isDisjoint(with: [.up, .down])) {
    case (false, true): "─"
    case (true, false): "│"
    default: Self.joints[self] ?? "┼"
    }
  }

  private static let joints: [RuleArms: String] = [
    [.left, .down]: "┐", [.right, .down]: "┌", [.left, .up]: "┘", [.right, .up]: "└",
    [.left, .right, .down]: "┬", [.left, .right, .up]: "┴", [.left, .up, .down]: "┤",
    [.right, .up, .down]: "├", [.left, .right, .up, .down]: "┼",
  ]
}
