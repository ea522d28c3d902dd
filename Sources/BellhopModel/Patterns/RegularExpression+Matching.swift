extension RegularExpression {
  /// The result of a search.
  public enum Outcome: Hashable, Sendable {
    /// A part of the text matches.
    case match
    /// The whole text was searched without a match.
    case noMatch
    /// The budget was used up before the result was certain. This counts as no match.
    case givenUp
  }

  /// The steps that remain for all searches of an item.
  ///
  /// A scalar that is read is one step, as is the end of the text. A state that is visited at one place
  /// of the text is one step more.
  public struct StepBudget: Hashable, Sendable {
    /// The steps for all searches of one item, which take a few milliseconds at most.
    public static let stepsPerItemMax = 100_000

    public private(set) var stepsLeft: Int

    /// Creates a budget of this many steps; negative numbers count as 0.
    public init(steps: Int = stepsPerItemMax) { stepsLeft = max(0, steps) }

    /// Takes one step, and returns whether one was left.
    mutating func spend() -> Bool {
      guard stepsLeft > 0 else { return false }
      stepsLeft -= 1
      return true
    }
  }

  /// Searches a text for a part that matches, and takes the steps from the budget.
  ///
  /// A search needs at most (scalars + 1) × (states + 1) steps, and ends at the first match.
  public func matches(in text: String, budget: inout StepBudget) -> Outcome {
    automaton.search(text, budget: &budget)
  }
}

extension Automaton {
  /// Searches a text in memory that is on the stack for all but large automata.
  fileprivate func search(_ text: String, budget: inout RegularExpression.StepBudget)
    -> RegularExpression.Outcome
  {
    let count = states.count
    return withUnsafeTemporaryAllocation(of: Index.self, capacity: 4 * count) { memory in
      memory.initialize(repeating: 0)
      func part(_ number: Int) -> UnsafeMutableBufferPointer<Index> {
        UnsafeMutableBufferPointer(rebasing: memory[number * count..<(number + 1) * count])
      }
      return search(
        text, visited: StateSet(members: part(0), places: part(1)),
        following: StateSet(members: part(2), places: part(3)), budget: &budget)
    }
  }

  /// Follows all states to which the scalars that were read may lead, at the same time.
  private func search(
    _ text: String, visited: consuming StateSet, following: consuming StateSet,
    budget: inout RegularExpression.StepBudget
  ) -> RegularExpression.Outcome {
    var steps = budget
    defer { budget = steps }
    var scalars = text.unicodeScalars.makeIterator()
    var isStart = true
    while true {
      let scalar = scalars.next()
      guard steps.spend() else { return .givenUp }
      if let scalar, !isStart, visited.isEmpty {
        if isAnchored { return .noMatch }
        guard mayBegin(with: scalar) else { continue }
      }
      // A match may begin at each place.
      if isStart || !isAnchored { visited.insert(start) }
      let forms = scalar.map { ScalarForms($0, ignoringCase: ignoresCase) }
      var place = 0
      while place < visited.count {
        guard steps.spend() else { return .givenUp }
        switch states[Int(visited[place])] {
        case .match: return .match
        case .fork(let first, let second):
          visited.insert(first)
          visited.insert(second)
        case .textStart(let next): if isStart { visited.insert(next) }
        case .textEnd(let next): if forms == nil { visited.insert(next) }
        case .scalar(let wanted, let next):
          if forms?.folded == wanted { following.insert(next) }
        case .set(let set, let next):
          if let forms, contains(forms, set) { following.insert(next) }
        }
        place += 1
      }
      guard forms != nil else { return .noMatch }
      swap(&visited, &following)
      following.removeAll()
      isStart = false
    }
  }

  private func contains(_ forms: ScalarForms, _ set: Index) -> Bool {
    forms.original.isASCII
      ? sets[Int(set)].ascii.contains(forms.original) : sets[Int(set)].contains(forms)
  }
}

/// A set of states that lists its members in the order of insertion, also while it grows.
///
/// A sparse set (Briggs and Torczon 1993): `places` has the place of each member in `members`. A state
/// whose place is of another member, or past the end, is not in the set. So clearing it writes nothing.
private struct StateSet: ~Copyable {
  /// Memory for all states of the automaton, as is `places`. The search keeps it longer than the set.
  private let members: UnsafeMutableBufferPointer<Automaton.Index>
  private let places: UnsafeMutableBufferPointer<Automaton.Index>
  private(set) var count = 0

  /// Creates an empty set in initialized memory.
  init(
    members: UnsafeMutableBufferPointer<Automaton.Index>,
    places: UnsafeMutableBufferPointer<Automaton.Index>
  ) {
    self.members = members
    self.places = places
  }

  var isEmpty: Bool { count == 0 }

  subscript(place: Int) -> Automaton.Index { members[place] }

  mutating func insert(_ state: Automaton.Index) {
    let place = Int(places[Int(state)])
    if place < count, members[place] == state { return }
    members[count] = state
    places[Int(state)] = Automaton.Index(count)
    count += 1
  }

  mutating func removeAll() { count = 0 }
}
