public import BellhopModel
public import BellhopText

/// Everything that is known of an item, for a person who wants to look underneath.
public struct ItemInspection: Hashable, Sendable {
  /// The item as it is shown: with this device's changes that are not sent yet.
  public var item: UserNotification
  public var account: AccountName
  /// What the person calls the app; nil for its own name.
  public var appName: SafeText?
  /// What the store last sent.
  public var base: ItemState
  /// Whether changes of this device's wait to be sent.
  public var isWaiting: Bool
  /// What was published, as JSON. Untrusted: it becomes `SafeText` before it is drawn.
  public var payload: String
  /// This device, where it is known.
  public var device: DeviceID?
  /// Changes of this device's that did not come to anything, in words; the newest first.
  public var outcomes: [SafeText] = []

  /// The largest payload that is laid out, in bytes; more than a store takes.
  public static let payloadBytesMax = 262_144

  public init(
    _ item: UserNotification, account: AccountName, appName: SafeText? = nil,
    base: ItemState? = nil, isWaiting: Bool = false, payload: String, device: DeviceID? = nil
  ) {
    self.item = item
    self.account = account
    self.appName = appName
    self.base = base ?? item.state
    self.isWaiting = isWaiting
    self.payload = payload
    self.device = device
  }
}
