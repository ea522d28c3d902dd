/// A peer with a crowd of idle subscribers of a private nats-server.
final class NATSCrowd: Peer {
  private let server: Server
  private let folder: String

  init(_ place: PeerPlace) throws {
    folder = try place.workspace.scratch("nats")
    let port = try Server.freePort()
    server = try Server(
      [try Files.installed("nats-server"), "-a", "127.0.0.1", "-p", "\(port)"], folder: folder,
      port: port)
  }

  func measure(_ work: CrowdWork) throws -> CrowdFigures {
    try Crowd(work, process: server.processID) { [server] index in
      let connection = try LoopbackConnection(port: server.port)
      connection.setPatience(.seconds(10))
      // The server sends its information first.
      _ = try connection.receive(.line)
      try connection.ask(
        "CONNECT {\"verbose\":false}\r\nSUB items.\(index) 1\r\nPING\r\n", .through("PONG\r\n"))
      return connection
    }.figures
  }

  func stop() {
    server.stop()
    Files.remove(folder)
  }
}
