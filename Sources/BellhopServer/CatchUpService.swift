internal import BellhopStore
internal import Logging
internal import ServiceLifecycle

/// Does what the store's writes left for later: some time after them, in short pieces, and while
/// others write with long pauses.
struct CatchUpService: Service {
  let server: StoreServer

  /// A pause after a piece under load, in lengths of the piece: a tenth of the time is enough for
  /// the search index to keep up with thousands of publications a second.
  private static let pauseUnderLoad = 9
  /// After a failure, as of a full disk.
  private static let pauseAfterFailure = Duration.seconds(10)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      for await _ in server.store.backlog {
        do {
          // What is written together is worked off together.
          try await server.environment.sleep(server.configuration.catchUpDelay)
          try await catchUp()
        } catch {
          return
        }
      }
    }
  }

  /// - Throws: when the task is cancelled.
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
          "catching up failed; searches take longer until it is done",
          metadata: ["detail": .string(error.description)])
        try await server.environment.sleep(Self.pauseAfterFailure)
      }
    }
  }
}
