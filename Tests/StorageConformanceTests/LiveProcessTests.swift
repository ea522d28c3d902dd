import BellhopModel
import BellhopStore
import Testing

@Suite("Rates of several processes")
struct LiveProcessTests {
  @Test("a share is a part of a limit, and at least 1")
  func shares() {
    let processes = LiveProcesses()
    #expect(processes.count == 1 && processes.share(of: 10) == 10)
    processes.note(3)
    #expect(processes.share(of: 10) == 3 && processes.share(of: 2) == 1)
    processes.note(0)
    #expect(processes.count == 1)
  }

  @Test("each process grants its share of the publications of an app")
  func publications() async throws {
    var limits = StoreLimits()
    limits.appPublishesPerMinute = 6
    let store = try await StoreUnderTest(.memory, limits: limits)
    store.service.processes.note(3)
    // An item takes a millisecond of the bucket's time.
    for number in 0..<2 { try await store.publish("\(number)", app: "ci") }
    let refusal = try await storeError { try await store.publish("2", app: "ci") }
    guard case .tooManyRequests(let wait)? = refusal else {
      Issue.record("a third publication was accepted")
      return
    }
    #expect(wait > .seconds(29) && wait <= .seconds(30))
    // When the others end, this process grants the whole rate.
    store.service.processes.note(1)
    store.clock.advance(by: .seconds(60))
    for number in 0..<6 { try await store.publish("later \(number)", app: "ci") }
    #expect(try await storeError { try await store.publish("7", app: "ci") } != nil)
  }
}
