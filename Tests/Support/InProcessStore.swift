import BellhopDialects
package import BellhopIdentity
package import BellhopModel
package import BellhopServer
package import BellhopStore
import BellhopStoreMemory
import BellhopWire
package import HTTPTypes
import Hummingbird
package import Logging
import Synchronization

/// A whole store without a network: the real router over a real service, with a settable clock.
///
/// The stream of signals needs a connection; here, read `service.signals(for:)` instead.
package final class InProcessStore: Sendable {
  /// An answer with its body read to the end.
  package struct Answer: Sendable {
    package var status: Int
    package var headers: HTTPFields
    package var body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns a header by its name, in any case.
    package func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }

    package func decoded<Payload: Decodable>(_ type: Payload.Type) throws -> Payload {
      try WireJSON.decode(type, from: body)
    }
  }

  package let service: StoreService
  package let server: StoreServer
  package let time: SettableTime
  private let responder: RouterResponder<StoreContext>
  private let logger: Logger

  /// Opens a store on the backend, or in memory if it is nil, with these users; existing ones stay.
  ///
  /// - Parameters:
  /// - wallClock: The clock of the service and of the server.
  /// - peers: The channel to other services over the backend, which may write too.
  package init(
    on backend: (any StorageBackend)? = nil, users: [String] = ["me"],
    limits: StoreLimits = StoreLimits(), isSoleWriter: Bool = true,
    time: SettableTime = SettableTime(), seed: UInt64 = 1,
    issuer: Issuer? = nil, certificates: ServerCertificates? = nil,
    metricsToken: AccessTokenSecret? = nil, logger: Logger? = nil,
    shelf: (any BlobStore)? = MemoryShelf(), wallClock: WallClock = .utc,
    peers: (any PeerChannel)? = nil,
    configure: (inout ServerConfiguration) -> Void = { _ in },
    adjust: (inout ServerEnvironment) -> Void = { _ in },
    workUptime: (@Sendable () -> Duration)? = nil
  ) async throws {
    let random = Mutex(SeededRandom(seed: seed))
    let source = RandomSource(random: random)
    self.time = time
    service = try await StoreService.open(
      .starting, on: backend ?? MemoryBackend(),
      environment: StoreEnvironment(
        now: { time.now }, random: { source.next() }, uptime: { time.elapsed },
        workUptime: workUptime, wallClock: wallClock),
      limits: limits, isSoleWriter: isSoleWriter && peers == nil, shelf: shelf, peers: peers)
    for user in users where try await !service.users().contains(where: { $0.name == user }) {
      try await service.addUser(named: user)
    }
    var silent = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    silent.logLevel = .critical
    self.logger = logger ?? silent
    var configuration = ServerConfiguration(version: "0-test")
    // A machine under load may take longer than the product's limit.
    configuration.readinessTimeout = .seconds(600)
    configure(&configuration)
    var environment = ServerEnvironment(
      makeRequestID: { String(source.next(), radix: 16) },
      sleep: { try await Task.sleep(for: $0) },
      elapsed: { time.elapsed }, wallClock: wallClock)
    adjust(&environment)
    server = StoreServer(
      store: service, configuration: configuration, environment: environment,
      logger: self.logger, dialects: Dialects.endpoints, issuer: issuer, certificates: certificates,
      metricsToken: metricsToken)
    responder = server.makeResponder()
  }

  /// Creates a device token; with an id, its device is registered.
  package func deviceToken(
    _ device: DeviceID? = nil, of name: String = "me"
  ) async throws -> String {
    let user = try await service.user(named: name)
    let minted = try await service.mintToken(
      named: "device token", scope: .device(nil), for: user.id)
    if let device {
      _ = try await service.register(
        DeviceRegistration(
          id: device, name: "The \(device)", platform: "test", channel: .signal),
        with: minted.token.id, for: user.id)
    }
    return minted.secret.text
  }

  /// Creates a publish token for some apps, or any.
  package func publishToken(
    for apps: AppPattern = .any, of name: String = "me"
  ) async throws -> String {
    let user = try await service.user(named: name)
    return try await service.mintToken(
      named: "publish token", scope: .publish(apps), for: user.id
    ).secret.text
  }

  /// Publishes items of one app of the user `me`, each with its number in its body.
  package func publish(_ count: Int, app: String) async throws {
    let user = try await service.user(named: "me").id
    for start in stride(from: 0, to: count, by: 100) {
      let requests = (start..<min(start + 100, count)).map { number in
        PublishRequest(
          Content(app: app, visual: VisualContent(title: app, body: "\(app) \(number)")))
      }
      for result in try await service.publish(requests, for: user) { _ = try result.get() }
      time.advance(by: .milliseconds(1))
    }
  }

  /// Sends a request through the router and reads the answer.
  package func send(
    _ method: HTTPRequest.Method, _ path: String, token: String? = nil, body: [UInt8] = [],
    headers: [String: String] = [:]
  ) async throws -> Answer {
    var fields = HTTPFields()
    for (name, value) in headers {
      guard let name = HTTPField.Name(name) else { continue }
      fields.append(HTTPField(name: name, value: value))
    }
    if let token { fields[.authorization] = "Bearer " + token }
    if !body.isEmpty { fields[.contentLength] = String(body.count) }
    let request = Request(
      head: HTTPRequest(
        method: method, scheme: "http", authority: "store.test", path: path,
        headerFields: fields),
      body: RequestBody(buffer: ByteBuffer(bytes: body)))
    let response = try await responder.respond(to: request, context: StoreContext(logger: logger))
    let collector = BodyCollector()
    try await response.body.write(collector)
    return Answer(
      status: Int(response.status.code), headers: response.headers, body: collector.bytes)
  }

  /// Sends a request as ``send(_:_:token:body:headers:)`` does, with text as the body.
  package func send(
    _ method: HTTPRequest.Method, _ path: String, token: String? = nil, text: String,
    headers: [String: String] = [:]
  ) async throws -> Answer {
    try await send(method, path, token: token, body: Array(text.utf8), headers: headers)
  }
}

/// A clock that only the test moves.
package final class SettableTime: Sendable {
  private let state: Mutex<(time: Timestamp, elapsed: Duration)>

  /// Starts at 2026-11-21, noon, by default.
  package init(_ start: Timestamp = Timestamp(seconds: 1_795_262_400)) {
    state = Mutex((start, .zero))
  }

  package var now: Timestamp { state.withLock { $0.time } }
  /// The time that has passed on a clock that does not step.
  package var elapsed: Duration { state.withLock { $0.elapsed } }

  package func advance(by duration: Duration) {
    state.withLock { $0 = ($0.time.advanced(by: duration), $0.elapsed + duration) }
  }

  /// Sets the date without any time passing, as when a user sets a machine's clock.
  package func step(by duration: Duration) {
    state.withLock { $0.time = $0.time.advanced(by: duration) }
  }
}

/// Repeatable random words for all threads.
private final class RandomSource: Sendable {
  private let random: Mutex<SeededRandom>

  init(random: consuming Mutex<SeededRandom>) { self.random = random }

  func next() -> UInt64 { random.withLock { $0.next() } }
}

private final class BodyCollector: ResponseBodyWriter, Sendable {
  private let collected = Mutex<[UInt8]>([])

  var bytes: [UInt8] { collected.withLock { $0 } }

  func write(_ buffer: ByteBuffer) async throws {
    collected.withLock { $0 += buffer.readableBytesView }
  }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
