package import BellhopModel

/// The channel through which a device learns of changes.
package enum ChannelType: String, Hashable, Sendable, Codable, CaseIterable {
  /// The signal stream.
  case signal
  case polling
}

extension RegistrationEnvironment {
  /// The environment as payloads contain it: nil for production, which is never written.
  package var written: RegistrationEnvironment? {
    switch self {
    case .development: self
    case .production: nil
    }
  }
}

/// The body of a device registration.
package struct DeviceRegistrationPayload: Hashable, Sendable, Codable {
  /// Letters, digits, `-`, `_` and `.`; at most 128 characters.
  package var id: DeviceID
  /// A display name of at most 256 bytes.
  package var name: String
  package var platform: String
  package var channel: ChannelType
  /// The environment of the device; nil for production.
  package var environment: RegistrationEnvironment?

  package init(
    id: DeviceID, name: String, platform: String, channel: ChannelType,
    environment: RegistrationEnvironment? = nil
  ) {
    self.id = id
    self.name = name
    self.platform = platform
    self.channel = channel
    self.environment = environment
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(DeviceID.self, forKey: .id)
    name = try container.decode(String.self, forKey: .name)
    platform = try container.decodeIfPresent(String.self, forKey: .platform) ?? "unknown"
    channel = try container.decodeIfPresent(ChannelType.self, forKey: .channel) ?? .polling
    environment = try container.decodeIfPresent(
      RegistrationEnvironment.self, forKey: .environment)
  }

  private enum CodingKeys: String, CodingKey { case id, name, platform, channel, environment }
}

/// Changes to a device registration. An empty patch renews it.
package struct DevicePatchPayload: Hashable, Sendable, Codable {
  package var name: String?
  package var channel: ChannelType?
  /// The environment from now on; nil leaves it as it is.
  package var environment: RegistrationEnvironment?

  package init(
    name: String? = nil, channel: ChannelType? = nil, environment: RegistrationEnvironment? = nil
  ) {
    self.name = name
    self.channel = channel
    self.environment = environment
  }
}

/// A registered device.
package struct DevicePayload: Hashable, Sendable, Codable {
  /// The state of a device registration.
  package enum State: String, Hashable, Sendable, Codable {
    case registered
    case expiring
    case expired
  }

  package var id: DeviceID
  package var name: String
  package var platform: String
  package var channel: ChannelType
  /// The environment of the device; nil for production.
  package var environment: RegistrationEnvironment?
  package var state: State
  package var registeredDateTime: Timestamp
  /// The day of its last use.
  package var renewedDateTime: Timestamp
  package var expirationDateTime: Timestamp
  /// Whether this device sent the request.
  package var isCurrent: Bool

  package init(
    id: DeviceID, name: String, platform: String, channel: ChannelType, state: State,
    registeredDateTime: Timestamp, renewedDateTime: Timestamp, expirationDateTime: Timestamp,
    isCurrent: Bool, environment: RegistrationEnvironment? = nil
  ) {
    self.id = id
    self.name = name
    self.platform = platform
    self.channel = channel
    self.environment = environment
    self.state = state
    self.registeredDateTime = registeredDateTime
    self.renewedDateTime = renewedDateTime
    self.expirationDateTime = expirationDateTime
    self.isCurrent = isCurrent
  }
}

/// The user's devices.
package struct DeviceListPayload: Hashable, Sendable, Codable {
  package var value: [DevicePayload]

  package init(value: [DevicePayload]) { self.value = value }
}

/// A message of the signal stream: there are changes up to `sequence`.
package struct SignalPayload: Hashable, Sendable, Codable {
  /// The `event:` line of a signal.
  package static let event = "changed"

  /// The changes since a token, for a client that is at this token.
  package struct ResourceData: Hashable, Sendable, Codable {
    /// The token that the delta starts from, as a client would have sent it.
    package var since: DeltaToken
    /// The changes; always complete, so it ends with a deltaLink.
    package var delta: DeltaPayload

    package init(since: DeltaToken, delta: DeltaPayload) {
      self.since = since
      self.delta = delta
    }
  }

  package var epoch: Epoch
  package var sequence: SequenceNumber
  /// The changes themselves, if requested with ``Route/signal`` and if they are small.
  ///
  /// Named after the resource data in Graph's change notifications.
  package var resourceData: ResourceData?

  package init(epoch: Epoch, sequence: SequenceNumber, resourceData: ResourceData? = nil) {
    self.epoch = epoch
    self.sequence = sequence
    self.resourceData = resourceData
  }
}

/// The health of a store, with its product name and version.
package struct HealthPayload: Hashable, Sendable, Codable {
  package var status: String
  package var product: String
  package var version: String
  /// Whether the store trusts its wall-clock time. While it does not, no item expires.
  ///
  /// Nil from store versions that do not send it.
  package var clock: Clock?

  /// A store's assessment of its wall-clock time. Raw values are the wire's.
  package enum Clock: String, Hashable, Sendable, CaseIterable, Encodable {
    case plausible, implausible
  }

  package init(
    status: String = "healthy", product: String = "bellhopd", version: String,
    clock: Clock? = nil
  ) {
    self.status = status
    self.product = product
    self.version = version
    self.clock = clock
  }

  private enum CodingKeys: String, CodingKey { case status, product, version, clock }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    status = try container.decode(String.self, forKey: .status)
    product = try container.decode(String.self, forKey: .product)
    version = try container.decode(String.self, forKey: .version)
    // A later version may have another value here.
    clock = try container.decodeIfPresent(String.self, forKey: .clock).flatMap(Clock.init)
  }
}
