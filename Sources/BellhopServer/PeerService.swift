internal import BellhopStore
internal import ServiceLifecycle

/// A service that repairs what lost messages of other store processes leave undone.
///
/// Only for a store with peers: a service that returns early ends the server.
struct PeerService: Service {
  let server: StoreServer

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await server.store.followPeers(sleep: server.environment.sleep)
    }
  }
}
