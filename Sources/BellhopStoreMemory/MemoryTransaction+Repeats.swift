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
}
