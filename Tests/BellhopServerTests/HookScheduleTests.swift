import BellhopModel
import BellhopStore
import Testing

@testable import BellhopServer

@Suite("The schedule of hooks")
struct HookScheduleTests {
  private let now = Timestamp(seconds: 1_795_262_400)

  private func subscription(
    _ number: UInt64, user: Int64 = 1, host: String = "a.example", failures: Int = 0
  ) -> Subscription {
    var progress = HookProgress(
      epoch: Epoch("e"), through: .zero, knownNumber: 0, occurredThrough: now)
    progress.delivery.failures = failures
    return Subscription(
      id: SubscriptionID(high: 0, low: number), user: UserID(rawValue: user),
      token: AccessTokenID(high: 1, low: 1),
      request: SubscriptionRequest(
        changeTypes: ChangeTypes([.created]), resource: "me/notifications",
        notificationURL: "https://\(host)/x", expires: .distantFuture),
      created: now, progress: progress)
  }

  private func schedule(
    _ subscriptions: [Subscription], _ adjust: (inout HookConfiguration) -> Void = { _ in }
  ) -> HookSchedule {
    var configuration = HookConfiguration()
    adjust(&configuration)
    var schedule = HookSchedule(configuration)
    for (user, own) in Dictionary(grouping: subscriptions, by: \.user) {
      schedule.replace(own, of: user, at: now)
    }
    return schedule
  }

  @Test("changes are collected for a while, and a resting hook is not called before its time")
  func collecting() {
    let only = subscription(1)
    var schedule = schedule([only])
    #expect(schedule.start(at: now) == [only.key])
    #expect(schedule.start(at: now).isEmpty)
    let end = now.advanced(by: .seconds(1000))
    schedule.finish(only.key, .rest(until: end), at: now)
    #expect(schedule.start(at: now).isEmpty)
    #expect(schedule.nextDue(after: now) == end)
    schedule.itemsChanged(of: UserID(rawValue: 2), at: now)
    #expect(schedule.nextDue(after: now) == end)
    schedule.itemsChanged(of: only.user, at: now)
    let soon = now.advanced(by: .milliseconds(250))
    #expect(schedule.nextDue(after: now) == soon)
    schedule.itemsChanged(of: only.user, at: now.advanced(by: .milliseconds(100)))
    #expect(schedule.nextDue(after: now) == soon)
    #expect(schedule.start(at: soon) == [only.key])
    // Changes made meanwhile are not lost.
    schedule.itemsChanged(of: only.user, at: soon)
    schedule.finish(only.key, .rest(until: end), at: soon)
    #expect(schedule.nextDue(after: soon) == soon.advanced(by: .milliseconds(250)))
  }

  @Test("calls are limited per host, per user and in total")
  func shares() {
    var schedule = schedule((1...5).map { subscription($0, host: "A.example") })
    #expect(schedule.start(at: now).count == 2)
    let sameUser = (1...9).map { subscription($0, host: "h\($0).example") }
    schedule = self.schedule(sameUser)
    let started = schedule.start(at: now)
    #expect(started.count == 4)
    schedule.finish(started[0], .called(isSlow: false), at: now)
    // The one that was called goes behind those that wait.
    let next = schedule.start(at: now)
    #expect(next.count == 1 && !started.contains(next[0]))
    let crowd = (1...40).map { subscription($0, user: Int64($0), host: "h\($0).example") }
    schedule = self.schedule(crowd)
    #expect(schedule.start(at: now).count == 16)
    #expect(schedule.nextDue(after: now) == nil)
  }

  @Test("failing or slow hooks have half of the slots, and the others never wait for them")
  func slowLane() {
    let failing = (1...30).map {
      subscription($0, user: Int64($0), host: "f\($0).example", failures: 1)
    }
    let healthy = (31...60).map { subscription($0, user: Int64($0), host: "h\($0).example") }
    var schedule = schedule(failing + healthy)
    let started = Set(schedule.start(at: now))
    #expect(started.count == 16)
    #expect(started.intersection(failing.map(\.key)).count == 8)
    for key in started.intersection(healthy.map(\.key)) {
      schedule.finish(key, .called(isSlow: true), at: now)
    }
    #expect(Set(schedule.start(at: now)).isSubset(of: healthy.map(\.key)))
  }

  @Test("a host that never answers delays only the hooks of the user who registered it")
  func tarpit() {
    let stuck = (1...20).map { subscription($0, user: 1, host: "tarpit.example") }
    var schedule = schedule(stuck)
    #expect(schedule.start(at: now).count == 2)
    let others = (21...26).map { subscription($0, user: Int64($0), host: "tarpit.example") }
    for other in others { schedule.replace([other], of: other.user, at: now) }
    #expect(Set(schedule.start(at: now)) == Set(others.map(\.key)))
    for other in others { schedule.finish(other.key, .called(isSlow: false), at: now) }
    // The next one of the first user waits for one of that user's own calls to end.
    let next = schedule.start(at: now)
    #expect(next.count == 6 && Set(next) == Set(others.map(\.key)))
    schedule.finish(stuck[0].key, .called(isSlow: true), at: now)
    #expect(schedule.start(at: now).map(\.user) == [stuck[0].user])
  }

  @Test("a removed hook is dropped, even during a call, and its slots are free again")
  func gone() {
    let two = [subscription(1), subscription(2)]
    var schedule = schedule(two)
    #expect(schedule.start(at: now).count == 2)
    schedule.replace([], of: two[0].user, at: now)
    #expect(schedule.entries.isEmpty && schedule.users.isEmpty)
    let third = subscription(3)
    schedule.replace([third], of: third.user, at: now)
    #expect(schedule.start(at: now).isEmpty)
    schedule.finish(two[0].key, .called(isSlow: false), at: now)
    #expect(schedule.start(at: now) == [third.key])
    schedule.finish(two[1].key, .gone, at: now)
    schedule.finish(third.key, .gone, at: now)
    #expect(schedule.entries.isEmpty && schedule.runningCount == 0)
  }

  @Test("a hook that moved to another host during a call frees the old one's slot")
  func moved() {
    let old = subscription(1)
    var schedule = schedule([old], { $0.connectionsPerHostMax = 1 })
    #expect(schedule.start(at: now) == [old.key])
    let moved = subscription(1, host: "b.example")
    schedule.replace([moved], of: old.user, at: now)
    schedule.finish(old.key, .called(isSlow: false), at: now)
    let other = subscription(2)
    schedule.replace([moved, other], of: old.user, at: now)
    #expect(schedule.start(at: now).count == 2)
  }
}
