import AsyncHTTPClient
package import BellhopCache
package import BellhopModel
import BellhopNetwork
import BellhopWire
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// A store over HTTP: TLS to other machines, plain HTTP to this one, or a Unix socket.
///
/// The transport connects with the first request, not when it is created. It does not follow
/// redirects, so that the token goes nowhere else. Every answer has a size limit and a time limit.
package final class HTTPTransport: Transport {
  /// The address of the store, and the device that uses it.
  package struct Configuration: Hashable, Sendable {
    /// The address: `https://host[:port]`, `http://host[:port]` or `unix:/path`.
    package var url: String
    package var device: DeviceID
    /// The name of the device for users.
    package var deviceName: String
    package var platform: String
    /// The environment that the device is registered in.
    package var environment: RegistrationEnvironment
    /// Whether plain HTTP to another machine is allowed, because the user chose it.
    package var allowsInsecureHTTP: Bool
    /// A PEM file with certificates of authorities that are trusted in addition to the system's.
    package var authorityFile: String?

    package init(
      url: String, device: DeviceID, deviceName: String, platform: String = "linux",
      environment: RegistrationEnvironment = .production, allowsInsecureHTTP: Bool = false,
      authorityFile: String? = nil
    ) {
      self.url = url
      self.device = device
      self.deviceName = deviceName
      self.platform = platform
      self.environment = environment
      self.allowsInsecureHTTP = allowsInsecureHTTP
      self.authorityFile = authorityFile
    }
  }

  /// The limits of requests, named so that nothing is unbounded.
  enum Limits {
    /// The maximum size of a page of a delta. A store's pages are far smaller.
    static let pageBytesMax = 64 << 20
    /// The maximum size of any other answer: at most a thousand results of operations.
    static let answerBytesMax = 1 << 20
    static let errorBytesMax = 16 << 10
    static let connect: TimeAmount = .seconds(10)
    static let request: TimeAmount = .seconds(30)
    /// The maximum silence: two heartbeats of a signal channel, and some slack.
    static let silence: TimeAmount = .seconds(70)
  }

  private struct State {
    var client: HTTPClient?
    var clock = StoreClock()
    var isMeasured = false
    var isShutDown = false
    /// The last complete delta without its changes, which is the answer while nothing is new.
    var caughtUp: DeltaPayload?
  }

  let configuration: Configuration
  private let address: StoreURL
  /// The peer of the store, for messages about failures.
  var peer: NetworkPeer { address.peer }
  let localTime: @Sendable () -> Timestamp
  private let tokenSource: any TokenSource
  private let state = Mutex(State())

  /// Creates a transport that has not connected yet.
  ///
  /// - Parameters:
  ///   - localTime: This machine's clock.
  ///   - tokenSource: Called for the bearer token at every request.
  /// - Throws: ``TransportError/insecure(host:)`` or ``TransportError/badAddress(_:)``.
  package init(
    _ configuration: Configuration, localTime: @escaping @Sendable () -> Timestamp,
    tokenSource: any TokenSource
  ) throws(TransportError) {
    address = try StoreURL(
      configuration.url, allowsInsecureHTTP: configuration.allowsInsecureHTTP)
    self.configuration = configuration
    self.localTime = localTime
    self.tokenSource = tokenSource
  }

  /// Creates a transport with a token that does not renew itself.
  ///
  /// - Parameter token: Called at every request, so that a new token takes effect at once.
  package convenience init(
    _ configuration: Configuration, localTime: @escaping @Sendable () -> Timestamp,
    token: @escaping @Sendable () -> String?
  ) throws(TransportError) {
    try self.init(configuration, localTime: localTime, tokenSource: FixedToken(token))
  }

  deinit {
    state.withLock { $0.client.take() }?.shutdown { _ in }
  }

  /// Closes all connections. Later requests fail.
  package func shutdown() async {
    let client = state.withLock { state in
      state.isShutDown = true
      return state.client.take()
    }
    try? await client?.shutdown()
  }

  package func settle() async { await tokenSource.settle() }

  package func reconnect() {
    // The next request makes another client.
    state.withLock { $0.client.take() }?.shutdown { _ in }
  }

  package var clockOffset: Duration? {
    state.withLock { $0.isMeasured ? $0.clock.offset : nil }
  }

  // MARK: Calls

  /// The number of rows in the first page of a first synchronisation.
  ///
  /// A user waits for this page: it is as long as a tall screen, and comes soon. The store chooses
  /// the length of the pages after it.
  static let firstPageRows = 100

  package func pull(_ request: ChangeChunk.Request) async throws(TransportError) -> PullAnswer {
    let route: Route =
      switch request {
      case .page(nil): .delta
      case .page(let cursor?): .deltaPage(cursor.rawValue)
      case .delta(let token): .deltaSince(token)
      }
    var headers: HTTPHeaders = [:]
    var unchanged: DeltaPayload?
    if request == .page(nil) {
      headers.add(name: "Prefer", value: "odata.maxpagesize=\(Self.firstPageRows)")
    }
    if case .delta(let token) = request {
      unchanged = state.withLock { $0.caughtUp.flatMap { $0.end == .complete(token) ? $0 : nil } }
      // An answer without a body means that nothing is new.
      if unchanged != nil { headers.add(name: "If-None-Match", value: "\"\(token)\"") }
    }
    let payload = try await exchange(
      DeltaPayload.self, .GET, route, headers: headers, bytesMax: Limits.pageBytesMax,
      unchanged: unchanged)
    if case .delta = request, case .complete = payload.end {
      var caughtUp = payload
      caughtUp.changes = []
      if !Mutant.validThroughAgain.isOn { caughtUp.validThrough = nil }
      state.withLock { $0.caughtUp = caughtUp }
    }
    return PullAnswer(payload, to: request)
  }

  package func send(_ batch: OutboxBatch) async throws(TransportError) -> SendAnswer {
    let body = OperationsPayload(lineage: batch.lineage, operations: batch.operations)
    let payload = try await exchange(
      OperationsAnswerPayload.self, .POST, .operations(configuration.device),
      body: try Self.encoded(body))
    guard payload.results.map(\.id) == batch.operations.map(\.operation.id) else {
      throw .badAnswer("the results belong to other operations")
    }
    return SendAnswer(results: payload.results.map(\.result), sequence: payload.sequence)
  }

  package func publish(
    _ content: Content, idempotencyKey: String?
  ) async throws(TransportError) -> PublishedItem {
    let headers: HTTPHeaders = idempotencyKey.map { ["Idempotency-Key": $0] } ?? [:]
    let item = try await exchange(
      PublishedPayload.self, .POST, .notifications, headers: headers,
      body: try Self.encoded(PublishPayload(content)))
    return PublishedItem(id: item.id, shortNumber: item.shortNumber)
  }

  package func signals() -> AsyncThrowingStream<SignalEvent, any Error> {
    let channel = SignalChannel(self)
    // The reader's own task reads the connection. Only one task may iterate; see `SignalChannel`.
    return AsyncThrowingStream { try await channel.next() }
  }

  // MARK: Requests

  /// - Parameter unchanged: The answer if the store reports that nothing has changed (304).
  func exchange<Answer: Decodable>(
    _ type: Answer.Type, _ method: HTTPMethod, _ route: Route, headers: HTTPHeaders = [:],
    body: [UInt8]? = nil, bytesMax: Int = Limits.answerBytesMax, unchanged: Answer? = nil
  ) async throws(TransportError) -> Answer {
    do {
      let response = try await respond(
        method, route, headers: headers, body: body, mayBeUnchanged: unchanged != nil)
      if response.status == .notModified, let unchanged { return unchanged }
      let bytes = try await response.body.collect(upTo: bytesMax)
      return try WireJSON.decode(type, from: bytes.readableBytesView)
    } catch {
      throw await explained(error)
    }
  }

  /// Reads a resource; nil if the store has none yet (204).
  func optional<Answer: Decodable>(
    _ type: Answer.Type, _ route: Route
  ) async throws(TransportError) -> Answer? {
    do {
      let response = try await respond(.GET, route, headers: [:], body: nil)
      guard response.status != .noContent else { return nil }
      let bytes = try await response.body.collect(upTo: Limits.answerBytesMax)
      return try WireJSON.decode(type, from: bytes.readableBytesView)
    } catch {
      throw await explained(error)
    }
  }

  /// Performs a call whose answer reports nothing but its success.
  func perform(_ method: HTTPMethod, _ route: Route) async throws(TransportError) {
    do {
      let response = try await respond(method, route, headers: [:], body: nil)
      _ = try await response.body.collect(upTo: Limits.answerBytesMax)
    } catch {
      throw await explained(error)
    }
  }

  /// Returns the head of an answer that is a success, or that reports no change.
  private func respond(
    _ method: HTTPMethod, _ route: Route, headers: HTTPHeaders, body: [UInt8]?,
    mayBeUnchanged: Bool = false
  ) async throws -> HTTPClientResponse {
    var request = request(method, route)
    request.headers.add(contentsOf: headers)
    request.headers.add(name: "Accept", value: "application/json")
    if let body {
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(body)
    }
    let response = try await performSignedIn(request, route, within: Limits.request)
    let isUnchanged = mayBeUnchanged && response.status == .notModified
    guard isUnchanged || (200..<300).contains(response.status.code) else {
      throw try await failure(response, of: route)
    }
    return response
  }

  static func encoded(_ value: some Encodable) throws(TransportError) -> [UInt8] {
    do throws(WireError) {
      return try WireJSON.encode(value)
    } catch {
      throw .badAnswer("a request could not be encoded: \(error.description.clause)")
    }
  }

  /// Returns a request without the token.
  func request(_ method: HTTPMethod, _ route: Route) -> HTTPClientRequest {
    self.request(method, path: route.path)
  }

  /// Returns a request without the token, for a path that is not a route.
  func request(_ method: HTTPMethod, path: String) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: address.url(path))
    request.method = method
    request.headers.add(name: "User-Agent", value: "bellhop")
    return request
  }

  /// Sends a request with the token, and once more if it is refused and there is another token.
  ///
  /// A refused request has had no effect.
  ///
  /// - Parameter limit: The time limit of each attempt; nil for a stream.
  /// - Throws: Also the store's reason not to accept a token.
  func performSignedIn(
    _ request: HTTPClientRequest, _ route: Route, within limit: TimeAmount?
  ) async throws -> HTTPClientResponse {
    var isRepeated = false
    while true {
      let token = try await tokenSource.token()
      var signed = request
      signed.headers.add(name: "Authorization", value: "Bearer " + token)
      signed.headers.add(name: DeviceHeader.name, value: configuration.device.rawValue)
      let deadline = limit.map { NIODeadline.now() + $0 } ?? .distantFuture
      let response = try await perform(signed, deadline: deadline)
      guard response.status == .unauthorized else { return response }
      let failure = try await failure(response, of: route)
      // Another token does not let in a device that was signed out on purpose.
      guard failure == .unauthorized, !isRepeated, try await tokenSource.invalidated(token) else {
        throw failure
      }
      isRepeated = true
    }
  }

  func perform(
    _ request: HTTPClientRequest, deadline: NIODeadline
  ) async throws -> HTTPClientResponse {
    let client = try client()
    let sent = localTime()
    let response = try await client.execute(request, deadline: deadline)
    let received = localTime()
    if let date = response.headers.first(name: "Date").flatMap(HTTPDate.time) {
      state.withLock { state in
        state.clock.observe(date: date, sent: sent, received: received)
        state.isMeasured = true
      }
    }
    return response
  }

  func failure(
    _ response: HTTPClientResponse, of route: Route
  ) async throws -> TransportError {
    let bytes: ByteBuffer?
    do {
      bytes = try await response.body.collect(upTo: Limits.errorBytesMax)
    } catch {
      // Without its body, an answer may be misread. A cancelled request has no answer at all.
      try Task.checkCancellation()
      bytes = nil
    }
    let payload = bytes.flatMap {
      try? WireJSON.decode(ErrorPayload.self, from: $0.readableBytesView)
    }
    let retryAfter = response.headers.first(name: "Retry-After").flatMap {
      Self.wait($0, since: response.headers.first(name: "Date"))
    }
    return TransportError(
      status: Int(response.status.code), payload: payload, retryAfter: retryAfter, route: route)
  }

  /// Converts `Retry-After`: seconds, or a time by the store's own clock (RFC 9110 §10.2.3).
  package static func wait(_ text: String, since date: String?) -> Duration? {
    if let seconds = Int64(text) { return .seconds(max(0, min(seconds, 86_400))) }
    guard let time = HTTPDate.time(text), let now = date.flatMap(HTTPDate.time) else {
      return nil
    }
    return max(.zero, time.duration(since: now))
  }

  private func client() throws(TransportError) -> HTTPClient {
    let client = state.withLock { state -> HTTPClient? in
      if let client = state.client { return client }
      guard !state.isShutDown else { return nil }
      // One event loop for all: with two, each request and each answer would change threads twice.
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      let client = HTTPClient(
        eventLoopGroupProvider: .shared(loop), configuration: clientConfiguration)
      state.client = client
      return client
    }
    guard let client else { throw .cancelled }
    return client
  }

  private var clientConfiguration: HTTPClient.Configuration {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    if let file = self.configuration.authorityFile { tls.additionalTrustRoots = [.file(file)] }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: .init(connect: Limits.connect, read: Limits.silence))
    // The engine decides when to retry. It thus learns of a refused connection at once.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.http1_1ConnectionDebugInitializer = { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(CoalescedFlush(), position: .first)
      }
    }
    return configuration
  }
}
