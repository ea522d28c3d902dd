// Without the testing library, because a build of only the programs compiles this module too, with
// a static standard library.
#if canImport(Testing)
  import Dispatch
  import Glibc
  import Synchronization
  package import Testing

  /// Limits how many tests run real programs at the same time, and moves them to separate threads.
  ///
  /// Swift Testing starts every test at once. Hundreds of programs on two cores then take so long
  /// that time limits inside the programs pass. A test that reads a terminal also blocks its
  /// thread; on one of the few shared threads it would stop the tests beside it.
  package struct RealPrograms: TestTrait, SuiteTrait, TestScoping {
    /// The number of tests with real programs that may run at once.
    ///
    /// It keeps every core busy while some tests wait.
    package static let testsMax = max(3, sysconf(Int32(_SC_NPROCESSORS_ONLN)) * 2)

    package var isRecursive: Bool { true }

    package func provideScope(
      for test: Test, testCase: Test.Case?,
      performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
      await Self.permits.take()
      defer { Self.permits.giveBack() }
      try await withTaskExecutorPreference(BlockingExecutor.shared) { try await function() }
    }

    private static let permits = Permits(testsMax)
  }

  extension Trait where Self == RealPrograms {
    /// A trait for tests that run real programs; see ``RealPrograms``.
    package static var realPrograms: Self { RealPrograms() }
  }

  /// A number of permits, granted in the order of the requests.
  private final class Permits: Sendable {
    private struct State {
      var free: Int
      var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    func take() async {
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          if state.free > 0 {
            state.free -= 1
            return true
          }
          state.waiting.append(continuation)
          return false
        }
        if isFree { continuation.resume() }
      }
    }

    func giveBack() {
      let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
        if state.waiting.isEmpty {
          state.free += 1
          return nil
        }
        return state.waiting.removeFirst()
      }
      next?.resume()
    }
  }

  extension Task where Failure == any Error {
    /// A task beside the one of a test with ``RealPrograms``, on the same threads.
    ///
    /// A plain `Task` would run on the threads that all tests share, and could wait there for
    /// minutes.
    package static func besidePrograms(
      _ body: @escaping @Sendable () async throws -> Success
    ) -> Task {
      Task(executorPreference: BlockingExecutor.shared) { try await body() }
    }
  }

  /// Runs tasks on threads that may block, apart from the threads that Swift's tasks share.
  private final class BlockingExecutor: TaskExecutor {
    static let shared = BlockingExecutor()

    private let queue = DispatchQueue(label: "tests.real-programs", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
#endif
