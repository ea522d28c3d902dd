import Glibc

/// A private server: `bellhopd` over a store's folder, or a peer.
///
/// It is stopped when this program ends, however it ends.
final class Server {
  private let terminal: Terminal
  private var isStopped = false
  let processID: Int32
  /// The port on which it listens on this machine.
  let port: UInt16

  /// Returns a shell script that ends the server with this program, whose end the server may ignore.
  ///
  /// - Parameter signals: The signals that end the server, in order.
  private static func keeper(_ signals: [String] = ["TERM"]) -> String {
    let ends = signals.map { "kill -\($0) $child" }.joined(separator: "; ")
    return """
      trap '\(ends); wait; exit' TERM HUP INT; "$@" & child=$!; echo "pid $child"; wait
      """
  }

  /// Starts `bellhopd serve` and waits until it is ready.
  ///
  /// - Parameter settings: The content of its configuration file; nil for the defaults.
  convenience init(_ workspace: Workspace, store: StoreFolder, settings: String? = nil) throws {
    try self.init(
      workspace, place: ["--data", store.path], folder: store.path, settings: settings)
  }

  /// Starts `bellhopd serve` and waits until it is ready.
  ///
  /// - Parameters:
  ///   - place: The options that name the place of the data.
  ///   - folder: The folder for its configuration file, and its home.
  ///   - settings: The content of its configuration file; nil for the defaults.
  init(_ workspace: Workspace, place: [String], folder: String, settings: String?) throws {
    var command =
      [workspace.bellhopd, "serve"] + place
      + ["--listen", "127.0.0.1:0", "--log-level", "error"]
    if let settings {
      try Files.write(settings, to: folder + "/bellhopd.toml")
      command += ["--config", folder + "/bellhopd.toml"]
    }
    terminal = try Terminal(
      "/bin/sh", ["-c", Self.keeper(), "sh"] + command,
      environment: Terminal.environment(home: folder), columns: 400)
    processID = try Self.processID(terminal)
    let line = try terminal.line(beginning: "ready http://127.0.0.1:")
    guard let digits = line.split(separator: ":").last?.prefix(while: { $0.isNumber }),
      let port = UInt16(digits)
    else { throw BenchError("bellhopd does not print its address") }
    self.port = port
  }

  /// Starts any other server, and waits until it accepts connections on `port`.
  ///
  /// - Parameter folder: The working folder, with the output in the file `log`.
  convenience init(_ command: [String], folder: String, port: UInt16) throws {
    try self.init(command, folder: folder, port: port, signals: ["TERM"]) {
      guard let connection = try? LoopbackConnection(port: port) else { return false }
      connection.close()
      return true
    }
  }

  /// Starts any other server, and waits until it is ready.
  ///
  /// - Parameters:
  ///   - folder: The working folder, with the output in the file `log`.
  ///   - signals: The signals that end the server, in order.
  ///   - isReady: Whether the server can be used; called again until it is true.
  init(
    _ command: [String], folder: String, port: UInt16, signals: [String], isReady: () -> Bool
  ) throws {
    self.port = port
    let log = folder + "/log"
    let keeper = Self.keeper(signals).replacing("\"$@\"", with: "\"$@\" >>\"$log\" 2>&1")
    terminal = try Terminal(
      "/bin/sh", ["-c", "log=$1; shift; " + keeper, "sh", log] + command,
      environment: Terminal.environment(home: folder), directory: folder)
    processID = try Self.processID(terminal)
    for _ in 0..<1000 {
      if isReady() { return }
      guard kill(processID, 0) == 0 else { break }
      usleep(10_000)
    }
    let words = ((try? Files.read(log)) ?? "").suffix(300)
    throw BenchError("\(command[0]) does not start: \(words)")
  }

  deinit { stop() }

  func stop() {
    guard !isStopped else { return }
    isStopped = true
    // A shell that was killed may have left the server running.
    if !terminal.stop() { kill(processID, SIGKILL) }
  }

  private static func processID(_ terminal: Terminal) throws -> Int32 {
    let line = try terminal.line(beginning: "pid ")
    guard let process = Int32(line.dropFirst(4)) else { throw BenchError("no server was started") }
    return process
  }

  /// Returns a port that is free now.
  static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { Glibc.close(descriptor) }
    var address = LoopbackConnection.loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw BenchError("no free port was found") }
    return UInt16(bigEndian: address.sin_port)
  }
}

/// Configuration files of `bellhopd` for measurements.
enum ServerSettings {
  /// Settings without the limits that end a measurement of a fast store.
  ///
  /// By default an access token may send 60,000 requests at once and 1000 in a second after them, and
  /// an app may publish as many. A load generator with one token and one app reaches both within some
  /// seconds, and then receives status 429.
  static let withoutRateLimits = """
    [server]
    token-requests-per-second = 1000000
    token-request-burst = 10000000
    [store]
    app-publishes-per-minute = 1000000000
    user-publishes-per-minute = 1000000000

    """
}
