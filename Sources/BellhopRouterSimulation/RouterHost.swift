import BellhopCache
import BellhopModel
import BellhopNetwork
import BellhopServer
import BellhopSimulation
import BellhopStore
import BellhopStoreSQLite
import BellhopSync
import BellhopWire
import Dispatch
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Synchronization

/// The second tier of the simulation: the real router over SQLite, in this process.
///
/// Requests and responses use the wire format, with the codec of the HTTP transport. Only one
/// request is under way at a time, and the host waits for its response, so that a run is repeatable
/// although the server is asynchronous.
final class RouterHost: StoreHost {
  private let folder: URL
  private let environment: StoreEnvironment
  private let limits: StoreLimits
  private let clock: WorldClock
  private var service: StoreService
  private var responder: RouterResponder<StoreContext>
  private let logger = Logger(label: "simulation", factory: { _ in SwiftLogNoOpLogHandler() })
  let user: UserID
  private let publisher: String
  var committed: CommitListener = { _ in }
  private var kill: (isPlanned: Bool, afterCommit: Bool) = (false, false)
  private var hasBackup = false
  /// The last successful response, with a closure that decodes it.
  private var lastAnswer: (bytes: [UInt8], read: ([UInt8]) throws -> Void)?

  /// Creates a host with an empty store.
  ///
  /// - Parameter folder: The folder for the database; removed at the end.
  init(folder: URL, clock: WorldClock, random: SharedRandom, limits: StoreLimits) throws {
    self.folder = folder
    self.limits = limits
    self.clock = clock
    let environment = StoreEnvironment(
      now: { clock.now }, random: { random.word() }, uptime: { clock.elapsed },
      wallClock: .simulated, isClockSynchronized: { true })
    self.environment = environment
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let service = try Self.opened(
      folder.appending(path: "store.sqlite").path, .starting, environment, limits)
    self.service = service
    responder = Self.responder(service, clock, logger)
    (user, publisher) = try Waiting.wait {
      let user = try await service.addUser(named: "alice").id
      let token = try await service.mintToken(named: "ci", scope: .publish(.any), for: user)
      return (user, token.secret.text)
    }
  }

  deinit {
    let service = service
    try? Waiting.wait { await service.close() }
    try? FileManager.default.removeItem(at: folder)
  }

  private static func opened(
    _ path: String, _ mode: StoreLogic.StartMode, _ environment: StoreEnvironment,
    _ limits: StoreLimits
  ) throws -> StoreService {
    try Waiting.wait {
      try await StoreService.open(
        mode, on: SQLiteBackend(path: path), environment: environment, limits: limits,
        isSoleWriter: mode == .starting)
    }
  }

  private static func responder(
    _ service: StoreService, _ clock: WorldClock, _ logger: Logger
  ) -> RouterResponder<StoreContext> {
    StoreServer(
      store: service, configuration: ServerConfiguration(version: "simulation"),
      environment: ServerEnvironment(
        makeRequestID: { "simulated" }, sleep: { try await Task.sleep(for: $0) },
        elapsed: { clock.elapsed }),
      logger: logger, dialects: []
    ).makeResponder()
  }

  // MARK: Requests

  private func request<Answer: Decodable>(
    _ type: Answer.Type, _ method: HTTPRequest.Method, _ route: Route, token: String,
    device: DeviceID? = nil, body: [UInt8] = [], prefer: String? = nil
  ) throws -> Answer {
    var fields = HTTPFields()
    fields[.authorization] = "Bearer " + token
    fields[.accept] = "application/json"
    if !body.isEmpty {
      fields[.contentLength] = String(body.count)
      fields[.contentType] = "application/json"
    }
    if let device, let name = HTTPField.Name(DeviceHeader.name) { fields[name] = device.rawValue }
    if let prefer, let name = HTTPField.Name("Prefer") { fields[name] = prefer }
    let head = HTTPRequest(
      method: method, scheme: "http", authority: "store.test", path: route.path,
      headerFields: fields)
    let (responder, logger) = (responder, logger)
    let (status, headers, bytes) = try Waiting.wait {
      let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body)))
      let response = try await responder.respond(to: request, context: StoreContext(logger: logger))
      let collector = BodyCollector()
      try await response.body.write(collector)
      return (Int(response.status.code), response.headers, collector.bytes)
    }
    lastAnswer = nil
    guard (200..<300).contains(status) else {
      throw TransportError(
        status: status, payload: try? WireJSON.decode(ErrorPayload.self, from: bytes),
        retryAfter: headers[.retryAfter].flatMap { HTTPTransport.wait($0, since: nil) },
        route: route)
    }
    let answer = try Self.read(type, bytes)
    lastAnswer = (bytes, { _ = try Self.read(type, $0) })
    return answer
  }

  /// Decodes a response as the transport does, including the error for an invalid one.
  private static func read<Answer: Decodable>(
    _ type: Answer.Type, _ bytes: [UInt8]
  ) throws -> Answer {
    do {
      return try WireJSON.decode(type, from: bytes)
    } catch {
      throw TransportError(transportFailure: error, at: .simulated)
    }
  }

  /// Makes a change and reports its commit, or is killed before or after it.
  private func change<Value>(
    _ cause: (Value) -> CommitCause, _ body: () throws -> Value
  ) throws -> Value {
    let (isKilled, isAfterCommit) = kill
    kill = (false, false)
    if isKilled, !isAfterCommit { throw StoreKilled() }
    let value = try body()
    committed(cause(value))
    if isKilled { throw StoreKilled() }
    return value
  }

  private func change<Value>(because cause: CommitCause, _ body: () throws -> Value) throws -> Value
  {
    try change({ _ in cause }, body)
  }

  // MARK: Faults of HTTP

  func refusal(_ kind: Refusal) -> TransportError {
    func error(_ status: Int, after seconds: Int?) -> TransportError {
      // A proxy's response is not in the store's error format.
      let page = Array("<html>not now</html>".utf8)
      return TransportError(
        status: status, payload: try? WireJSON.decode(ErrorPayload.self, from: page),
        retryAfter: seconds.flatMap { HTTPTransport.wait(String($0), since: nil) }, route: .delta)
    }
    switch kind {
    case .tooMany(let seconds): return error(429, after: seconds)
    case .unavailable(let seconds): return error(503, after: seconds)
    case .broken: return error(500, after: nil)
    }
  }

  func cutAnswer(at part: Double) -> TransportError? {
    guard let lastAnswer else { return .offline(.closed(.simulated)) }
    let count = min(lastAnswer.bytes.count - 1, Int(Double(lastAnswer.bytes.count) * part))
    do {
      try lastAnswer.read(Array(lastAnswer.bytes.prefix(max(0, count))))
      return nil
    } catch {
      return TransportError(transportFailure: error, at: .simulated)
    }
  }

  // MARK: Clients

  var epoch: Epoch { service.epoch }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) throws -> Value {
    let service = service
    return try Waiting.wait { try await service.inspect(body) }
  }

  /// Renews the registration, or registers the device, as the transport does.
  func register(
    _ device: DeviceID, in environment: RegistrationEnvironment, with token: String
  ) throws -> Author {
    try change(because: .other) {
      let known: DevicePayload
      let patch = DevicePatchPayload(channel: .signal, environment: environment)
      do {
        known = try request(
          DevicePayload.self, .patch, .device(device), token: token, device: device,
          body: WireJSON.encode(patch))
      } catch let error as TransportError where error.mayNeedRegistration {
        let payload = DeviceRegistrationPayload(
          id: device, name: device.rawValue, platform: "linux", channel: .signal,
          environment: environment.written)
        known = try request(
          DevicePayload.self, .post, .devices, token: token, device: device,
          body: WireJSON.encode(payload))
      }
      return Author(kind: .device, id: known.id.rawValue, name: known.name)
    }
  }

  func pull(_ asked: ChangeChunk.Request, with token: String) throws -> PullAnswer {
    let route: Route =
      switch asked {
      case .page(nil): .delta
      case .page(let cursor?): .deltaPage(cursor.rawValue)
      case .delta(let token): .deltaSince(token)
      }
    return PullAnswer(try request(DeltaPayload.self, .get, route, token: token), to: asked)
  }

  /// Encodes and decodes a signal, as the stream and the client's channel do.
  func enclosure(after sequence: SequenceNumber) throws -> EnclosedDelta? {
    let (service, user) = (service, user)
    guard
      let enclosed = try Waiting.wait({ try await service.enclosure(after: sequence, for: user) })
    else { return nil }
    let told = Signal(epoch: epoch, sequence: enclosed.page.sequence, enclosed: enclosed)
    let signal = try WireJSON.decode(
      SignalPayload.self, from: WireJSON.encode(SignalPayload(told)))
    return signal.resourceData.flatMap(EnclosedDelta.init)
  }

  func send(
    _ batch: OutboxBatch, from device: DeviceID, with token: String, between: () -> Void
  ) throws -> SendAnswer {
    let payload = OperationsPayload(lineage: batch.lineage, operations: batch.operations)
    let body = try WireJSON.encode(payload)
    return try change(
      { .operations(Self.pairs(batch, $0.results), underWay: nil) },
      {
        let answer = try request(
          OperationsAnswerPayload.self, .post, .operations(device), token: token, device: device,
          body: body)
        guard answer.results.map(\.id) == batch.operations.map(\.operation.id) else {
          throw TransportError.badAnswer("the results belong to other operations")
        }
        return SendAnswer(results: answer.results.map(\.result), sequence: answer.sequence)
      })
  }

  private static func pairs(
    _ batch: OutboxBatch, _ results: [OperationResult]
  ) -> [(BellhopModel.Operation, OperationResult)] {
    zip(batch.operations.map(\.operation), results).map { ($0, $1) }
  }

  // MARK: Publishers and the administrator

  func publish(_ content: Content, isQuiet: Bool) throws {
    let body = try WireJSON.encode(PublishPayload(content))
    try change(because: .publication(content, isQuiet: isQuiet)) {
      _ = try request(
        PublishedPayload.self, .post, .notifications, token: publisher, body: body,
        prefer: isQuiet ? "bellhop.quiet-update" : nil)
    }
  }

  func withdraw(app: String, appNotificationID: String) throws {
    try administer(.withdrawal) { service, user in
      _ = try await service.withdraw(app: app, appNotificationID: appNotificationID, for: user)
    }
  }

  func register(_ category: BellhopModel.Category, app: String) throws {
    try administer(.category(category, app: app)) { service, user in
      _ = try await service.register(category, ofApp: app, for: user)
    }
  }

  func cancelRequest(_ id: NotificationID, app: String) throws {
    try administer(.cancellation(id)) { service, user in
      try await service.cancelRequests(ItemNames(id), of: app, for: user)
    }
  }

  func removeDelivered(_ id: NotificationID, app: String) throws {
    try administer(.removal(id)) { service, user in
      try await service.removeDelivered(ItemNames(id), of: app, for: user)
    }
  }

  func configure(_ app: String, _ change: AppSettingsChange) throws {
    try administer(.configuration(app, change)) { service, user in
      _ = try await service.configure(app, change, for: user)
    }
  }

  func signIn(_ device: DeviceID, expires: Timestamp?) throws -> String {
    try administer(.other) { service, user in
      try await service.mintToken(
        named: device.rawValue, scope: .device(device), expires: expires, for: user
      ).secret.text
    }
  }

  func revoke(_ device: DeviceID) throws {
    try administer(.other) { service, user in try await service.revokeDevice(device, of: user) }
  }

  func sweep(between: ([NotificationID]) -> Void) throws -> Bool {
    try administer(.sweep) { service, _ in _ = try await service.sweep() }
    return true
  }

  private func administer<Value: Sendable>(
    _ cause: CommitCause,
    _ body: @escaping @Sendable (StoreService, UserID) async throws -> Value
  ) throws -> Value {
    let (service, user) = (service, user)
    return try change(because: cause) { try Waiting.wait { try await body(service, user) } }
  }

  // MARK: Lifecycle

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  private func close() throws {
    try Waiting.wait { [service] in await service.close() }
  }

  private func open() throws {
    service = try Self.opened(path("store.sqlite"), .starting, environment, limits)
    responder = Self.responder(service, clock, logger)
  }

  func restart() throws {
    kill = (false, false)
    try close()
    try open()
  }

  func beginEpoch() throws {
    try Waiting.wait { [service] in try await service.beginEpoch() }
    try restart()
  }

  func backUp() throws {
    try close()
    try copy("store.sqlite", to: "backup.sqlite")
    hasBackup = true
    try open()
  }

  /// Restores the backup as the program does: prepares it beside the store, then replaces the
  /// store.
  func restoreBackup() throws {
    guard hasBackup else { return }
    try copy("backup.sqlite", to: "prepared.sqlite")
    let prepared = try Self.opened(path("prepared.sqlite"), .joining, environment, limits)
    let service = service
    try Waiting.wait {
      let former = try await service.formerState()
      _ = try await prepared.adopt(after: former)
      await prepared.close()
    }
    try close()
    try copy("prepared.sqlite", to: "store.sqlite")
    try open()
  }

  func rollBack() throws {
    guard hasBackup else { return }
    try close()
    try copy("backup.sqlite", to: "store.sqlite")
    try open()
  }

  /// Copies a closed database and its log.
  private func copy(_ source: String, to destination: String) throws {
    for suffix in ["", "-wal", "-shm"] {
      let (from, to) = (path(source + suffix), path(destination + suffix))
      if FileManager.default.fileExists(atPath: to) {
        try FileManager.default.removeItem(atPath: to)
      }
      if FileManager.default.fileExists(atPath: from) {
        try FileManager.default.copyItem(atPath: from, toPath: to)
      }
    }
  }

  func killAtNextWrite(afterCommit: Bool) { kill = (true, afterCommit) }
}
