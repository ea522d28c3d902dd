import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Logging
import Synchronization
import Testing

@testable import BellhopServer

@Suite("A server whose clock is wrong", .timeLimit(.minutes(5)))
struct ClockTests {
  private static let year = Duration.seconds(365 * 86_400)

  @Test("health and the command report that nothing expires, and the command confirms the clock")
  func confirmed() async throws {
    let time = SettableTime()
    let store = try await InProcessStore(time: time)
    let administrator = Administrator.direct(store.server)
    func clock() async throws -> HealthPayload.Clock? {
      try await store.send(.get, "/health").decoded(HealthPayload.self).clock
    }
    let publisher = try await store.publishToken()
    let answer = try await store.send(
      .post, "/nas", token: publisher, text: "Backup finished")
    #expect(answer.status == 200)
    #expect(try await administrator.send(.expire(confirmsClock: false)).clockDoubt == nil)
    #expect(try await clock() == .plausible)
    time.step(by: Self.year * 2)
    let refusal = try await administrator.send(.expire(confirmsClock: false))
    #expect(refusal.expired == 0)
    #expect(refusal.clockDoubt?.contains("730 days later than expected") == true)
    #expect(refusal.clockDoubt?.contains("bellhopd expire --confirm") == true)
    #expect(try await clock() == .implausible)
    #expect(try await store.send(.get, "/health").status == 200)
    let confirmed = try await administrator.send(.expire(confirmsClock: true))
    #expect(confirmed.expired == 1 && confirmed.clockDoubt == nil)
    #expect(try await clock() == .plausible)
  }

  @Test("the log reports a doubtful clock once, and the end of the doubt")
  func logged() async throws {
    let time = SettableTime()
    let lines = Mutex<[String]>([])
    var logger = Logger(label: "test") { _ in
      WarningRecorder { line in lines.withLock { $0.append(line) } }
    }
    logger.logLevel = .notice
    let interval = Duration.seconds(61)
    let (rounds, source) = AsyncStream<Void>.makeStream()
    let sweeps = Mutex(0)
    let store = try await InProcessStore(time: time, logger: logger) {
      $0.sweepInterval = interval
    } adjust: {
      $0.sleep = { duration in
        guard duration == interval else { return try await Task.sleep(for: duration) }
        let count = sweeps.withLock { count in
          count += 1
          return count
        }
        switch count {
        case 1: time.step(by: Self.year)
        case 4: time.step(by: .zero - Self.year)
        case 6:
          source.finish()
          try await Task.sleep(for: .seconds(3600))
        default: break
        }
      }
    }
    try await withRunningServer(store.server) { _, _ in for await _ in rounds {} }
    let told = lines.withLock { $0 }.filter { $0.contains("wall-clock") }
    #expect(
      told == [
        "wall-clock time is implausible: nothing expires",
        "wall-clock time is plausible: items expire again",
      ])
  }
}

/// Passes each line's message on.
private struct WarningRecorder: LogHandler {
  let add: @Sendable (String) -> Void
  var metadata = Logger.Metadata()
  var logLevel = Logger.Level.notice

  init(_ add: @escaping @Sendable (String) -> Void) { self.add = add }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { add("\(event.message)") }
}
