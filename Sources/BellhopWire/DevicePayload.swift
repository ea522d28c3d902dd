public import BellhopModel

/// How a device learns of changes.
public enum ChannelType: String, Hashable, Sendable, Codable, CaseIterable {
  /// The stream of signals.
  case signal
  case polling
}

/// What a device says of itself: the body of a registration.
public struct DeviceRegistrationPayload: Hashable, Sendable, Codable {
  /// Letters, digits, `-`, `_` and `.`; at most 128.
  public var id: DeviceID
  /// For people, at most 256 bytes.
  public var name: String
  public var platform: String
  public var channel: ChannelType

  public init(id: DeviceID, name: String, platform: String, channel: ChannelType) {
    self.id = id
    self.name = name
    self.platform = platform
    self.channel = channel
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(DeviceID.self, forKey: .id)
    name = try container.decode(String.self, forKey: .name)
    platform = try container.decodeIfPresent(String.self, forKey: .platform) ?? "unknown"
    channel = try container.decodeIfPresent(ChannelType.self, forKey: .channel) ?? .polling
  }

  private enum CodingKeys: String, CodingKey { case id, name, platform, channel }
}

/// Changes to a registration; renewing is sending none.
public struct DevicePatchPayload: Hashable, Sendable, Codable {
  public var name: String?
  public var channel: ChannelType?

  public init(name: String? = nil, channel: ChannelType? = nil) {
    self.name = name
    self.channel = channel
  }
}

/// A registered device.
public struct DevicePayload: Hashable, Sendable, Codable {
  /// Where a registration is in its life.
  public enum State: String, Hashable, Sendable, Codable {
    case registered
    case expiring
    case expired
  }

  public var id: DeviceID
  public var name: String
  public var platform: String
  public var channel: ChannelType
  public var state: State
  public var registeredDateTime: Timestamp
  /// Its last use, to the day.
  public var renewedDateTime: Timestamp
  public var expirationDateTime: Timestamp
  /// Whether the request came from this device.
  public var isCurrent: Bool

  public init(
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
public struct DeviceListPayload: Hashable, Sendable, Codable {
  public var value: [DevicePayload]

  public init(value: [DevicePayload]) { self.value = value }
}

/// What the stream of signals says: there are changes up to `sequence`.
public struct SignalPayload: Hashable, Sendable, Codable {
  /// The `event:` line of a signal.
  public static let event = "changed"

  /// What changed, for a client whose base is where it begins.
  public struct ResourceData: Hashable, Sendable, Codable {
    /// The token of the delta, as a client would have asked with.
    public var since: DeltaToken
    /// Always complete: it ends with a deltaLink.
    public var delta: DeltaPayload

    public init(since: DeltaToken, delta: DeltaPayload) {
      self.since = since
      self.delta = delta
    }
  }

  public var epoch: Epoch
  public var sequence: SequenceNumber
  /// Only where it was asked for, by ``Route/signal``, and is little; named as in Graph's change
  /// notifications with resource data.
  public var resourceData: ResourceData?

  public init(epoch: Epoch, sequence: SequenceNumber, resourceData: ResourceData? = nil) {
    self.epoch = epoch
    self.sequence = sequence
    self.resourceData = resourceData
  }
}

/// Whether a store is ready, and which it is.
public struct HealthPayload: Hashable, Sendable, Codable {
  public var status: String
  public var product: String
  public var version: String
  /// Whether the store believes its wall-clock time. While it does not, nothing expires. Nil from a
  /// store of a version that does not say.
  public var clock: Clock?

  /// A store's judgement of its wall-clock time. Raw values are those of the wire.
  public enum Clock: String, Hashable, Sendable, CaseIterable {
    case plausible, implausible
  }

  public init(
    status: String = "healthy", product: String = "bellhopd", version: String,
    clock: Clock? = nil
  ) {
    self.status = status
    self.product = product
    self.version = version
    self.clock = clock
  }

  private enum CodingKeys: String, CodingKey { case status, product, version, clock }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    status = try container.decode(String.self, forKey: .status)
    product = try container.decode(String.self, forKey: .product)
    version = try container.decode(String.self, forKey: .version)
    // A later version may have another word for it.
    clock = try container.decodeIfPresent(String.self, forKey: .clock).flatMap(Clock.init)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(status, forKey: .status)
    try container.encode(product, forKey: .product)
    try container.encode(version, forKey: .version)
    try container.encodeIfPresent(clock?.rawValue, forKey: .clock)
  }
}
