package import BellhopServer

/// Runs a server around `body`, and shuts it down afterwards.
package func withRunningServer(
  _ server: StoreServer, on listeners: [Listener] = [.tcp(host: "127.0.0.1", port: 0)],
  _ body:
    @escaping @Sendable (_ addresses: [Listener], _ running: RunningServer) async throws ->
    Void
) async throws {
  let (ready, source) = AsyncStream<[Listener]>.makeStream()
  let running = try RunningServer(
    server, on: listeners, stopsOnSignals: false, ready: { source.yield($0) })
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask {
      defer { source.finish() }
      try await running.run()
    }
    group.addTask {
      var addresses = ready.makeAsyncIterator()
      // A server that did not start throws the better error itself.
      guard let addresses = await addresses.next() else { return }
      do {
        try await body(addresses, running)
      } catch {
        await running.shutDown()
        throw error
      }
      await running.shutDown()
    }
    try await group.waitForAll()
  }
}
