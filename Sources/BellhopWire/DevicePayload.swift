package import BellhopModel

/// How a device learns of changes.
package enum ChannelType: String, Hashable, Sendable, Codable, CaseIterable {
  /// The stream of signals.
  case signal
  case polling
}

/// What a device says of itself: the body of a registration.
package struct DeviceRegistrationPayload: Hashable, Sendable, Codable {
  /// Letters, digits, `-`, `_` and `.`; at most 128.
  package var id: DeviceID
  /// For people, at most 256 bytes.
  package var name: String
  package var platform: String
  package var channel: ChannelType

  package init(id: DeviceID, name: String, platform: String, channel: ChannelType) {
    self.id = id
    self.name = name
    self.platform = platform
    self.channel = channel
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(DeviceID.self, forKey: .id)
    name = try container.decode(String.self, forKey: .name)
    platform = try container.decodeIfPresent(String.self, forKey: .platform) ?? "unknown"
    channel = try container.decodeIfPresent(ChannelType.self, forKey: .channel) ?? .polling
  }

  private enum CodingKeys: String, CodingKey { case id, name, platform, channel }
}

/// Changes to a registration; renewing is sending none.
package struct DevicePatchPayload: Hashable, Sendable, Codable {
  package var name: String?
  package var channel: ChannelType?

  package init(name: String? = nil, channel: ChannelType? = nil) {
    self.name = name
    self.channel = channel
  }
}

/// A registered device.
package struct DevicePayload: Hashable, Sendable, Codable {
  /// Where a registration is in its life.
  package enum State: String, Hashable, Sendable, Codable {
    case registered
    case expiring
    case expired
  }

  package var id: DeviceID
  package var name: String
  package var platform: String
  package var channel: ChannelType
  package var state: State
  package var registeredDateTime: Timestamp
  /// Its last use, to the day.
  package var renewedDateTime: Timestamp
  package var expirationDateTime: Timestamp
  /// Whether the request came from this device.
  package var isCurrent: Bool

  package init(
    id: DeviceID, name: String, platform: String, channel: ChannelType, state: State,
    registeredDateTime: Timestamp, renewedDateTime: Timestamp, expirationDateTime: Timestamp,
    isCurrent: Bool
  ) {
    self.id = id
    self.name = name
    self.platform = platform
    self.channel = channel
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

/// What the stream of signals says: there are changes up to `sequence`.
package struct SignalPayload: Hashable, Sendable, Codable {
  /// The `event:` line of a signal.
  package static let event = "changed"

  /// What changed, for a client whose base is where it begins.
  package struct ResourceData: Hashable, Sendable, Codable {
    /// The token of the delta, as a client would have asked with.
    package var since: DeltaToken
    /// Always complete: it ends with a deltaLink.
    package var delta: DeltaPayload

    package init(since: DeltaToken, delta: DeltaPayload) {
      self.since = since
      self.delta = delta
    }
  }

  package var epoch: Epoch
  package var sequence: SequenceNumber
  /// Only where it was asked for, by ``Route/signal``, and is little; named as in Graph's change
  /// notifications with resource data.
  package var resourceData: ResourceData?

  package init(epoch: Epoch, sequence: SequenceNumber, resourceData: ResourceData? = nil) {
    self.epoch = epoch
    self.sequence = sequence
    self.resourceData = resourceData
  }
}

/// Whether a store is ready, and which it is.
package struct HealthPayload: Hashable, Sendable, Codable {
  package var status: String
  package var product: String
  package var version: String
  /// Whether the store believes its wall-clock time. While it does not, nothing expires. Nil from a
  /// store of a version that does not say.
  package var clock: Clock?

  /// A store's judgement of its wall-clock time. Raw values are those of the wire.
  package enum Clock: String, Hashable, Sendable, CaseIterable {
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
    // A later version may have another word for it.
    clock = try container.decodeIfPresent(String.self, forKey: .clock).flatMap(Clock.init)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(status, forKey: .status)
    try container.encode(product, forKey: .product)
    try container.encode(version, forKey: .version)
    try container.encodeIfPresent(clock?.rawValue, forKey: .clock)
  }
}
