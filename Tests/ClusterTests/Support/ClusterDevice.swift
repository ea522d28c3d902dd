#if BELLHOP_POSTGRES
import BellhopCache
import BellhopModel
import BellhopSync
import BellhopTestSupport
import FoundationEssentials
import PostgresTestSupport
import Synchronization

/// The registers of an item that a device has set, and no other device changes.
struct ExpectedRegisters: Hashable, Sendable {
  var readState: ReadState?
  var action: UserActionState?
  var isPinned: Bool?

  /// Returns whether a store's item has them.
  func holds(_ item: SeenItem?) -> Bool {
    guard let item else { return false }
    return (readState.map { $0.rawValue == item.readState } ?? true)
      && (action.map { $0.kind.rawValue == item.userActionState } ?? true)
      && (isPinned.map { $0 == item.isPinned } ?? true)
  }
}

/// A device of a user: the client's engine with a cache in memory.
final class ClusterDevice: Sendable {
  private struct State {
    var random: SeededRandom
    /// The items that only this device handles, the next one first.
    var assigned: [String] = []
    /// The commands that are left for the first of them.
    var commands: [ItemCommand] = []
    var expected: [String: ExpectedRegisters] = [:]
    var operationCount = 0
    var rejected: [RejectedOperation] = []
  }

  let name: String
  let user: String
  let cache: MemoryCache
  private let transport: HTTPTransport
  private let engine: SyncEngine
  private let state: Mutex<State>

  /// - Parameters:
  /// - address: The address of a store or of a load balancer.
  /// - token: A token with the scope `device`.
  init(name: String, user: String, address: String, token: String, seed: UInt64) throws {
    self.name = name
    self.user = user
    state = Mutex(State(random: SeededRandom(seed: seed)))
    let lineage: @Sendable () -> Lineage = {
      Lineage(rawValue: "\(name)-\(UInt64.random(in: 0 ... .max))")
    }
    cache = MemoryCache(
      identity: CacheIdentity(account: AccountName(rawValue: user), newLineage: lineage))
    transport = try HTTPTransport(
      HTTPTransport.Configuration(
        url: address, device: DeviceID(rawValue: name), deviceName: name),
      localTime: { Self.now }, token: { token })
    var policy = EnginePolicy()
    // A failover takes seconds, and the test does not wait a minute for each device.
    policy.backOffLongest = .seconds(5)
    policy.safetyPoll = .seconds(30)
    engine = SyncEngine(
      EngineParts(
        cache: cache, transport: transport, policy: policy, clock: ContinuousClock(),
        localTime: { Self.now }, random: { Double.random(in: 0..<1) }, newLineage: lineage))
  }

  private static var now: Timestamp {
    Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }

  /// The registers that this device has set, by item.
  var expected: [String: ExpectedRegisters] { state.withLock { $0.expected } }
  var operationCount: Int { state.withLock { $0.operationCount } }
  /// The operations that the store did not carry out.
  var rejected: [RejectedOperation] { state.withLock { $0.rejected } }

  /// Runs the engine until the task is cancelled.
  func run() async {
    let events = await engine.events()
    await withDiscardingTaskGroup { group in
      group.addTask { [self] in
        for await event in events {
          if case .rejected(let operations) = event {
            state.withLock { $0.rejected += operations }
          }
        }
      }
      await engine.run()
      group.cancelAll()
    }
    await transport.shutdown()
  }

  /// Adds an item that no other device handles.
  func assign(_ id: String) { state.withLock { $0.assigned.append(id) } }

  /// Handles assigned items, one command each time.
  func handle(while load: LoadSwitch, pause: Duration) async throws {
    while load.isOn {
      try await handleNext()
      try await nextTurn(after: pause)
    }
  }

  /// Performs the next command, if its item has arrived.
  func handleNext() async throws {
    let step = state.withLock { state -> (item: String, command: ItemCommand)? in
      guard let item = state.assigned.first else { return nil }
      if state.commands.isEmpty {
        state.commands = Self.plans.randomElement(using: &state.random) ?? [.dismiss]
      }
      return state.commands.first.map { (item, $0) }
    }
    guard let step, try await perform(step.command, on: step.item) else { return }
    state.withLock { state in
      state.commands.removeFirst()
      if state.commands.isEmpty { state.assigned.removeFirst() }
    }
  }

  /// The commands for an item; the last one for each register decides.
  private static let plans: [[ItemCommand]] = [
    [.dismiss], [.read, .dismiss], [.pin], [.dismiss, .restore], [.read, .pin, .dismiss],
    [.read, .unread],
  ]

  /// Performs a command as a user does; false if the item has not arrived.
  @discardableResult
  func perform(_ command: ItemCommand, on id: String) async throws -> Bool {
    let item = try ClusterError.require(NotificationID(id), "\(id) is not an id")
    guard let shown = try cache.item(item)?.notification else { return false }
    let identifier = state.withLock { state in
      OperationID(high: state.random.next(), low: state.random.next())
    }
    let operation = Operation(
      id: identifier, target: .item(item), mutation: command.mutation,
      seen: shown.state.contentSequence)
    _ = try cache.enqueue([operation], now: Self.now, sealAfter: nil)
    state.withLock { state in
      state.operationCount += 1
      if case .set(let change) = command.mutation {
        var registers = state.expected[id] ?? ExpectedRegisters()
        registers.readState = change.readState ?? registers.readState
        registers.action = change.userActionState ?? registers.action
        registers.isPinned = change.pinned ?? registers.isPinned
        state.expected[id] = registers
      }
    }
    await engine.outboxChanged()
    return true
  }

  /// The items that the device shows.
  func items() throws -> [String: SeenItem] {
    let rows = try cache.rows(of: .history, .first, limit: 1_000_000)
    var items: [String: SeenItem] = [:]
    for row in rows {
      guard let item = try cache.item(row.id)?.notification else { continue }
      items[row.id.description] = SeenItem(
        title: row.title, readState: item.state.readState.value.rawValue,
        userActionState: item.state.userActionState.value.kind.rawValue,
        isPinned: item.state.pinned.value)
    }
    return items
  }

  /// Waits until the store has acknowledged all operations, and the device shows its content.
  func waitUntilEqual(to address: String, token: String) async throws {
    var difference = ""
    try await eventually(
      "\(name) to show what the store has", within: .seconds(180), every: .milliseconds(500),
      last: difference
    ) {
      let counts = try cache.outboxCounts()
      guard counts.held + counts.waiting + counts.settling == 0 else {
        difference = "\(counts)"
        return false
      }
      guard let content = await StoreContent.read(address, token: token) else {
        difference = "no answer of the store"
        return false
      }
      difference = try content.difference(from: items()) ?? ""
      return difference.isEmpty
    }
  }
}
#endif
