package import BellhopModel

/// The way a device learns of changes.
package enum DeviceChannel: String, Hashable, Sendable, Codable, CaseIterable {
  case signal
  case polling
}

/// The details that a client provides when it registers.
package struct DeviceRegistration: Hashable, Sendable {
  package var id: DeviceID
  package var name: String
  package var platform: String
  package var channel: DeviceChannel
  /// The environment, which decides which items reach the device.
  package var environment: RegistrationEnvironment

  package init(
    id: DeviceID, name: String, platform: String, channel: DeviceChannel,
    environment: RegistrationEnvironment = .production
  ) {
    self.id = id
    self.name = name
    self.platform = platform
    self.channel = channel
    self.environment = environment
  }
}

/// A registered client installation.
package struct Device: Hashable, Sendable, Identifiable {
  /// The stage of a registration's life.
  package enum State: String, Hashable, Sendable, Codable {
    case registered
    case expiring
    case expired
  }

  package var registration: DeviceRegistration
  package var registered: Timestamp
  /// The time of its last registration or use, to the day.
  package var renewed: Timestamp
  package var expires: Timestamp

  package init(
    registration: DeviceRegistration, registered: Timestamp, renewed: Timestamp,
    expires: Timestamp
  ) {
    self.registration = registration
    self.registered = registered
    self.renewed = renewed
    self.expires = expires
  }

  package var id: DeviceID { registration.id }

  /// Returns the state at `now`. A registration is expiring in the last `expiring` of its life.
  package func state(at now: Timestamp, expiring: Duration) -> State {
    if now >= expires { return .expired }
    return now.advanced(by: expiring) >= expires ? .expiring : .registered
  }

  /// The device as the author of a change.
  package var author: Author {
    Author(kind: .device, id: id.rawValue, name: registration.name)
  }
}
