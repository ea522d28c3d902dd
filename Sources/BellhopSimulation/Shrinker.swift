/// Makes a failing scenario small: leaves out faults, then steps, as long as it still fails.
package struct Shrinker {
  /// Runs of the scenario at most; a failing seed should be looked at within minutes.
  package static let runsMax = 600

  private let fails: (Scenario) -> Bool
  private var runs = 0

  /// - Parameter fails: whether a scenario shows the failure.
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

  /// Delta debugging: large parts first, then smaller ones, down to single steps.
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
