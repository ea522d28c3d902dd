internal import Dispatch

/// A client of GeoClue, the service for positions of the device (GeoClue 2, D-Bus API).
///
/// GeoClue gives each connection to the bus a client of its own, which only that connection can use.
/// One thread therefore keeps a connection for as long as positions are needed.
enum GeoClue {
  /// The time limit for most calls.
  static let limit: Duration = .seconds(5)
  /// The time limit for the start, which may ask the user for permission.
  static let permissionLimit: Duration = .seconds(120)
  /// The least time between two positions, and the first wait after a failure.
  static let spacing: Duration = .seconds(60)
  /// The longest wait after a failure.
  static let longestWait: Duration = .seconds(15 * 60)

  private static let service = "org.freedesktop.GeoClue2"
  /// The name of this program's desktop file, without its ending.
  private static let desktopID = "bellhop"
  /// The accuracy of satellites (`GCLUE_ACCURACY_LEVEL_EXACT`). GeoClue gives what the user allows.
  private static let exact: UInt32 = 8

  /// Returns a stream of positions, with nil when there is none any more.
  ///
  /// A failure is tried again after a minute, and later less often. The stream ends when its reader
  /// is cancelled.
  ///
  /// - Parameter thresholdMeters: The least distance between two positions.
  static func positions(
    environment: [String: String], thresholdMeters: UInt32
  ) -> AsyncStream<Position?> {
    let (stream, continuation) = AsyncStream<Position?>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    guard let end = try? EndPipe() else { return stream }
    continuation.onTermination = { _ in end.end() }
    DispatchQueue(label: "bellhop.places.position").async {
      var wait = spacing
      while true {
        let hadPosition = follow(environment, thresholdMeters, until: end) {
          continuation.yield($0)
        }
        if hadPosition {
          continuation.yield(nil)
          wait = spacing
        }
        if end.wait(atMost: wait) { break }
        wait = min(wait * 2, longestWait)
      }
      continuation.finish()
    }
    return stream
  }

  /// Starts a client, and passes on its positions until a failure or the end.
  ///
  /// - Returns: Whether there was a position.
  private static func follow(
    _ environment: [String: String], _ thresholdMeters: UInt32, until end: EndPipe,
    _ tell: (Position) -> Void
  ) -> Bool {
    var hadPosition = false
    do {
      let bus = try SystemBus(environment: environment, limit: limit)
      let client = try start(on: bus, thresholdMeters: thresholdMeters)
      // GeoClue may have had a position before.
      let known = try bus.path("Location", of: client)
      if known != "/" {
        tell(try position(known, on: bus))
        hadPosition = true
      }
      while let signal = try bus.waitForSignal(until: end, within: nil) {
        if signal.member == "LocationUpdated", signal.path == client.path,
          let path = signal.arguments.last
        {
          tell(try position(path, on: bus))
          hadPosition = true
        } else if signal.member == "NameOwnerChanged", signal.arguments.first == service {
          // GeoClue has ended, and its client with it.
          return hadPosition
        }
      }
    } catch {
      // The caller tries again later; `bellhop doctor` shows the reason.
    }
    return hadPosition
  }

  /// Starts a client.
  ///
  /// - Parameter startLimit: The time limit for the start itself.
  /// - Throws: ``ClientError`` with the reason why this device has no positions.
  static func start(
    on bus: SystemBus, thresholdMeters: UInt32, startLimit: Duration = permissionLimit
  ) throws(ClientError) -> SystemBus.Object {
    let client = SystemBus.Object(
      service: service, path: try bus.path(manager, "GetClient"), interface: service + ".Client")
    try bus.set("DesktopId", of: client, to: desktopID)
    try bus.set("DistanceThreshold", of: client, to: thresholdMeters)
    try bus.set("TimeThreshold", of: client, to: UInt32(spacing.components.seconds))
    try bus.set("RequestedAccuracyLevel", of: client, to: exact)
    try bus.select(
      "type='signal',sender='\(service)',path='\(client.path)',member='LocationUpdated'")
    try bus.select(
      "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(service)'")
    bus.setLimit(startLimit)
    try bus.call(client, "Start")
    bus.setLimit(limit)
    return client
  }

  /// Whether GeoClue has a source of positions, and the user has not turned it off.
  static func isAvailable(on bus: SystemBus) throws(ClientError) -> Bool {
    try bus.number("AvailableAccuracyLevel", of: manager) != 0
  }

  private static let manager = SystemBus.Object(
    service: service, path: "/org/freedesktop/GeoClue2/Manager", interface: service + ".Manager")

  private static func position(
    _ path: String, on bus: SystemBus
  ) throws(ClientError) -> Position {
    let location = SystemBus.Object(
      service: service, path: path, interface: service + ".Location")
    return Position(
      latitude: try bus.real("Latitude", of: location),
      longitude: try bus.real("Longitude", of: location),
      accuracyMeters: try bus.real("Accuracy", of: location))
  }

  /// Returns the least distance between two positions that an area of this radius needs.
  static func threshold(radiusMeters: Double) -> UInt32 {
    UInt32(min(max(radiusMeters / 4, 10), 1000))
  }
}
