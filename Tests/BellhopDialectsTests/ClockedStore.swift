import BellhopServer
import BellhopTestSupport

/// A store whose time stands still until a test lets it run.
struct ClockedStore: Sendable {
  let store: InProcessStore
  private let clock: ManualClock

  init() async throws {
    let clock = ManualClock()
    self.clock = clock
    store = try await InProcessStore(
      configure: { $0.sweepInterval = .seconds(1_000_000) },
      adjust: {
        $0.sleep = { try await clock.sleep(for: $0) }
        $0.elapsed = { clock.now.sinceStart }
      })
  }

  /// Advances the time until cancelled, a second each time other tasks have run.
  func runTime() -> Task<Void, Never> {
    Task { [self] in
      await repeatUntilCancelled {
        clock.advance(by: .seconds(1))
        store.time.advance(by: .seconds(1))
      }
    }
  }
}
