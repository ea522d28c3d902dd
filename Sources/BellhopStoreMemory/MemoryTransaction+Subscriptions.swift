internal import BellhopModel
internal import BellhopStore

extension MemoryTransaction {
  func subscription(_ id: SubscriptionID, of user: UserID) -> Subscription? {
    state.partitions[user]?.subscriptions[id]
  }

  func subscriptions(of user: UserID) -> [Subscription] {
    (state.partitions[user]?.subscriptions.values.map { $0 } ?? []).sorted { $0.id < $1.id }
  }

  func subscriptions(after key: SubscriptionKey?, limit: Int) -> [Subscription] {
    let all = state.partitions.values.flatMap { Array($0.subscriptions.values) }
    let above = all.filter { subscription in key.map { subscription.key > $0 } ?? true }
    return Array(above.sorted { $0.key < $1.key }.prefix(limit))
  }

  func changes(of user: UserID, after: SequenceNumber, limit: Int) -> [ItemChange] {
    rows(of: user, after: after, limit: PageLimit(rows: limit, bytes: .max)).map { row in
      switch row {
      case .live(let item):
        ItemChange(
          id: item.id, sequence: item.state.sequence, shortNumber: item.shortNumber,
          isDeleted: false,
          isDevelopment: !RegistrationEnvironment.production.receives(item.content))
      case .tombstone(let tombstone):
        ItemChange(
          id: tombstone.id, sequence: tombstone.sequence, shortNumber: tombstone.shortNumber,
          isDeleted: true)
      }
    }
  }

  func put(_ subscription: Subscription) {
    set(\.subscriptions[subscription.id], of: subscription.user, to: subscription)
  }

  func removeSubscription(_ id: SubscriptionID, of user: UserID) {
    set(\.subscriptions[id], of: user, to: nil)
  }
}
