internal import BellhopModel
internal import BellhopStore

extension MemoryTransaction {
  func awaitedResponse(_ item: NotificationID, of user: UserID) -> AwaitedResponse? {
    partition(user).responses[item]
  }

  func put(_ response: AwaitedResponse, of user: UserID) {
    set(\.responses[response.item], of: user, to: response)
  }

  func removeAwaitedResponses(endedBefore time: Timestamp, limit: Int) -> Int {
    let ended = state.partitions.flatMap { user, partition in
      partition.responses.values.filter { $0.expires < time }.map { (user, $0) }
    }.sorted { ($0.1.expires, $0.1.item) < ($1.1.expires, $1.1.item) }.prefix(limit)
    for (user, response) in ended {
      ofAnyUser { set(\.responses[response.item], of: user, to: nil) }
    }
    return ended.count
  }
}
