package import BellhopModel

/// Read access to the items into which repeats collapse. Part of ``StoreReading``.
package protocol RepeatReading: AnyObject {
  /// Returns the newest live item with the key, expired or not.
  func item(collapsedUnder key: [UInt8], of user: UserID) throws -> UserNotification?
}

/// Write access to the items into which repeats collapse. Part of ``StoreTransaction``.
package protocol RepeatRecords: RepeatReading {
  /// Sets the key under which repeats find a live item; nil for none.
  ///
  /// It depends on the settings of the app, and so is not a part of the item. It stays when the item
  /// is stored again, and is removed with it.
  func setCollapseKey(_ key: [UInt8]?, of id: NotificationID, user: UserID) throws
}
