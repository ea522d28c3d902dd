public import BellhopModel

/// How a device learns of changes.
public enum DeviceChannel: String, Hashable, Sendable, Codable, CaseIterable {
  case signal
  case polling
}

/// What a client says of itself when it registers.
public struct DeviceRegistration: Hashable, Sendable {
  public var id: DeviceID
  public var name: String
  public var platform: String
  public var channel: DeviceChannel

  public init(id: DeviceID, name: String, platform: String, channel: DeviceChannel) {
    self.id = id
    self.name = name
    self.platform = platform
    self.channel = channel
  }
}

/// A registered install of a client.
public struct Device: Hashable, Sendable, Identifiable {
  /// Where a registration is in its life.
  public enum State: String, Hashable, Sendable, Codable {
    case registered
    case expiring
    case expired
  }

  public var registration: DeviceRegistration
  public var registered: Timestamp
  /// Its last registration or use, to the day.
  public var renewed: Timestamp
  public var expires: Timestamp

  public init(
    registration: DeviceRegistration, registered: Timestamp, renewed: Timestamp,
    expires: Timestamp
  ) {
    self.registration = registration
    self.registered = registered
    self.renewed = renewed
    self.expires = expires
  }

  public var id: DeviceID { registration.id }

  /// The state at `now`; a registration is expiring in the last `expiring` of its life.
  public func state(at now: Timestamp, expiring: Duration) -> State {
    if now >= expires { return .expired }
    return now.advanced(by: expiring) >= expires ? .expiring : .registered
  }

  /// The device as the author of a change.
  public var author: Author {
    Author(kind: .device, id: id.rawValue, name: registration.name)
  }
}
