import BellhopWire
import Glibc

/// A private mosquitto server, with the parts of MQTT 3.1.1 that a client needs here.
struct MosquittoServer {
  let server: Server
  private let folder: String

  init(_ place: PeerPlace, _ name: String) throws {
    folder = try place.workspace.scratch("mosquitto-" + name)
    let port = try Server.freePort()
    let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? ""
    // Started as root, it would switch to a user that cannot read its folder.
    try Files.write(
      """
      listener \(port) 127.0.0.1
      allow_anonymous true
      set_tcp_nodelay true
      persistence true
      persistence_location \(folder)/
      max_connections -1
      \(geteuid() == 0 ? "user \(user)" : "")

      """, to: folder + "/mosquitto.conf")
    server = try Server(
      [try Files.installed("mosquitto"), "-c", folder + "/mosquitto.conf"], folder: folder,
      port: port)
  }

  func stop() {
    server.stop()
    Files.remove(folder)
  }

  /// Connects a client, without keep-alive, so that an idle client sends nothing.
  func client(_ name: String) throws -> LoopbackConnection {
    let connection = try LoopbackConnection(port: server.port)
    connection.setPatience(.seconds(10))
    try connection.ask(
      Self.packet(0x10, Self.text("MQTT") + [4, 2, 0, 0] + Self.text(name)), .mqtt)
    return connection
  }

  /// Subscribes with QoS 1.
  func subscribe(_ connection: LoopbackConnection, to topic: String) throws {
    try connection.ask(Self.packet(0x82, [0, 1] + Self.text(topic) + [1]), .mqtt)
  }

  /// Returns a message with QoS 1.
  static func publish(_ body: [UInt8], to topic: String, packet number: UInt16) -> [UInt8] {
    packet(0x32, text(topic) + [UInt8(number >> 8), UInt8(number & 255)] + body)
  }

  /// Returns the acknowledgement of a message, whose packet number follows its topic.
  static func acknowledgement(of message: [UInt8]) -> [UInt8] {
    let head = 1 + (message.dropFirst().firstIndex { $0 < 0x80 } ?? 1)
    let topic = Int(message[head]) << 8 | Int(message[head + 1])
    let number = head + 2 + topic
    return [0x40, 2, message[number], message[number + 1]]
  }

  private static func packet(_ kind: UInt8, _ rest: [UInt8]) -> [UInt8] {
    var bytes = [kind]
    var length = rest.count
    repeat {
      bytes.append(UInt8(length & 0x7F) | (length > 0x7F ? 0x80 : 0))
      length >>= 7
    } while length > 0
    return bytes + rest
  }

  private static func text(_ text: String) -> [UInt8] {
    [UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 255)] + Array(text.utf8)
  }
}

/// A peer that relays messages between clients, at least once. Mosquitto does not wait for the
/// disk.
final class MosquittoRelay: Peer {
  private let mosquitto: MosquittoServer
  private var serial: UInt16 = 0

  init(_ place: PeerPlace) throws { mosquitto = try MosquittoServer(place, "relay") }

  func measure(_ count: Int) throws -> Samples {
    let body = try WireJSON.encode(PublishPayload(BenchRequests.sample()))
    let reader = try mosquitto.client("reader")
    try mosquitto.subscribe(reader, to: "items")
    let writer = try mosquitto.client("writer")
    var samples = Samples()
    for _ in 0..<count {
      serial = serial % 65_535 + 1
      let message = MosquittoServer.publish(body, to: "items", packet: serial)
      let start = ContinuousClock().now
      try writer.send(message)
      let received = try reader.receive(.mqtt)
      samples.add(ContinuousClock().now - start)
      try reader.send(MosquittoServer.acknowledgement(of: received))
      _ = try writer.receive(.mqtt)
    }
    return samples
  }

  func stop() { mosquitto.stop() }
}

/// A peer with a crowd of idle subscribers.
final class MosquittoCrowd: Peer {
  private let mosquitto: MosquittoServer

  init(_ place: PeerPlace) throws { mosquitto = try MosquittoServer(place, "crowd") }

  func measure(_ work: CrowdWork) throws -> CrowdFigures {
    try Crowd(work, process: mosquitto.server.processID) { [mosquitto] index in
      let client = try mosquitto.client("client\(index)")
      try mosquitto.subscribe(client, to: "items/\(index)")
      return client
    }.figures
  }

  func stop() { mosquitto.stop() }
}
