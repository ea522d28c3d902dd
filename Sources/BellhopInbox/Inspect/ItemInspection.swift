package import BellhopModel
package import BellhopText

/// Everything that is known of an item, for a person who wants to look underneath.
package struct ItemInspection: Hashable, Sendable {
  /// The item as it is shown: with this device's changes that are not sent yet.
  package var item: UserNotification
  package var account: AccountName
  /// What the person calls the app; nil for its own name.
  package var appName: SafeText?
  /// What the store last sent.
  package var base: ItemState
  /// Whether changes of this device's wait to be sent.
  package var isWaiting: Bool
  /// What was published, as JSON. Untrusted: it becomes `SafeText` before it is drawn.
  package var payload: String
  /// This device, where it is known.
  package var device: DeviceID?
  /// Changes of this device's that did not come to anything, in words; the newest first.
  package var outcomes: [SafeText] = []

  /// The largest payload that is laid out, in bytes; more than a store takes.
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
