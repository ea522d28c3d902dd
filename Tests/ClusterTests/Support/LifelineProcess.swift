#if BELLHOP_POSTGRES
import BellhopTestSupport
import CPty
import Foundation
import Glibc
import PostgresTestSupport
import Synchronization

/// A program that runs until its test ends it.
///
/// A shell starts it, and ends it when a socket closes whose other end only this process has. So it
/// does not outlive the tests, even if they crash.
final class LifelineProcess: Sendable {
  /// The signals that end a program, in their order.
  enum Ending: String {
    case kill = "KILL"
    /// The shell lets its background programs ignore QUIT, and so does PostgreSQL until it has begun.
    case database = "TERM QUIT"
  }

  let processID: pid_t
  private let shell: pid_t
  private let logPath: String
  /// The end of the socket that keeps the program running; nil after ``end()``.
  private let lifeline: Mutex<Int32?>

  private static let script = #"""
    signals=$1 && shift || exit
    "$@" </dev/null >&2 &
    child=$!
    echo "$child"
    read -r _
    for signal in $signals; do kill -"$signal" "$child"; done
    wait "$child"
    """#

  /// Starts a program.
  ///
  /// - Parameters:
  /// - name: The name of its files in the folder; its log goes on after a restart.
  /// - arguments: The path of the program, and its arguments.
  init(
    _ name: String, _ arguments: [String], environment: [String: String] = [:], folder: String,
    ending: Ending = .kill
  ) async throws {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw ClusterError("a socket cannot be created")
    }
    let (own, other) = (ends[1], ends[0])
    let numberPath = "\(folder)/\(name).pid"
    let logPath = "\(folder)/\(name).log"
    let streams = [
      other, open(numberPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600),
      open(logPath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600),
    ]
    defer { for stream in streams where stream >= 0 { close(stream) } }
    let shell: pid_t
    let number: pid_t
    do {
      shell = try Self.start(
        ["/bin/sh", "-c", Self.script, "sh", ending.rawValue] + arguments, environment,
        folder: folder, streams)
      number = try await eventually("the process id of \(name)") { () -> pid_t? in
        // An incomplete line must not be read as a smaller number.
        let text = (try? String(contentsOfFile: numberPath, encoding: .utf8)) ?? ""
        return text.hasSuffix("\n") ? pid_t(text.dropLast()) : nil
      }
    } catch {
      close(own)
      throw error
    }
    processID = number
    self.shell = shell
    self.logPath = logPath
    lifeline = Mutex(own)
  }

  deinit {
    lifeline.withLock { end in
      if let end { close(end) }
    }
  }

  /// Starts a program with these standard streams and no other descriptors.
  static func start(
    _ arguments: [String], _ environment: [String: String], folder: String, _ streams: [Int32]
  ) throws -> pid_t {
    var argv = arguments.map { strdup($0) } + [nil]
    let variables = ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": folder, "LANG": "C.UTF-8"]
      .merging(environment) { $1 }
    var envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    let process =
      streams.contains(-1) ? -errno : cpty_start(arguments[0], &argv, &envp, folder, streams)
    guard process > 0 else {
      throw ClusterError("\(arguments[0]): \(String(cString: strerror(-process)))")
    }
    return process
  }

  /// Everything that the program has written.
  var log: String {
    let data = (try? Data(contentsOf: URL(filePath: logPath))) ?? Data()
    return String(decoding: data, as: UTF8.self)
  }

  /// The last lines of ``log``, for failures.
  var logEnd: String { log.split(separator: "\n").suffix(15).joined(separator: "\n") }

  /// Whether the program runs.
  ///
  /// The shell waits for it only in the end, so that the system does not reuse its process id before.
  var isRunning: Bool {
    guard lifeline.withLock({ $0 != nil }),
      let text = try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return false }
    return !["Z", "X"].contains(text[end...].dropFirst(2).first)
  }

  /// The memory that the program uses, in bytes; nil if it has ended.
  var residentBytes: Int? {
    let text = (try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
      .flatMap { line in line.split(separator: " ").compactMap { Int($0) }.first }
      .map { $0 * 1024 }
  }

  /// Sends a signal, unless the program has ended.
  func signal(_ number: Int32) {
    if isRunning { kill(processID, number) }
  }

  /// Waits until the program has ended.
  func waitForEnd() async throws {
    try await eventually("the end of process \(processID)", last: logEnd) { !isRunning }
  }

  /// Ends the program, and waits until it has, even in a test that was cancelled at its time limit.
  func end() async {
    let held = lifeline.withLock { end -> Int32? in
      defer { end = nil }
      return end
    }
    guard let held else { return }
    close(held)
    let (shell, processID) = (self.shell, self.processID)
    let ending = Task<Void, any Error>.besidePrograms {
      do {
        try await Self.waitForStatus(of: shell)
      } catch {
        kill(processID, SIGKILL)
        kill(shell, SIGKILL)
        _ = try? await Self.waitForStatus(of: shell)
      }
    }
    _ = try? await ending.value
  }

  /// Waits for the end of a child process, and returns its status.
  @discardableResult
  static func waitForStatus(of process: pid_t, within limit: Duration = patience) async throws
    -> Int32
  {
    try await eventually("the end of process \(process)", within: limit, every: .milliseconds(5)) {
      () -> Int32? in
      var status: Int32 = 0
      return waitpid(process, &status, WNOHANG) == process ? status : nil
    }
  }
}

/// The result of a program that ran to its end.
struct ProgramRun: Sendable {
  var output: String
  var errors: String
  /// The exit code; 128 and the signal for a program that was killed.
  var exitCode: Int32

  /// Runs a program, and kills it if it takes too long.
  static func run(
    _ arguments: [String], folder: String, within limit: Duration = patience
  ) async throws -> ProgramRun {
    let name = "\(folder)/run-\(UInt64.random(in: 0 ... .max))"
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
    let streams = [
      open("/dev/null", O_RDONLY | O_CLOEXEC), open(name + ".out", flags, 0o600),
      open(name + ".err", flags, 0o600),
    ]
    defer { for stream in streams where stream >= 0 { close(stream) } }
    let process = try LifelineProcess.start(arguments, [:], folder: folder, streams)
    let status: Int32
    do {
      status = try await LifelineProcess.waitForStatus(of: process, within: limit)
    } catch {
      kill(process, SIGKILL)
      _ = try? await LifelineProcess.waitForStatus(of: process)
      throw error
    }
    let signal = status & 0x7f
    return ProgramRun(
      output: try String(contentsOfFile: name + ".out", encoding: .utf8),
      errors: try String(contentsOfFile: name + ".err", encoding: .utf8),
      exitCode: signal == 0 ? status >> 8 & 0xff : 128 + signal)
  }

  /// Runs a program, and returns what it printed.
  ///
  /// - Throws: ``ClusterError`` with its errors, if it fails.
  @discardableResult
  static func succeed(_ arguments: [String], folder: String) async throws -> String {
    let result = try await run(arguments, folder: folder)
    guard result.exitCode == 0 else {
      throw ClusterError(
        "\(arguments.joined(separator: " ")) ended with \(result.exitCode): \(result.errors)")
    }
    return result.output
  }
}

/// Ports of this machine for programs that a test starts.
enum FreePorts {
  /// Below the range from which the system takes ports of outgoing connections. A program that
  /// starts again finds its port free.
  private static let range = 15_000..<32_000

  /// Returns ports that no program listens on.
  static func take(_ count: Int) throws -> [Int] {
    var ports: [Int] = []
    var sockets: [Int32] = []
    defer { for socket in sockets { close(socket) } }
    for _ in 0..<1000 where ports.count < count {
      let port = Int.random(in: range)
      guard let socket = listen(on: port) else { continue }
      sockets.append(socket)
      ports.append(port)
    }
    guard ports.count == count else { throw ClusterError("no free ports were found") }
    return ports
  }

  /// Returns a socket that listens on a port of this machine; nil if the port is in use.
  static func listen(on port: Int) -> Int32? {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard listener >= 0 else { return nil }
    var reuse: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in(port: port)
    let isListening = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
          && Glibc.listen(listener, 128) == 0
      }
    }
    guard isListening else {
      close(listener)
      return nil
    }
    return listener
  }

  /// Connects to a port of this machine; nil if no program accepts the connection.
  static func connect(to port: Int) -> Int32? {
    let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard connection >= 0 else { return nil }
    var address = sockaddr_in(port: port)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else {
      close(connection)
      return nil
    }
    return connection
  }
}

extension sockaddr_in {
  /// The address of a port of this machine.
  fileprivate init(port: Int) {
    self.init()
    sin_family = sa_family_t(AF_INET)
    sin_port = in_port_t(UInt16(port).bigEndian)
    sin_addr.s_addr = in_addr_t(UInt32(0x7f00_0001).bigEndian)
  }
}
#endif
