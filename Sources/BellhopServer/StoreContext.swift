public import Hummingbird
public import Logging

/// What travels with a request through the router.
public struct StoreContext: RequestContext {
  public var coreContext: CoreRequestContextStorage
  /// The `request-id` of the answer.
  var requestID = ""

  public init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
  }

  /// For requests that come from no connection.
  public init(logger: Logger) {
    coreContext = CoreRequestContextStorage(source: InProcessSource(logger: logger))
  }

  private struct InProcessSource: RequestContextSource {
    var logger: Logger
  }
}
