internal import BellhopModel

/// Messages that wait to be sent to the other processes.
///
/// A user has one change of items at most. So the number of messages is bounded by that of users,
/// tokens and devices, and ``countMax`` bounds it beyond that.
package struct PendingPeerMessages: Hashable, Sendable {
  /// The number of messages beyond which the others compare everything instead. It is about 2 MB.
  package static let countMax = 10_000

  private var items: [UserID: ItemsChange] = [:]
  /// The other messages, in the order in which they were added.
  private var others: [PeerMessage] = []
  private var known: Set<PeerMessage> = []
  private var isEverything = false

  package init() {}

  package var isEmpty: Bool { items.isEmpty && others.isEmpty && !isEverything }

  package mutating func add(_ message: PeerMessage) {
    guard !isEverything else { return }
    switch message {
    case .items(let change): add(change)
    case .subscriptions, .ended:
      if known.insert(message).inserted { others.append(message) }
    }
    if items.count + others.count > Self.countMax { addEverything() }
  }

  private mutating func add(_ change: ItemsChange) {
    guard let earlier = items[change.user] else {
      items[change.user] = change
      return
    }
    // Sequences of two lives cannot be compared, and either may be the later life.
    guard earlier.life == change.life else { return addEverything() }
    var joined = change
    joined.sequence = max(earlier.sequence, change.sequence)
    if earlier.device != change.device { joined.device = nil }
    items[change.user] = joined
  }

  private mutating func addEverything() {
    self = Self()
    isEverything = true
  }

  /// Adds messages that could not be sent.
  package mutating func add(_ batch: PeerBatch) {
    switch batch {
    case .everything: addEverything()
    case .messages(let messages): for message in messages { add(message) }
    }
  }

  /// Removes all messages and returns them, changes of items by user first.
  package mutating func take() -> PeerBatch {
    defer { self = Self() }
    if isEverything { return .everything }
    let changes = items.values.sorted { $0.user < $1.user }
    return .messages(changes.map(PeerMessage.items) + others)
  }
}

/// Messages that are sent together.
package enum PeerBatch: Hashable, Sendable {
  case messages([PeerMessage])
  /// Any message: its receivers compare everything with the storage.
  case everything
}
