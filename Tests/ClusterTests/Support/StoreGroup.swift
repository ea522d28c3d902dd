#if BELLHOP_POSTGRES
import BellhopTestSupport
import Foundation
import Glibc
import Testing

/// The `bellhopd` that was built with the tests.
enum BuiltStore {
  static let program: String = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(
      decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let path = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/bellhopd"
    precondition(
      access(String(path), X_OK) == 0, "\(path) is not there; build the package first.")
    return String(path)
  }()
}

/// Processes of `bellhopd` that serve one database.
actor StoreGroup {
  struct Options: Sendable {
    var count = 3
    var requiresStandby = true
    /// Whether the address may lead over a network without TLS.
    var acceptsUnverifiedServers = false
    /// The program of each process; the one that was built with the tests where it is missing.
    var programs: [Int: String] = [:]
  }

  /// The number of connections of each process to the database, for reads and writes.
  private static let connections = 8

  nonisolated let folder: String
  nonisolated let ports: [Int]
  private let options: Options
  private var processes: [LifelineProcess?]
  private(set) var killCount = 0
  /// The number of starts, beside the first of each process.
  private(set) var restartCount = 0

  /// Writes the configuration of all processes; see ``start()``.
  init(_ options: Options, database: String, folder: String) throws {
    self.options = options
    self.folder = folder
    ports = try FreePorts.take(options.count)
    processes = Array(repeating: nil, count: options.count)
    let configuration = """
      [database]
      address = "\(database)"
      connections = \(Self.connections)
      require-standby = \(options.requiresStandby)
      accept-unverified-servers = \(options.acceptsUnverifiedServers)

      [server]
      readiness-interval = "500ms"
      readiness-timeout = "3s"
      connections-per-address-max = 10000
      token-requests-per-second = 100000
      token-request-burst = 100000

      [store]
      app-publishes-per-minute = 1000000
      user-publishes-per-minute = 1000000

      """
    let path = folder + "/bellhopd.toml"
    try Data(configuration.utf8).write(to: URL(filePath: path))
    chmod(path, 0o600)
  }

  private nonisolated var configuration: String { folder + "/bellhopd.toml" }

  /// The number of connections of one process, with those for messages, attachments and checks.
  nonisolated var connectionsMax: Int { Self.connections + 5 }

  /// The address of one process.
  nonisolated func address(_ index: Int) -> String { "http://127.0.0.1:\(ports[index])" }

  // MARK: - Administration

  /// Runs a command of `bellhopd` on the database, and returns its output without the line end.
  @discardableResult
  nonisolated func administer(_ arguments: String...) async throws -> String {
    let output = try await ProgramRun.succeed(
      [BuiltStore.program] + arguments + ["--config", configuration], folder: folder)
    return output.hasSuffix("\n") ? String(output.dropLast()) : output
  }

  /// Creates a token for a device.
  nonisolated func deviceToken(_ user: String) async throws -> String {
    try await administer("token", "create", "--user", user, "--scope", "device")
  }

  /// Creates a token for a publisher of any app.
  nonisolated func publishToken(_ user: String) async throws -> String {
    try await administer("token", "create", "--user", user, "--scope", "publish", "--any-app")
  }

  // MARK: - Processes

  /// Starts all processes, and waits until they are ready.
  func start() async throws {
    for index in processes.indices { try await start(index) }
    for index in processes.indices { try await waitUntilReady(index) }
  }

  private func start(_ index: Int) async throws {
    await processes[index]?.end()
    processes[index] = try await LifelineProcess(
      "store\(index + 1)",
      [
        options.programs[index] ?? BuiltStore.program, "serve", "--config", configuration,
        "--listen", "127.0.0.1:\(ports[index])", "--log-level", "notice",
      ], folder: folder)
  }

  /// Waits until a process is ready.
  func waitUntilReady(_ index: Int) async throws {
    var last: StoreAnswer?
    try await eventually(
      "store \(index + 1) that is ready",
      last: "\(String(describing: last))\n\(processes[index]?.logEnd ?? "")"
    ) {
      last = await StoreHTTP.readiness(address(index))
      return last?.status == 200
    }
  }

  /// Starts processes again that have ended, as a service manager does, until the task is cancelled.
  ///
  /// A process that starts while the database has no primary ends again.
  func supervise() async {
    do {
      while !Task.isCancelled {
        for index in processes.indices where processes[index]?.isRunning == false {
          try await start(index)
          restartCount += 1
        }
        try await nextTurn(after: .milliseconds(200))
      }
    } catch is CancellationError {
      return
    } catch {
      Issue.record("a store cannot be started: \(error)")
    }
  }

  /// Kills a process, so that it has no chance to react.
  func kill(_ index: Int) async throws {
    guard let process = processes[index], process.isRunning else { return }
    process.signal(SIGKILL)
    killCount += 1
    try await process.waitForEnd()
  }

  /// Kills a process, and starts it again.
  func restart(_ index: Int) async throws {
    try await kill(index)
    try await start(index)
  }

  /// Waits until a process has ended by itself, and returns the end of its log.
  func waitForEnd(_ index: Int) async throws -> String {
    guard let process = processes[index] else { return "" }
    try await process.waitForEnd()
    return process.logEnd
  }

  func isRunning(_ index: Int) -> Bool { processes[index]?.isRunning ?? false }

  /// The process id of a process.
  func processID(_ index: Int) -> pid_t? { processes[index]?.processID }

  /// The memory of a process, in bytes; nil if it has ended.
  func residentBytes(_ index: Int) -> Int? { processes[index]?.residentBytes }

  /// The last messages of all processes, for failures.
  var logEnds: String {
    processes.indices.map { "store \($0 + 1):\n\(processes[$0]?.logEnd ?? "")" }
      .joined(separator: "\n")
  }

  func end() async {
    for process in processes { await process?.end() }
  }
}
#endif
