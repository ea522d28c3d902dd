/// A reducer of failing scenarios: leaves out faults, then steps, while the failure persists.
package struct Shrinker {
  /// The maximum number of runs, so that a failing seed can be examined within minutes.
  package static let runsMax = 600

  private let fails: (Scenario) -> Bool
  private var runs = 0

  /// Creates a shrinker.
  ///
  /// - Parameter fails: Returns whether a scenario fails.
  package init(fails: @escaping (Scenario) -> Bool) { self.fails = fails }

  package mutating func shrunk(_ scenario: Scenario) -> Scenario {
    var smallest = scenario
    for fault in scenario.faults.sorted(by: { $0.rawValue < $1.rawValue }) {
      attempt(smallest.without([fault]), &smallest)
    }
    shrinkSteps(&smallest)
    for fault in smallest.faults.sorted(by: { $0.rawValue < $1.rawValue }) {
      attempt(smallest.without([fault]), &smallest)
    }
    return smallest
  }

  /// Shrinks by delta debugging: tries large parts first, then smaller ones, down to single steps.
  private mutating func shrinkSteps(_ smallest: inout Scenario) {
    var size = max(1, smallest.steps.count / 2)
    while true {
      var start = 0
      var hasShrunk = false
      while start < smallest.steps.count {
        var candidate = smallest
        candidate.steps.removeSubrange(start..<min(start + size, smallest.steps.count))
        if attempt(candidate, &smallest) { hasShrunk = true } else { start += size }
      }
      if size == 1, !hasShrunk { return }
      if !hasShrunk || size > smallest.steps.count { size = max(1, size / 2) }
      if runs >= Self.runsMax { return }
    }
  }

  @discardableResult
  private mutating func attempt(_ candidate: Scenario, _ smallest: inout Scenario) -> Bool {
    guard runs < Self.runsMax else { return false }
    runs += 1
    guard fails(candidate) else { return false }
    smallest = candidate
    return true
  }
}
