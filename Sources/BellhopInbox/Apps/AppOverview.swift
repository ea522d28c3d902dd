package import BellhopModel

/// An app of an account.
package struct AppKey: Hashable, Sendable {
  package var account: AccountName
  /// The app's own name, whatever the person calls it.
  package var app: String

  package init(account: AccountName, app: String) {
    self.account = account
    self.app = app
  }
}

/// What is here of one app.
package struct AppOverview: Hashable, Sendable {
  package var key: AppKey
  /// How many of its items are in the tray, and how many of those unread.
  package var tray: Int
  package var unread: Int
  /// How many of its items were delivered and are kept.
  package var kept: Int
  /// When it was last heard of; nil where nothing of it is here.
  package var lastSeen: Timestamp?

  package init(
    key: AppKey, tray: Int = 0, unread: Int = 0, kept: Int = 0, lastSeen: Timestamp? = nil
  ) {
    self.key = key
    self.tray = tray
    self.unread = unread
    self.kept = kept
    self.lastSeen = lastSeen
  }
}

extension RowSummary {
  /// The app of the row's item.
  var appKey: AppKey { AppKey(account: key.account, app: appHost) }
}
