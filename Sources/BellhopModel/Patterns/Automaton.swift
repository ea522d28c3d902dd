/// A nondeterministic automaton by Thompson's construction, without captures.
///
/// [Regular Expression Matching Can Be Simple And Fast](https://swtch.com/~rsc/regexp/regexp1.html)
/// describes the method.
struct Automaton: Sendable {
  /// The number of a state. ``RegularExpression/statesMax`` fits.
  typealias Index = UInt16

  /// A state, with those that follow it.
  enum State: Hashable, Sendable {
    /// Reads one scalar, which is stored folded if the automaton ignores case.
    case scalar(Unicode.Scalar, then: Index)
    /// Reads a scalar of the set with this number.
    case set(Index, then: Index)
    /// Continues in two states without reading a scalar.
    case fork(Index, Index)
    /// Continues without reading a scalar at the start of the text only.
    case textStart(then: Index)
    /// Continues without reading a scalar at the end of the text only.
    case textEnd(then: Index)
    case match
  }

  private(set) var states: [State] = [.match]
  private(set) var start: Index = 0
  let sets: [ScalarSet]
  let ignoresCase: Bool
  /// Whether a match begins at the start of the text only.
  private(set) var isAnchored = false
  /// The ASCII scalars with which a match that is not at the start of the text may begin.
  private var openings = ASCIISet()

  /// Builds the states of a tree. The parser has checked their number.
  init(_ syntax: PatternSyntax) {
    sets = syntax.sets
    ignoresCase = syntax.ignoresCase
    start = add(syntax.root, then: start)
    isAnchored = entries(atEnd: true).isEmpty
    for state in entries(atEnd: false) {
      switch state {
      case .scalar(let scalar, _): openings.insert(scalar, ignoringCase: ignoresCase)
      case .set(let set, _): openings.formUnion(sets[Int(set)].ascii)
      case .fork, .textStart, .textEnd, .match: break
      }
    }
  }

  /// Whether a match that is not at the start of the text may begin with the scalar.
  func mayBegin(with scalar: Unicode.Scalar) -> Bool {
    !scalar.isASCII || openings.contains(scalar)
  }

  /// Returns the states other than forks that follow the start, away from the start of a text.
  private func entries(atEnd: Bool) -> [State] {
    var found: [State] = []
    var isKnown = Array(repeating: false, count: states.count)
    var open = [start]
    while let index = open.popLast() {
      guard !isKnown[Int(index)] else { continue }
      isKnown[Int(index)] = true
      let state = states[Int(index)]
      switch state {
      case .fork(let first, let second): open += [first, second]
      case .textEnd(let next): if atEnd { open.append(next) }
      case .textStart: break
      case .scalar, .set, .match: found.append(state)
      }
    }
    return found
  }

  // MARK: - Construction, from the end to the start

  private mutating func append(_ state: State) -> Index {
    states.append(state)
    return Index(states.count - 1)
  }

  /// Adds the states of a node, which continue in `next`, and returns the first of them.
  private mutating func add(_ node: PatternNode, then next: Index) -> Index {
    switch node.kind {
    case .empty: return next
    case .scalar(let scalar): return append(.scalar(scalar, then: next))
    case .set(let set): return append(.set(Index(set), then: next))
    case .textStart: return append(.textStart(then: next))
    case .textEnd: return append(.textEnd(then: next))
    case .sequence(let nodes):
      var first = next
      for node in nodes.reversed() { first = add(node, then: first) }
      return first
    case .alternatives(let nodes):
      var first: Index?
      for node in nodes.reversed() {
        let begin = add(node, then: next)
        first = first.map { append(.fork(begin, $0)) } ?? begin
      }
      return first ?? next
    case .repeated(let node, let minimum, let maximum):
      return add(node, from: minimum, through: maximum, then: next)
    }
  }

  /// Adds a node that is repeated: copies that are needed, then optional copies or a loop.
  private mutating func add(
    _ node: PatternNode, from minimum: Int, through maximum: Int?, then next: Index
  ) -> Index {
    var first = next
    var needed = minimum
    if let maximum {
      for _ in minimum..<maximum {
        let copy = add(node, then: first)
        first = append(.fork(copy, next))
      }
    } else {
      // The loop is known before its body, and gets its value after it.
      let loop = append(.match)
      let body = add(node, then: loop)
      states[Int(loop)] = .fork(body, next)
      first = minimum > 0 ? body : loop
      needed = max(0, minimum - 1)
    }
    for _ in 0..<needed { first = add(node, then: first) }
    return first
  }
}
