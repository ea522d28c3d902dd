import Glibc

/// A real `bellhopd` over a store's folder, or another server, in a terminal of its own.
final class Server {
  private let terminal: Terminal
  var processID: Int32 { terminal.processID }
  /// Where it listens on this machine.
  let port: UInt16

  /// Starts `bellhopd serve` and waits until it is ready.
  init(_ workspace: Workspace, store: StoreFolder) throws {
    terminal = try Terminal(
      workspace.bellhopd,
      ["serve", "--data", store.path, "--listen", "127.0.0.1:0", "--log-level", "error"],
      environment: Terminal.environment(home: store.path), columns: 400)
    try terminal.wait(for: "ready http://127.0.0.1:")
    try terminal.wait(for: "\n")
    let text = String(decoding: terminal.recent, as: UTF8.self)
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("ready ") }),
      let digits = line.split(separator: ":").last?.prefix(while: { $0.isNumber }),
      let port = UInt16(digits)
    else { throw BenchError("bellhopd does not say where it listens") }
    self.port = port
  }

  /// Starts any other server and waits until it accepts connections on `port`.
  init(_ path: String, _ arguments: [String], folder: String, port: UInt16) throws {
    self.port = port
    // The shell ends the server when this program goes away, which servers themselves ignore.
    let command = ([path] + arguments).map { "'\($0)'" }.joined(separator: " ")
    terminal = try Terminal(
      "/bin/sh",
      ["-c", "trap 'kill $child; wait; exit' TERM HUP INT; \(command) & child=$!; wait"],
      environment: Terminal.environment(home: folder), directory: folder)
    for _ in 0..<500 {
      if let connection = try? Connection(port: port) {
        connection.close()
        return
      }
      usleep(10_000)
    }
    throw BenchError("\(path) does not start")
  }

  func stop() { terminal.stop() }

  /// A port that is free now.
  static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { Glibc.close(descriptor) }
    var address = Connection.loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw BenchError("no port is free") }
    return UInt16(bigEndian: address.sin_port)
  }
}
