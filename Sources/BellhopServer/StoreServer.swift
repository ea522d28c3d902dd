package import BellhopIdentity
package import BellhopStore
internal import BellhopWire
internal import HTTPTypes
package import Hummingbird
package import Logging

/// The HTTP interface of one `StoreService`: its own endpoints and those of the dialects.
///
/// ``RunningServer`` listens on sockets for it. Tests call the responder directly, through the same
/// router. Only the signal stream needs a connection.
package struct StoreServer: Sendable {
  package let store: StoreService
  package let configuration: ServerConfiguration
  package let environment: ServerEnvironment
  let logger: Logger
  /// The service that signs in devices.
  let grants: DeviceAuthorizationService
  /// The identity provider whose tokens the store accepts in addition to its own.
  let issuer: Issuer?
  /// The service that calls web hooks.
  let hooks: Hooks
  /// The certificates of TLS listeners; nil without TLS.
  let certificates: ServerCertificates?
  /// The token that permits reading `/metrics`.
  let metricsToken: AccessTokenSecret?
  let activity: ServerActivity
  /// The signal streams, which ``RunningServer`` keeps alive.
  let streams: OpenStreams
  /// The streams of topic readers.
  let readers: OpenStreams
  /// The pages of changes that topic readers share.
  package let pages: ChangePages
  /// The description of the native interface.
  let description: ServedDescription
  /// The executor of work on large request bodies.
  let largeBodies = LargeBodies()
  /// The endpoints for all clients.
  let endpoints: [Endpoint]
  private let streamEnds: [String]

  /// - Parameters:
  ///   - dialects: The endpoints that are served in addition to `nativeEndpoints`.
  ///   - certificates: The certificates of TLS listeners.
  ///   - metricsToken: The token that permits reading `/metrics`.
  package init(
    store: StoreService, configuration: ServerConfiguration, environment: ServerEnvironment,
    logger: Logger, dialects: [Endpoint], issuer: Issuer? = nil,
    certificates: ServerCertificates? = nil, metricsToken: AccessTokenSecret? = nil
  ) {
    self.store = store
    self.configuration = configuration
    self.environment = environment
    self.logger = logger
    self.certificates = certificates
    self.metricsToken = metricsToken
    activity = ServerActivity(configuration, among: store.processes)
    streams = OpenStreams(
      heartbeatInterval: configuration.heartbeatInterval, elapsed: environment.elapsed,
      random: environment.random)
    readers = OpenStreams(
      heartbeatInterval: TopicStream.heartbeatInterval, elapsed: environment.elapsed,
      random: environment.random)
    pages = ChangePages(store)
    description = ServedDescription {
      OpenAPIDocument.make(Self.nativeEndpoints, version: configuration.version).bytes
    }
    grants = DeviceAuthorizationService(
      store, configuration.signIn, elapsed: environment.elapsed)
    self.issuer = issuer
    hooks = Hooks(store, configuration, environment, logger)
    endpoints = Self.nativeEndpoints + dialects
    streamEnds = endpoints.filter(\.isStream).map {
      "/" + ($0.pattern.split(separator: "/").last ?? "")
    }
  }

  var verifiers: TokenVerifiers { TokenVerifiers(issuer: issuer, store: store) }

  /// Reloads what may change while the server runs: the certificate.
  ///
  /// An invalid certificate is reported and logged, and the old one stays in use.
  ///
  /// - Returns: The reloaded files and the problems.
  func reload() -> (reloaded: [String], problems: [String]) {
    guard let certificates else { return ([], []) }
    do {
      try certificates.reload()
      logger.notice(
        "certificate reloaded", metadata: ["expires": .string("\(certificates.expires)")])
      return (["certificate, valid until \(certificates.expires)"], [])
    } catch {
      logger.error("certificate not reloaded", metadata: ["detail": .string(error.description)])
      return ([], [error.description + " The previous certificate stays in use."])
    }
  }

  /// The store's own endpoints. A new one is one more element in its own file's list.
  static let nativeEndpoints: [Endpoint] =
    PublishEndpoint.endpoints + PublisherEndpoints.endpoints + BulkEndpoint.endpoints
    + RequestEndpoints.endpoints + CategoryEndpoints.endpoints + AuthorizationEndpoints.endpoints
    + ResponseEndpoint.endpoints + BatchEndpoint.endpoints + FileEndpoints.endpoints
    + TokenEndpoints.endpoints + ListEndpoint.endpoints
    + ItemEndpoints.endpoints
    + DeltaEndpoint.endpoints + SignalEndpoint.endpoints + OperationsEndpoint.endpoints
    + DeviceEndpoints.endpoints + DeviceGrantEndpoints.endpoints + SignInEndpoints.endpoints
    + ResourceMetadataEndpoint.endpoints + AppEndpoints.endpoints
    + SubscriptionEndpoints.endpoints + HealthEndpoints.endpoints + MetricsEndpoint.endpoints
    + OpenAPIEndpoint.endpoints

  /// Whether the path may be that of a stream, judged by its last segment.
  func isStream(_ path: String) -> Bool { streamEnds.contains { path.hasSuffix($0) } }

  /// The audience of a router: all clients, or the owner of the data directory.
  package enum Audience: Hashable, Sendable {
    case everybody
    case administration
  }

  private func endpoints(for audience: Audience) -> [Endpoint] {
    switch audience {
    case .everybody: endpoints
    case .administration:
      AdminEndpoints.endpoints + HealthEndpoints.endpoints + MetricsEndpoint.endpoints
    }
  }

  /// Creates the router with every endpoint. This is fast, but too slow for every request.
  package func makeResponder(
    for audience: Audience = .everybody
  ) -> RouterResponder<StoreContext> {
    makeResponder(for: audience, inner: makeResponder(for: audience, inner: nil))
  }

  /// - Parameter inner: The responder for the requests within a batch.
  private func makeResponder(
    for audience: Audience, inner: RouterResponder<StoreContext>?
  ) -> RouterResponder<StoreContext> {
    let router = Router(context: StoreContext.self)
    router.add(
      middleware: RequestMiddleware(
        store: store, configuration: configuration, environment: environment,
        metrics: activity.metrics))
    for (path, endpoints) in Self.table(of: endpoints(for: audience)) {
      add(endpoints, for: audience, at: path, to: router, inner)
    }
    return router.buildResponder()
  }

  /// The endpoints for all clients, by full path.
  var table: [String: [Endpoint]] { Self.table(of: endpoints) }

  /// Returns the endpoints by full path.
  private static func table(of endpoints: [Endpoint]) -> [String: [Endpoint]] {
    var table: [String: [Endpoint]] = [:]
    for endpoint in endpoints {
      switch endpoint.root {
      case .top: table["/" + endpoint.pattern, default: []].append(endpoint)
      case .native:
        for version in Route.versions {
          table["/\(version)/\(endpoint.pattern)", default: []].append(endpoint)
          guard endpoint.pattern.hasPrefix("me/") else { continue }
          let rest = endpoint.pattern.dropFirst("me/".count)
          table["/\(version)/users/:user/\(rest)", default: []].append(endpoint)
        }
      }
    }
    return table
  }

  private static let methods: [HTTPRequest.Method] = [
    .get, .head, .post, .put, .patch, .delete, .options, .trace, .query,
  ]

  private func add(
    _ endpoints: [Endpoint], for audience: Audience, at path: String,
    to router: Router<StoreContext>, _ inner: RouterResponder<StoreContext>?
  ) {
    var allowed: [HTTPRequest.Method] = []
    for endpoint in endpoints {
      allowed.append(endpoint.method)
      router.on(RouterPath(path), method: endpoint.method) { request, context in
        await answer(endpoint, for: audience, request, context, inner)
      }
      if endpoint.method == .get, !endpoint.isStream {
        allowed.append(.head)
        router.on(RouterPath(path), method: .head) { request, context in
          await answer(endpoint, for: audience, request, context, inner).createHeadResponse()
        }
      }
    }
    for method in Self.methods where !allowed.contains(method) {
      router.on(RouterPath(path), method: method) { [allowed] _, context -> Response in
        if let topic = context.parameters.get("topic"), path.hasPrefix("/:topic/"),
          Route.reservedTopics.contains(topic.lowercased())
        {
          throw RequestError.notFound("There is nothing at this address.")
        }
        throw RequestError.methodNotAllowed(allowed)
      }
    }
  }

  /// Returns the endpoint's response, with errors in its dialect's format.
  private func answer(
    _ endpoint: Endpoint, for audience: Audience, _ request: Request, _ context: StoreContext,
    _ inner: RouterResponder<StoreContext>?
  ) async -> Response {
    do {
      if endpoint.isStream, inner == nil {
        throw RequestError(.badRequest, .notSupported, "A stream cannot be part of a batch.")
      }
      return try await endpoint.handle(
        Exchange(request: request, context: context, server: self, inner: inner))
    } catch {
      let failure = RequestError(error, for: audience)
      context.logger.log(failure)
      return endpoint.dialect.response(
        to: failure, requestID: context.requestID, date: store.now)
    }
  }
}

extension HTTPRequest.Method {
  /// A safe method with a body, which no endpoint supports.
  fileprivate static let query = HTTPRequest.Method("QUERY")!
}
