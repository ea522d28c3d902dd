package import Hummingbird
package import Logging
internal import NIOCore

/// What travels with a request through the router.
package struct StoreContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The `request-id` of the answer.
  var requestID = ""
  /// The IP address of the connection's other end; nil for a Unix socket.
  var peer: String?
  /// Whether the connection is under TLS.
  var isEncrypted = false
  /// Whether the request came over a socket.
  var isServed = false
  /// Whether only programs on this machine reach the listener.
  var isLocal = true
  /// The connection; nil for a request that comes from none.
  var channel: (any Channel)?
  /// The client that waits for the answer, also to a request within a batch.
  var client: WaitingClient?

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    peer = source.channel.remoteAddress?.ipAddress
    channel = source.channel
    client = WaitingClient(source.channel)
  }

  /// For requests that come from no connection.
  package init(logger: Logger) {
    coreContext = CoreRequestContextStorage(source: InProcessSource(logger: logger))
  }

  private struct InProcessSource: RequestContextSource {
    var logger: Logger
  }
}
