public import Hummingbird
public import Logging

/// What travels with a request through the router.
public struct StoreContext: RequestContext {
  public var coreContext: CoreRequestContextStorage
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

  public init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    peer = source.channel.remoteAddress?.ipAddress
  }

  /// For requests that come from no connection.
  public init(logger: Logger) {
    coreContext = CoreRequestContextStorage(source: InProcessSource(logger: logger))
  }

  private struct InProcessSource: RequestContextSource {
    var logger: Logger
  }
}
