package import BellhopModel
package import BellhopText

/// All stored data of an item, for inspection by the user.
package struct ItemInspection: Hashable, Sendable {
  /// The item as shown, with this device's unsent changes.
  package var item: UserNotification
  package var account: AccountName
  /// The user's name for the app; nil for its own name.
  package var appName: SafeText?
  /// The state that the store last sent.
  package var base: ItemState
  /// Whether this device has unsent changes of the item.
  package var isWaiting: Bool
  /// The published payload as JSON. Untrusted: it becomes `SafeText` before it is drawn.
  package var payload: String
  /// The current device, if known.
  package var device: DeviceID?
  /// This device's changes without effect, in words; newest first.
  package var outcomes: [SafeText] = []

  /// The maximum payload that is laid out, in bytes; more than a store accepts.
  package static let payloadBytesMax = 262_144

  package init(
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
