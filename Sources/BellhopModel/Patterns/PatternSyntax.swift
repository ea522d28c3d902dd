/// The syntax tree of a regular expression.
struct PatternSyntax: Sendable {
  var root: PatternNode
  /// The classes that the nodes name by their numbers.
  var sets: [ScalarSet]
  var ignoresCase: Bool
}

/// A node of the syntax tree, with the number of states that it needs.
struct PatternNode: Sendable {
  indirect enum Kind: Sendable {
    /// Matches the empty text. No other kind needs zero states, so repeated nodes always add states.
    case empty
    case scalar(Unicode.Scalar)
    case set(Int)
    case textStart
    case textEnd
    case sequence([PatternNode])
    case alternatives([PatternNode])
    /// A node that occurs `minimum` to `maximum` times; without a limit if that is nil.
    case repeated(PatternNode, minimum: Int, maximum: Int?)
  }

  let kind: Kind
  let states: Int

  private init(_ kind: Kind, states: Int) {
    self.kind = kind
    self.states = states
  }

  static let empty = PatternNode(.empty, states: 0)
  static let textStart = PatternNode(.textStart, states: 1)
  static let textEnd = PatternNode(.textEnd, states: 1)

  static func scalar(_ scalar: Unicode.Scalar) -> PatternNode {
    PatternNode(.scalar(scalar), states: 1)
  }

  static func set(_ number: Int) -> PatternNode { PatternNode(.set(number), states: 1) }

  static func sequence(_ nodes: [PatternNode]) -> PatternNode {
    let nodes = nodes.filter { $0.states > 0 }
    if nodes.count < 2 { return nodes.first ?? .empty }
    return PatternNode(.sequence(nodes), states: nodes.reduce(0) { $0 + $1.states })
  }

  static func alternatives(_ nodes: [PatternNode]) -> PatternNode {
    if nodes.count < 2 { return nodes.first ?? .empty }
    let forks = nodes.count - 1
    return PatternNode(.alternatives(nodes), states: nodes.reduce(forks) { $0 + $1.states })
  }

  static func repeated(_ node: PatternNode, minimum: Int, maximum: Int?) -> PatternNode {
    guard node.states > 0, maximum != 0 else { return .empty }
    let forks = maximum.map { $0 - minimum } ?? 1
    return PatternNode(
      .repeated(node, minimum: minimum, maximum: maximum),
      states: node.states * (maximum ?? max(1, minimum)) + forks)
  }
}
