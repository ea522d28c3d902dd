import BellhopWire

/// A private Redis server, with an append-only file that is synced at every write.
struct RedisServer {
  let server: Server
  private let folder: String

  init(_ place: PeerPlace, _ name: String) throws {
    folder = try place.workspace.scratch("redis-" + name)
    let port = try Server.freePort()
    server = try Server(
      [
        try Files.installed("redis-server"), "--port", "\(port)", "--bind", "127.0.0.1", "--dir",
        folder, "--appendonly", "yes", "--appendfsync", "always", "--save", "",
        "--auto-aof-rewrite-percentage", "0",
      ], folder: folder, port: port)
  }

  func stop() {
    server.stop()
    Files.remove(folder)
  }

  /// Returns the command that appends a publication to a stream, which stores it as our store does.
  static func append() throws -> [UInt8] {
    let body = try WireJSON.encode(PublishPayload(BenchRequests.sample()))
    return command(["XADD", "items", "*", "item"].map { Array($0.utf8) } + [body])
  }

  static func command(_ words: String...) -> [UInt8] { command(words.map { Array($0.utf8) }) }

  private static func command(_ words: [[UInt8]]) -> [UInt8] {
    var bytes = Array("*\(words.count)\r\n".utf8)
    for word in words { bytes += Array("$\(word.count)\r\n".utf8) + word + [13, 10] }
    return bytes
  }
}

/// A peer that appends while a reader waits. The reader receives the entry before the disk does.
final class RedisStream: Peer {
  private let redis: RedisServer

  init(_ place: PeerPlace) throws { redis = try RedisServer(place, "relay") }

  func measure(_ count: Int) throws -> Samples {
    let wait = RedisServer.command("XREAD", "BLOCK", "10000", "STREAMS", "items", "$")
    let append = try RedisServer.append()
    let writer = try LoopbackConnection(port: redis.server.port)
    let reader = try LoopbackConnection(port: redis.server.port)
    var samples = Samples()
    for _ in 0..<count {
      try reader.send(wait)
      // The reader's request must arrive before the append.
      try writer.ask(RedisServer.command("DBSIZE"), .redis)
      let start = ContinuousClock().now
      try writer.send(append)
      _ = try reader.receive(.anything)
      samples.add(ContinuousClock().now - start)
      _ = try writer.receive(.redis)
    }
    return samples
  }

  func stop() { redis.stop() }
}

/// A peer with several clients that append at once.
final class RedisAppend: Peer {
  private let redis: RedisServer

  init(_ place: PeerPlace) throws { redis = try RedisServer(place, "publish") }

  func measure(_ work: PublishWork) throws -> Double {
    let load = Load(
      port: redis.server.port, framing: .redis, request: try RedisServer.append(),
      connections: work.connections)
    return try load.run(for: work.time).rate
  }

  func stop() { redis.stop() }
}
