import BellhopModel
import BellhopStore
import BellhopStoreMemory
import BellhopStoreSQLite
import BellhopTestSupport
import Foundation
import PostgresTestSupport
import Synchronization
import Testing

/// The backends that the suite tests; add a case here for a new one.
enum BackendKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case memory
  case sqlite
  #if BELLHOP_POSTGRES
    case postgres
  #endif

  /// All backends, without PostgreSQL where it is not installed.
  static var allCases: [BackendKind] {
    #if BELLHOP_POSTGRES
      [.memory, .sqlite] + (PostgresCluster.isInstalled ? [.postgres] : [])
    #else
      [.memory, .sqlite]
    #endif
  }

  /// The backends for one process, each start of which begins another life of the data.
  ///
  /// A test can replace the data by an earlier state.
  static let restorable: [BackendKind] = [.memory, .sqlite]

  var testDescription: String { rawValue }
}

/// A clock that stands still until a test moves it.
final class TestClock: Sendable {
  private let time: Mutex<Timestamp>

  init(_ start: Timestamp) { time = Mutex(start) }

  var now: Timestamp { time.withLock { $0 } }

  func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
}

/// The generator SplitMix64, with the same words in every run.
final class TestRandom: Sendable {
  private let state: Mutex<UInt64>

  init(seed: UInt64) { state = Mutex(seed) }

  func next() -> UInt64 {
    state.withLock { state in
      state &+= 0x9e37_79b9_7f4a_7c15
      var word = state
      word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
      word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
      return word ^ (word >> 31)
    }
  }
}

/// A directory that is removed when the test ends.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("bellhop-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }
}

/// A store on a new backend with one user and one registered device, under a clock that stands
/// still.
struct StoreUnderTest: Sendable {
  let kind: BackendKind
  let clock: TestClock
  let environment: StoreEnvironment
  let limits: StoreLimits
  let backend: any StorageBackend
  let service: StoreService
  let user: UserID
  let device: Device
  let token: MintedToken
  let directory: TemporaryDirectory
  let shelf: any BlobStore

  /// - Parameters:
  /// - owner: The owner of the files that SQLite's backend and the shelf create in the directory.
  /// - uptime: For tests that set the clock; otherwise monotonic time moves with it.
  /// - workUptime: For tests of slow reads; otherwise ``uptime``.
  init(
    _ kind: BackendKind, limits: StoreLimits = StoreLimits(),
    owner: (TemporaryDirectory) throws -> DataOwner = { _ in .process },
    uptime: (@Sendable () -> Duration)? = nil,
    workUptime: (@Sendable () -> Duration)? = nil, wallClock: WallClock = .utc,
    isClockSynchronized: @escaping @Sendable () -> Bool = { false }
  ) async throws {
    let clock = TestClock(try #require(Timestamp("2026-03-01T12:00:00Z")))
    let random = TestRandom(seed: 7)
    self.kind = kind
    self.clock = clock
    self.limits = limits
    environment = StoreEnvironment(
      now: { clock.now }, random: { random.next() }, uptime: uptime,
      workUptime: workUptime, wallClock: wallClock,
      isClockSynchronized: isClockSynchronized)
    directory = try TemporaryDirectory()
    switch kind {
    case .memory:
      backend = MemoryBackend()
      shelf = MemoryShelf()
    case .sqlite:
      let owner = try owner(directory)
      backend = try SQLiteBackend(path: directory.file("store.sqlite"), owner: owner)
      shelf = DirectoryBlobStore(path: directory.file("files"), owner: owner)
    #if BELLHOP_POSTGRES
      case .postgres:
        backend = try await TemporaryPostgres.open()
        shelf = MemoryShelf()
    #endif
    }
    service = try await StoreService.open(
      .starting, on: backend, environment: environment, limits: limits,
      shelf: shelf)
    user = try await service.addUser(named: "ada").id
    token = try await service.mintToken(named: "laptop", scope: .device(nil), for: user)
    device = try await service.register(
      DeviceRegistration(
        id: DeviceID("laptop"), name: "Laptop", platform: "linux", channel: .signal),
      with: token.token.id, for: user)
  }

  /// The same data after another start.
  func restarted() async throws -> StoreService {
    try await StoreService.open(
      .starting, on: backend, environment: environment, limits: limits,
      shelf: shelf)
  }

  /// Adds another registered device of the user.
  func addDevice(_ name: String) async throws -> Device {
    let id = DeviceID(name)
    let token = try await service.mintToken(
      named: name, scope: .device(id), for: user)
    return try await service.register(
      DeviceRegistration(id: id, name: name, platform: "linux", channel: .signal),
      with: token.token.id, for: user)
  }

  /// Publishes a plain item, a millisecond after the one before.
  @discardableResult
  func publish(
    _ title: String, app: String = "backups", appID: String? = nil, quiet: Bool = false,
    _ adjust: (inout Content) -> Void = { _ in }
  ) async throws -> Published {
    clock.advance(by: .milliseconds(1))
    var content = Content(
      app: app, appNotificationID: appID, visual: VisualContent(title: title))
    adjust(&content)
    return try await service.publish(
      PublishRequest(content, isQuietUpdate: quiet), for: user)
  }

  func change(
    _ item: UserNotification, _ change: StateChange, ifMatch match: Set<SequenceNumber>? = nil
  ) async throws -> UserNotification {
    try await service.change(
      item.id, change, ifMatch: match, by: device.author, from: device.id, for: user)
  }

  /// Pulls everything from `start` to the end of its pages, and returns the token there.
  func pull(
    from start: DeltaStart, rows: Int = 500
  ) async throws -> (changes: [Change], token: DeltaToken) {
    var changes: [Change] = []
    var start = start
    while true {
      let page = try await service.delta(from: start, rows: rows, for: user)
      #expect(page.changes.count <= rows)
      changes += page.changes
      switch page.end {
      case .next(let next): start = .page(next)
      case .complete(let token): return (changes, token)
      }
    }
  }

  func titles() async throws -> [String] {
    try await service.list(rows: 1000, for: user).items.map { $0.content.visual?.title ?? "" }
  }

  /// Sends a batch of operations numbered from `first`.
  func send(
    _ operations: [BellhopModel.Operation], from first: Int64 = 1, lineage: String = "l1",
    device: DeviceID? = nil
  ) async throws -> BatchAnswer {
    try await service.apply(
      OperationBatch(
        device: device ?? self.device.id, lineage: Lineage(lineage),
        operations: operations.enumerated().map {
          NumberedOperation(number: first + Int64($0.offset), operation: $0.element)
        }), for: user)
  }

  func operation(
    _ command: ItemCommand, _ item: UserNotification, seen: SequenceNumber? = nil
  ) -> BellhopModel.Operation {
    Operation(id: newID(), target: .item(item.id), mutation: command.mutation, seen: seen)
  }

  func newID<Tag>() -> UniqueID<Tag> {
    UniqueID(high: environment.random(), low: environment.random())
  }
}

/// The store's error that `body` throws, or nil.
func storeError(
  _ body: () async throws -> Void
) async throws -> StoreError? {
  do {
    try await body()
    return nil
  } catch let error as StoreError {
    return error
  }
}
