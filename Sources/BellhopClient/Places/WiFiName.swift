/// The name of the Wi-Fi network that the device is on, as NetworkManager reports it.
enum WiFiName: Hashable, Sendable {
  /// The name (SSID), which may contain any bytes.
  case known([UInt8])
  /// The device is not on Wi-Fi, or NetworkManager does not run.
  case absent
  /// NetworkManager does not answer.
  case unknown

  /// The time limit for the connection and for each call.
  static let limit: Duration = .seconds(1)

  private static let service = "org.freedesktop.NetworkManager"

  /// Asks NetworkManager. Blocks the thread.
  static func present(environment: [String: String]) -> WiFiName {
    do {
      let bus = try SystemBus(environment: environment, limit: limit)
      guard try runs(bus) else { return .absent }
      return try present(bus).map(WiFiName.known) ?? .absent
    } catch {
      return error.exitCode == .configuration ? .absent : .unknown
    }
  }

  static func runs(_ bus: SystemBus) throws(ClientError) -> Bool { try bus.runs(service) }

  /// Returns the name of the primary connection's network; nil if that is not Wi-Fi.
  ///
  /// The primary connection is never a VPN of NetworkManager, but the one that the VPN uses
  /// (NetworkManager D-Bus Reference, "PrimaryConnection").
  static func present(_ bus: SystemBus) throws(ClientError) -> [UInt8]? {
    func object(_ path: String, _ interface: String) -> SystemBus.Object {
      SystemBus.Object(service: service, path: path, interface: service + interface)
    }
    let manager = object("/org/freedesktop/NetworkManager", "")
    let primary = try bus.path("PrimaryConnection", of: manager)
    guard primary != "/" else { return nil }
    let connection = object(primary, ".Connection.Active")
    guard try bus.text("Type", of: connection) == "802-11-wireless" else { return nil }
    let point = try bus.path("SpecificObject", of: connection)
    guard point != "/" else { return nil }
    let name = try bus.bytes("Ssid", of: object(point, ".AccessPoint"))
    return name.isEmpty ? nil : name
  }
}
