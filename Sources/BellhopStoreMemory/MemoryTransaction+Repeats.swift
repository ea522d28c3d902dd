internal import BellhopModel
internal import BellhopStore

extension MemoryTransaction {
  func item(collapsedUnder key: [UInt8], of user: UserID) -> UserNotification? {
    let partition = partition(user)
    return partition.collapseKeys.filter { $0.value == key }.keys
      .compactMap { partition.live($0) }.max { ArrivalKey($0) < ArrivalKey($1) }
  }

  func setCollapseKey(_ key: [UInt8]?, of id: NotificationID, user: UserID) {
    guard partition(user).live(id) != nil else { return }
    set(\.collapseKeys[id], of: user, to: key)
  }

  // MARK: - Aliases

  func alias(_ appNotificationID: String, app: String, of user: UserID) -> ItemAlias? {
    partition(user).itemAliases[.init(app: app, id: appNotificationID)]
  }

  func aliases(of item: NotificationID, user: UserID) -> [ItemAlias] {
    partition(user).itemAliases.values.filter { $0.item == item }.sorted { left, right in
      left.at == right.at
        ? left.appNotificationID.utf8.lexicographicallyPrecedes(right.appNotificationID.utf8)
        : left.at < right.at
    }
  }

  func put(_ alias: ItemAlias, of user: UserID) {
    let key = MemoryPartition.AppKey(app: alias.app, id: alias.appNotificationID)
    set(\.itemAliases[key], of: user, to: alias)
  }

  func removeAlias(_ appNotificationID: String, app: String, of user: UserID) {
    let key = MemoryPartition.AppKey(app: app, id: appNotificationID)
    set(\.itemAliases[key], of: user, to: nil)
  }

  func removeAliases(of item: NotificationID, user: UserID) {
    for alias in aliases(of: item, user: user) {
      removeAlias(alias.appNotificationID, app: alias.app, of: user)
    }
  }
}
