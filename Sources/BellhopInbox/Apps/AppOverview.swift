package import BellhopModel

/// An app of an account.
package struct AppKey: Hashable, Sendable {
  package var account: AccountName
  /// The app's own name, regardless of the user's name for it.
  package var app: String

  package init(account: AccountName, app: String) {
    self.account = account
    self.app = app
  }
}

/// The number of items that one app has on this device.
package struct AppOverview: Hashable, Sendable {
  package var key: AppKey
  /// The number of its items in the tray, and of unread ones among them.
  package var tray: Int
  package var unread: Int
  /// The number of its items in the history.
  package var history: Int
  /// The time of its latest activity; nil if there are no items of it.
  package var lastSeen: Timestamp?

  package init(
    key: AppKey, tray: Int = 0, unread: Int = 0, history: Int = 0, lastSeen: Timestamp? = nil
  ) {
    self.key = key
    self.tray = tray
    self.unread = unread
    self.history = history
    self.lastSeen = lastSeen
  }
}

extension RowSummary {
  /// The app of the row's item.
  var appKey: AppKey { AppKey(account: key.account, app: appHost) }
}
