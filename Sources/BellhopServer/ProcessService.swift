internal import BellhopStore
internal import Logging
internal import ServiceLifecycle

/// A service that sends heartbeats while several processes serve one storage.
///
/// The store leaves the other processes when it is closed, after all services have ended.
struct ProcessService: Service {
  let server: StoreServer

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var isFailing = false
      while !Task.isCancelled {
        do { try await server.environment.sleep(ServingProcess.beatInterval) } catch { return }
        server.noteConcerns()
        let before = server.store.processes.count
        do {
          try await server.store.beat()
          if isFailing { server.logger.notice("heartbeats reach the storage again") }
          isFailing = false
        } catch {
          if !isFailing {
            server.logger.warning(
              "a heartbeat did not reach the storage; other processes take over the work",
              metadata: ["detail": .string(String(describing: error))])
          }
          isFailing = true
        }
        // The hooks of a process that ended are called at once, not when they are due here.
        if server.store.processes.count < before { server.hooks.checkAll() }
      }
    }
  }
}
