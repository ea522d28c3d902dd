internal import BellhopStore
internal import Logging
internal import ServiceLifecycle

/// A service that does the work that the store's writes deferred.
///
/// It starts some time after the writes and works in short pieces, with long pauses while the store
/// is under load.
struct CatchUpService: Service {
  let server: StoreServer

  /// The length of a pause under load, as a multiple of the piece before it.
  ///
  /// A tenth of the time is enough for the search index to keep up with thousands of publications a
  /// second.
  private static let pauseUnderLoad = 9
  /// The pause after a failure, such as a full disk.
  private static let pauseAfterFailure = Duration.seconds(10)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      for await _ in server.store.backlog {
        do {
          // Writes that arrive together are handled together.
          try await server.environment.sleep(server.configuration.catchUpDelay)
          try await catchUp()
        } catch {
          return
        }
      }
    }
  }

  /// Does the deferred work until none is left.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  private func catchUp() async throws {
    while true {
      let start = ContinuousClock.now
      do {
        guard case .more(let isUnderLoad) = try await server.store.catchUp() else { return }
        try Task.checkCancellation()
        if isUnderLoad {
          let pause = start.duration(to: .now) * Self.pauseUnderLoad
          try await server.environment.sleep(pause)
        }
      } catch let error as StoreError {
        try Task.checkCancellation()
        server.logger.warning(
          "search indexing failed; searches take longer until it is complete",
          metadata: ["detail": .string(error.description)])
        try await server.environment.sleep(Self.pauseAfterFailure)
      }
    }
  }
}
