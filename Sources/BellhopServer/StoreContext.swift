package import Hummingbird
package import Logging
internal import NIOCore

/// The context of a request in the router.
package struct StoreContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The `request-id` of the response.
  var requestID = ""
  /// The IP address of the client; nil for a Unix socket.
  var peer: String?
  /// Whether the connection uses TLS.
  var isEncrypted = false
  /// Whether the request came over a socket.
  var isServed = false
  /// Whether only programs on this machine can reach the listener.
  var isLocal = true
  /// The connection; nil for a request without one.
  var channel: (any Channel)?
  /// The client that waits for the response, also for a request within a batch.
  var client: WaitingClient?

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    peer = source.channel.remoteAddress?.ipAddress
    channel = source.channel
    client = WaitingClient(source.channel)
  }

  /// Creates the context of a request without a connection.
  package init(logger: Logger) {
    coreContext = CoreRequestContextStorage(source: InProcessSource(logger: logger))
  }

  private struct InProcessSource: RequestContextSource {
    var logger: Logger
  }
}
