import Dispatch
import Glibc
import Synchronization

/// A system bus with fakes of NetworkManager and GeoClue, for one test.
///
/// It is the bus and the services at once, so it needs no other program. Programs connect to
/// ``address`` if `DBUS_SYSTEM_BUS_ADDRESS` names it.
package final class FakeSystemBus: Sendable {
  /// The services and their answers.
  package struct Services: Sendable {
    package var hasNetworkManager = true
    /// The name of the Wi-Fi network; nil on Ethernet.
    package var wifiName: [UInt8]?
    package var hasGeoClue = true
    /// Whether GeoClue accepts the program.
    package var allowsPositions = true
    /// The position as latitude, longitude and accuracy; nil before GeoClue knows one.
    package var position: (latitude: Double, longitude: Double, accuracyMeters: Double)?
    /// Whether the bus answers at all.
    package var answers = true
    /// The names of the properties that clients have set.
    package internal(set) var settings: Set<String> = []
  }

  private struct State {
    var services = Services()
    var connections: [Int32: UInt32] = [:]
    /// The connections whose clients of GeoClue have started.
    var started: Set<Int32> = []
    var isOver = false
  }

  private static let manager = "org.freedesktop.NetworkManager"
  private static let geoClue = "org.freedesktop.GeoClue2"

  private let folder: TemporaryFolder
  private let listener: Int32
  private let state = Mutex(State())

  package var address: String { "unix:path=\(folder.path)/bus" }
  /// The number of clients that receive positions.
  package var startedCount: Int { state.withLock { $0.started.count } }
  package var settings: Set<String> { state.withLock { $0.services.settings } }

  package init() throws {
    folder = try TemporaryFolder()
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.listener = listener
    var own = sockaddr_un()
    own.sun_family = sa_family_t(AF_UNIX)
    let path = Array("\(folder.path)/bus".utf8)
    withUnsafeMutableBytes(of: &own.sun_path) { $0.copyBytes(from: path) }
    let isBound = withUnsafePointer(to: &own) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isBound, listen(listener, 16) == 0 else {
      throw NotSeen("a fake bus", seen: String(cString: strerror(errno)))
    }
    DispatchQueue(label: "tests.bus").async { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0, let bus = self, bus.add(connection) else {
          if connection >= 0 { close(connection) }
          break
        }
        DispatchQueue(label: "tests.bus.connection").async { [weak bus] in
          Self.serve(connection) { bus?.answers(to: $0, on: connection) }
          if let bus { bus.remove(connection) } else { close(connection) }
        }
      }
      close(listener)
    }
  }

  /// Ends the bus and its connections.
  package func end() {
    let connections = state.withLock { state in
      state.isOver = true
      return Array(state.connections.keys)
    }
    shutdown(listener, Int32(SHUT_RDWR))
    for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
    folder.remove()
  }

  package func change(_ body: (inout Services) -> Void) {
    state.withLock { body(&$0.services) }
  }

  /// Moves the device, and sends the new position to the clients that have started.
  package func move(latitude: Double, longitude: Double, accuracyMeters: Double = 20) {
    state.withLock { state in
      state.services.position = (latitude, longitude, accuracyMeters)
      for connection in state.started { send(.locationUpdated(connection), to: connection, &state) }
    }
  }

  /// Ends GeoClue, with the clients that it had.
  package func endGeoClue() {
    state.withLock { state in
      state.services.position = nil
      for connection in state.started {
        let body: [BusMessage.Value] = [.text(Self.geoClue), .text(":1.1"), .text("")]
        send(
          .signal("/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged", body),
          to: connection, &state)
      }
      state.started = []
    }
  }

  // MARK: - Connections

  private func add(_ connection: Int32) -> Bool {
    state.withLock { state in
      guard !state.isOver else { return false }
      state.connections[connection] = 0
      return true
    }
  }

  private func remove(_ connection: Int32) {
    state.withLock { state in
      state.connections[connection] = nil
      state.started.remove(connection)
      // Within the lock, so that no message goes to a later connection with the same number.
      close(connection)
    }
  }

  private func send(_ message: BusMessage, to connection: Int32, _ state: inout State) {
    let serial = (state.connections[connection] ?? 0) + 1
    state.connections[connection] = serial
    var message = message
    message.serial = serial
    let bytes = message.bytes
    _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Reads a connection to its end.
  private static func serve(_ connection: Int32, _ take: (BusMessage) -> Void) {
    guard authenticate(connection) else { return }
    while let prefix = read(BusMessage.prefixBytes, connection),
      let count = BusMessage.restBytes(after: prefix), let rest = read(count, connection),
      let message = BusMessage(prefix + rest)
    { take(message) }
  }

  /// Accepts any client (D-Bus Specification 0.43, "Authentication Protocol").
  private static func authenticate(_ connection: Int32) -> Bool {
    while let line = readLine(connection) {
      let words = line.drop { $0 == "\0" }.split(separator: " ")
      let answer: String
      switch (words.first, words.count) {
      case ("AUTH", 2): answer = "DATA"
      case ("AUTH", 3), ("DATA", _): answer = "OK 0123456789abcdef0123456789abcdef"
      case ("NEGOTIATE_UNIX_FD", _): answer = "AGREE_UNIX_FD"
      case ("BEGIN", _): return true
      default: answer = "ERROR"  // open: String
      }
      let bytes = Array((answer + "\r\n").utf8)
      _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
    return false
  }

  private static func readLine(_ connection: Int32) -> String? {
    var bytes: [UInt8] = []
    while let byte = read(1, connection)?.first, bytes.count < 1024 {
      if byte == UInt8(ascii: "\n") {
        return String(decoding: bytes.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
      }
      bytes.append(byte)
    }
    return nil
  }

  private static func read(_ count: Int, _ connection: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: count)
    return count == 0 || recv(connection, &buffer, count, Int32(MSG_WAITALL)) == count
      ? buffer : nil
  }
}

// MARK: - Services

extension FakeSystemBus {
  private enum Answer: Sendable {
    case values([BusMessage.Value])
    case error(String)

    static let unknownService = Answer.error("org.freedesktop.DBus.Error.ServiceUnknown")
    static let denied = Answer.error("org.freedesktop.DBus.Error.AccessDenied")
    static let unknownMethod = Answer.error("org.freedesktop.DBus.Error.UnknownMethod")
  }

  private func answers(to call: BusMessage, on connection: Int32) {
    state.withLock { state in
      guard call.kind == .call, state.services.answers else { return }
      var reply: BusMessage
      switch answer(to: call, on: connection, &state) {
      case .values(let values): reply = BusMessage(.reply, fields: [:], body: values)
      case .error(let name):
        reply = BusMessage(.error, fields: [4: .text(name)], body: [.text("A fake failure.")])
      }
      reply.fields[5] = .number(call.serial)
      send(reply, to: connection, &state)
      guard call.member == "Start", state.started.contains(connection),
        state.services.position != nil
      else { return }
      send(.locationUpdated(connection), to: connection, &state)
    }
  }

  private func answer(
    to call: BusMessage, on connection: Int32, _ state: inout State
  ) -> Answer {
    let services = state.services
    let client = BusMessage.clientPath(connection)
    switch (call.interface, call.member) {
    case ("org.freedesktop.DBus", "Hello"): return .values([.text(":1.\(connection)")])
    case ("org.freedesktop.DBus", "AddMatch"): return .values([])
    case ("org.freedesktop.DBus", "NameHasOwner"):
      return .values([
        .truth(call.texts.first == Self.manager ? services.hasNetworkManager : services.hasGeoClue)
      ])
    case (Self.geoClue + ".Manager", "GetClient"):
      return services.hasGeoClue ? .values([.path(client)]) : .unknownService
    case (Self.geoClue + ".Client", "Start"):
      guard call.path == client, services.allowsPositions,
        services.settings.contains("DesktopId")
      else { return .denied }
      state.started.insert(connection)
      return .values([])
    case ("org.freedesktop.DBus.Properties", "Get"):
      return property(call.texts.last ?? "", call.path, client, services)
    case ("org.freedesktop.DBus.Properties", "Set"):
      // A client belongs to its connection, as in GeoClue.
      guard call.path == client, let name = call.texts.last else { return .denied }
      state.services.settings.insert(name)
      return .values([])
    default: return .unknownMethod  // open: String
    }
  }

  private func property(
    _ name: String, _ path: String, _ client: String, _ services: Services
  ) -> Answer {
    let isOfGeoClue = path.hasPrefix("/org/freedesktop/GeoClue2")
    guard isOfGeoClue ? services.hasGeoClue : services.hasNetworkManager else {
      return .unknownService
    }
    let position = services.position ?? (0, 0, 0)
    let root = "/org/freedesktop/NetworkManager"
    let value: BusMessage.Value
    switch name {
    case "PrimaryConnection": value = .path(root + "/ActiveConnection/1")
    case "Type": value = .text(services.wifiName == nil ? "802-3-ethernet" : "802-11-wireless")
    case "SpecificObject": value = .path(root + "/AccessPoint/1")
    case "Ssid": value = .bytes(services.wifiName ?? [])
    case "AvailableAccuracyLevel": value = .number(8)
    case "Location":
      guard path == client else { return .denied }
      value = .path(services.position == nil ? "/" : BusMessage.locationPath)
    case "Latitude": value = .real(position.latitude)
    case "Longitude": value = .real(position.longitude)
    case "Accuracy": value = .real(position.accuracyMeters)
    default: return .unknownMethod  // open: String
    }
    return .values([.variant(value)])
  }
}

extension BusMessage {
  fileprivate static let locationPath = "/org/freedesktop/GeoClue2/Location/1"

  fileprivate static func clientPath(_ connection: Int32) -> String {
    "/org/freedesktop/GeoClue2/Client/\(connection)"
  }

  fileprivate static func signal(
    _ path: String, _ interface: String, _ member: String, _ body: [Value]
  ) -> BusMessage {
    BusMessage(
      .signal, fields: [1: .path(path), 2: .text(interface), 3: .text(member)], body: body)
  }

  fileprivate static func locationUpdated(_ connection: Int32) -> BusMessage {
    .signal(
      clientPath(connection), "org.freedesktop.GeoClue2.Client", "LocationUpdated",
      [.path("/"), .path(locationPath)])
  }
}
