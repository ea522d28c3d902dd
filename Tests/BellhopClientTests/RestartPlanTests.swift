import Testing

@testable import BellhopClient

@Suite("Restarts of a private store")
struct RestartPlanTests {
  /// Checks the store whenever the plan asks for it, and returns the times of the starts.
  private func starts(
    _ plan: inout RestartPlan, within limit: Duration,
    _ condition: (Duration) -> PrivateStore.Condition
  ) -> [Duration] {
    var starts: [Duration] = []
    while let instant = plan.nextCheck, instant <= limit {
      guard plan.decide(condition(instant), at: instant) == .start else { continue }
      starts.append(instant)
      plan.noteStart(at: instant)
    }
    return starts
  }

  @Test("a store that ended is started after a second, then less often, without end")
  func backOff() {
    var plan = RestartPlan()
    plan.noteUnreachable(at: .seconds(100))
    let seconds = starts(&plan, within: .seconds(400)) { _ in .ended }.map { $0 / .seconds(1) }
    #expect(seconds == [101, 103, 107, 115, 131, 163, 223, 283, 343])
  }

  @Test("a store that the user stopped is checked now and then, and not started")
  func stopped() {
    var plan = RestartPlan()
    plan.noteUnreachable(at: .zero)
    #expect(starts(&plan, within: .seconds(3600)) { _ in .stopped }.isEmpty)
    #expect(plan.nextCheck == .seconds(3610))
    // The user has started it meanwhile, and it crashed.
    #expect(starts(&plan, within: .seconds(3610)) { _ in .ended } == [.seconds(3610)])
  }

  @Test("a store that runs and does not answer is left alone")
  func hanging() {
    var plan = RestartPlan()
    plan.noteUnreachable(at: .zero)
    #expect(starts(&plan, within: .seconds(600)) { _ in .running }.isEmpty)
    plan.noteReachable()
    #expect(plan.nextCheck == nil && plan.decide(.ended, at: .seconds(700)) == .leave)
  }

  @Test("a store that crashes at once is not started in a tight loop")
  func crashLoop() {
    var plan = RestartPlan()
    var now: Duration = .zero
    var instants: [Duration] = []
    while instants.count < 8 {
      plan.noteUnreachable(at: now)
      while plan.decide(.ended, at: now) == .leave { now = plan.nextCheck ?? now }
      plan.noteStart(at: now)
      instants.append(now)
      plan.noteReachable()
      now += .milliseconds(200)
    }
    let pauses = zip(instants, instants.dropFirst()).map { ($1 - $0) / .seconds(1) }
    #expect(pauses == [2, 4, 8, 16, 32, 60, 60])
  }

  @Test("a store that ran for a while starts with the first wait again")
  func steady() {
    var plan = RestartPlan()
    plan.noteUnreachable(at: .zero)
    _ = starts(&plan, within: .seconds(30)) { _ in .ended }
    plan.noteReachable()
    plan.noteUnreachable(at: .seconds(200))
    #expect(starts(&plan, within: .seconds(202)) { _ in .ended } == [.seconds(201)])
  }

  @Test("repeated reports that the store is unreachable do not delay the start")
  func repeated() {
    var plan = RestartPlan()
    for tenth in 0..<20 { plan.noteUnreachable(at: .milliseconds(Int64(tenth * 100))) }
    #expect(plan.decide(.ended, at: .zero) == .leave)
    #expect(plan.nextCheck == RestartPlan.firstWait)
  }
}
