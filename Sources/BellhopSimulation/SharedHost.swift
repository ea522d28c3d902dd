import BellhopCache
import BellhopModel
import BellhopNetwork
import BellhopStore
import BellhopStoreMemory
import BellhopSync

/// Several store processes over one storage, each with the service of the product.
///
/// Their requests are tasks that run on the thread of the simulation and are interleaved at the steps
/// of transactions. So answers come later, as events of the world.
///
/// `@unchecked Sendable`: only the thread of the simulation uses it.
final class SharedHost: StoreHost, @unchecked Sendable {
  /// An event of a task, handled when no task can continue.
  private enum Event {
    case finished(Int)
    case signal(Signal, device: Int, connection: Int)
    case ended(device: Int, connection: Int)

    /// The device of a stream; -1 for an answer, which comes first.
    var device: Int {
      switch self {
      case .finished: -1
      case .signal(_, let device, _), .ended(let device, _): device
      }
    }
  }

  private struct Request {
    var process: SimulatedProcess?
    var context: RequestContext
    /// Passes on the answer, or an error that takes its place.
    var finish: ((any Error)?) -> Void
  }

  /// The answer of a task.
  ///
  /// `@unchecked Sendable`: only the thread of the simulation uses it.
  private final class Answer<Value>: @unchecked Sendable {
    var result: Result<Value, any Error>?
  }

  /// An open signal stream of a device.
  struct Stream {
    var process: SimulatedProcess
    var connection: Int
    var subscription: SignalSubscription
  }

  let environment: StoreEnvironment
  let limits: StoreLimits
  private let count: Int
  /// The random numbers for everything between the processes and their storage.
  let random: SharedRandom
  private let executor = SimulationExecutor()
  private var opened: (storage: SharedStorage, peers: SimulatedPeers)?
  private(set) var processes: [SimulatedProcess] = []
  private(set) var user = UserID(rawValue: 0)
  var backup: SharedStorage.Past?
  private var requests: [Int: Request] = [:]
  private var lastRequest = 0
  private var inbox: [Event] = []
  private var isPumping = false
  var streams: [Int: Stream] = [:]
  /// The latest connection of each device.
  var connections: [Int: Int] = [:]
  private var isCalm = false
  /// The versions of the commits that stored each publication, without those that the data has lost.
  var stored: [Int: [Int]] = [:]
  /// The publications of which the data has lost a commit.
  var lost: Set<Int> = []
  var publications = 0

  var committed: CommitListener = { _ in }
  /// Called after each commit of a process, with its cause.
  var applied: (CommitCause, SharedCommit) -> Void = { _, _ in }
  var heard: (Signal, _ device: Int, _ connection: Int) -> Void = { _, _, _ in }
  var streamEnded: (_ device: Int, _ connection: Int) -> Void = { _, _ in }
  var note: (String) -> Void = { _ in }
  var violate: (String) -> Void = { _ in }

  /// - Parameter count: The number of processes.
  init(clock: WorldClock, random: SharedRandom, limits: StoreLimits, count: Int, seed: UInt64) {
    self.limits = limits
    self.count = count
    self.random = SharedRandom(seed: seed &* 23 &+ 11)
    environment = StoreEnvironment(
      now: { clock.now }, random: { random.word() }, uptime: { clock.elapsed },
      wallClock: .simulated, isClockSynchronized: { true })
  }

  /// The shared storage, which exists after ``open(on:)``.
  var storage: SharedStorage {
    guard let opened else { preconditionFailure("the processes are not started") }
    return opened.storage
  }

  private var peers: SimulatedPeers {
    guard let opened else { preconditionFailure("the processes are not started") }
    return opened.peers
  }

  /// Starts the processes and adds the user. Nothing else may be planned yet.
  func open(on scheduler: Scheduler) throws {
    let storage = SharedStorage(scheduler: scheduler, random: random)
    opened = (storage, SimulatedPeers(storage))
    storage.pump = { [unowned self] in pump() }
    storage.committed = { [unowned self] in follow($0) }
    for index in 0..<count { start(index) }
    let end = scheduler.clock.elapsed + .seconds(60)
    while !processes.allSatisfy(\.isServing), scheduler.clock.elapsed < end {
      scheduler.run(until: scheduler.clock.elapsed + .milliseconds(10))
    }
    user = try wait { service, _ in try await service.addUser(named: "alice").id }
  }

  /// Ends all tasks.
  func dissolve() {
    requests = [:]
    streams = [:]
    for process in processes { process.kill() }
    executor.run()
    inbox = []
    processes = []
  }

  // MARK: Tasks

  /// Runs all tasks that can continue, and handles their events.
  func pump() {
    guard !isPumping else { return }
    isPumping = true
    defer { isPumping = false }
    repeat {
      executor.run()
      // The hub signals its streams in no particular order.
      let events = inbox.enumerated().sorted {
        ($0.element.device, $0.offset) < ($1.element.device, $1.offset)
      }
      inbox = []
      for (_, event) in events { handle(event) }
      executor.run()
    } while !inbox.isEmpty
  }

  private func handle(_ event: Event) {
    switch event {
    case .finished(let request): requests.removeValue(forKey: request)?.finish(nil)
    case .signal(let signal, let device, let connection):
      guard connections[device] == connection else { return }
      if signal.sequence > storage.highest {
        violate("a stream was signalled \(signal.sequence) before it was committed")
      }
      heard(signal, device, connection)
    case .ended(let device, let connection):
      if streams[device]?.connection == connection { streams[device] = nil }
      streamEnded(device, connection)
    }
  }

  /// Sends a request to a process; the answer comes later, or an error if the process is killed.
  func submit<Value: Sendable>(
    to process: SimulatedProcess?, _ purpose: RequestContext.Purpose,
    from sender: (device: Int, id: DeviceID)? = nil,
    _ body: @escaping @Sendable (StoreService, UserID) async throws -> Value,
    then: @escaping (Result<Value, any Error>, RequestContext) -> Void
  ) {
    lastRequest += 1
    let request = lastRequest
    let context = RequestContext(purpose, from: sender, timeline: storage.timeline)
    let answer = Answer<Value>()
    requests[request] = Request(process: process, context: context) { error in
      let failure: any Error = error ?? StoreKilled()
      then(error == nil ? answer.result ?? .failure(failure) : .failure(failure), context)
    }
    guard let process, process.isServing, let service = process.service else {
      storage.scheduler.after(.milliseconds(1)) { [self] in
        requests.removeValue(forKey: request)?.finish(StoreKilled())
      }
      return
    }
    let user = user
    Task(executorPreference: executor) { [self] in
      await RequestContext.$current.withValue(context) {
        do {
          answer.result = .success(try await body(service, user))
        } catch {
          answer.result = .failure(error)
        }
      }
      inbox.append(.finished(request))
    }
    pump()
  }

  /// Waits for an answer while nothing else happens, before the run begins.
  private func wait<Value: Sendable>(
    _ body: @escaping @Sendable (StoreService, UserID) async throws -> Value
  ) throws -> Value {
    var found: Result<Value, any Error>?
    submit(to: processes.first, .other, body) { result, _ in found = result }
    let scheduler = storage.scheduler
    let end = scheduler.clock.elapsed + .seconds(60)
    while found == nil, scheduler.clock.elapsed < end {
      scheduler.run(until: scheduler.clock.elapsed + .milliseconds(10))
    }
    guard let found else { throw StoreKilled() }
    return try found.get()
  }

  /// Returns a process that serves: the given one, or a random one.
  func serving(_ preferred: Int? = nil) -> SimulatedProcess? {
    if let preferred, processes.indices.contains(preferred), processes[preferred].isServing {
      return processes[preferred]
    }
    return random.pick(processes.filter(\.isServing))
  }

  func receive(_ signal: Signal, device: Int, connection: Int) {
    inbox.append(.signal(signal, device: device, connection: connection))
  }

  func end(device: Int, connection: Int) {
    inbox.append(.ended(device: device, connection: connection))
  }

  /// Whether another request than that of a transaction is in progress with a bulk operation.
  func hasBulk(besides transaction: SharedTransaction) -> Bool {
    requests.values.contains { $0.context !== transaction.context && $0.context.hasBulk }
  }

  // MARK: Processes

  private func start(_ index: Int) {
    let process = SimulatedProcess(index: index)
    if processes.indices.contains(index) {
      processes[index] = process
    } else {
      processes.append(process)
    }
    process.die = { [unowned self, unowned process] in
      storage.scheduler.after(.zero) { [self] in kill(process) }
    }
    let backend = SharedBackend(storage, in: process)
    let channel = peers.channel(of: process)
    Task(executorPreference: executor) { [self, environment, limits] in
      do {
        let service = try await StoreService.open(
          .starting, on: backend, environment: environment, limits: limits, peers: channel)
        noteOpened(process, service)
      } catch {
        noteFailure(of: process)
      }
    }
    pump()
  }

  private func noteOpened(_ process: SimulatedProcess, _ service: StoreService) {
    guard !process.isDead else { return }
    process.service = service
    let storage = storage
    process.repair = Task(executorPreference: executor) {
      await service.followPeers { try await storage.sleep($0, in: process) }
    }
  }

  /// Starts a process again that could not open the storage, as after a failover.
  private func noteFailure(of process: SimulatedProcess) {
    guard !process.isDead else { return }
    storage.scheduler.after(.seconds(1)) { [self] in
      if !process.isDead { start(process.index) }
    }
  }

  /// Kills a process and starts it again later.
  func kill(_ process: SimulatedProcess, for downtime: Duration? = nil) {
    let drawn = random.milliseconds(500...20_000)
    guard !process.isDead else { return }
    note("process \(process.index) is killed")
    process.kill()
    for (number, request) in requests.sorted(by: { $0.key < $1.key })
    where request.process === process {
      requests[number] = nil
      storage.scheduler.after(random.milliseconds(1...80)) { request.finish(StoreKilled()) }
    }
    for (device, stream) in streams.sorted(by: { $0.key < $1.key })
    where stream.process === process {
      streams[device] = nil
      streamEnded(device, stream.connection)
    }
    storage.scheduler.after(downtime ?? (isCalm ? .milliseconds(500) : drawn)) { [self] in
      note("process \(process.index) starts again")
      start(process.index)
    }
    pump()
  }

  /// Ends all faults, except that messages between processes are lost until ``connect()``.
  func endFaults() {
    isCalm = true
    storage.rates = .none
    peers.losesAll = true
    for process in processes {
      process.killAtWrite = (false, false)
      reconnect(process)
    }
  }

  /// Lets messages between processes arrive.
  func connect() { peers.losesAll = false }

  /// Keeps a process connected to the former primary for a while.
  func strand(_ process: SimulatedProcess, at state: MemorySnapshot, for time: Duration) {
    guard process.isServing, process.former == nil else { return }
    note("process \(process.index) stays with the former primary")
    process.former = SimulatedProcess.Former(state: state)
    storage.scheduler.after(time) { [self] in reconnect(process) }
  }

  private func reconnect(_ process: SimulatedProcess) {
    guard let former = process.former else { return }
    process.former = nil
    for wait in former.waits { process.resume(wait) }
    pump()
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) throws -> Value {
    try storage.state.read(body)
  }

  /// Gives the world's first devices their tokens, before the run begins.
  func signIn(_ device: DeviceID, expires: Timestamp?) throws -> String {
    try wait { service, user in
      try await service.mintToken(
        named: device.rawValue, scope: .device(device), expires: expires, for: user
      ).secret.text
    }
  }
}

extension TransportError {
  /// Creates the error that a client of a simulated process receives.
  init(simulated error: any Error) {
    switch error {
    case let error as TransportError: self = error
    case let error as StoreError: self = TransportError(error)
    case is StoreKilled: self = .offline(.closed(.simulated))
    default: self = .server(status: 500, message: "\(error)")  // open: any Error
    }
  }
}
