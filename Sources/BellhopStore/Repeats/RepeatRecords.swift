package import BellhopModel

/// One of the app notification ids of an item into which publications with several ids collapsed.
package struct ItemAlias: Hashable, Sendable {
  package var app: String
  package var appNotificationID: String
  package var item: NotificationID
  /// Whether the publisher has resolved the alert that it published under this id.
  package var isResolved: Bool
  /// The time of the last publication under this id.
  package var at: Timestamp

  /// The most ids of an item. Beyond it, the one that was published least recently is forgotten.
  package static let countMax = 256

  package init(
    app: String, appNotificationID: String, item: NotificationID, isResolved: Bool = false,
    at time: Timestamp
  ) {
    self.app = app
    self.appNotificationID = appNotificationID
    self.item = item
    self.isResolved = isResolved
    at = time
  }
}

/// Read access to the items into which repeats collapse. Part of ``StoreReading``.
package protocol RepeatReading: AnyObject {
  /// Returns the newest live item with the key, expired or not.
  func item(collapsedUnder key: [UInt8], of user: UserID) throws -> UserNotification?
  /// Returns the alias with this app notification id.
  func alias(_ appNotificationID: String, app: String, of user: UserID) throws -> ItemAlias?
  /// Returns the aliases of an item, the one that was published least recently first.
  ///
  /// An item with aliases has one for its own app notification id too.
  func aliases(of item: NotificationID, user: UserID) throws -> [ItemAlias]
}

/// Write access to the items into which repeats collapse. Part of ``StoreTransaction``.
package protocol RepeatRecords: RepeatReading {
  /// Sets the key under which repeats find a live item; nil for none.
  ///
  /// It depends on the settings of the app, and so is not a part of the item. It stays when the item
  /// is stored again, and is removed with it.
  func setCollapseKey(_ key: [UInt8]?, of id: NotificationID, user: UserID) throws
  /// Stores an alias, in place of an earlier one with the same app notification id.
  func put(_ alias: ItemAlias, of user: UserID) throws
  func removeAlias(_ appNotificationID: String, app: String, of user: UserID) throws
  /// Removes all aliases of an item.
  func removeAliases(of item: NotificationID, user: UserID) throws
}
