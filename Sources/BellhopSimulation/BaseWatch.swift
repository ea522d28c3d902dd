import BellhopCache
import BellhopModel
import BellhopStore

/// A check of a device's base: a state that it has seen must neither revert nor reappear.
struct BaseWatch {
  private struct Ring: Hashable {
    var id: NotificationID
    var sequence: SequenceNumber
    /// The announced content.
    ///
    /// A store whose data was reverted assigns the same number to different content, and a device
    /// may announce its old content before it learns of the change.
    var content: Content?
    /// The occurrence of its trigger: each one may be announced.
    var occurrence: Occurrence.Label?
    /// The operation in the outbox that made the content: each one may be announced.
    var operation: OperationID?
    /// Whether the item was to be delivered later. It may be announced again when it is.
    var isScheduled: Bool
  }

  private struct LocalRing: Hashable {
    var id: NotificationID
    var content: Content?
    /// The time from which the occurrences of its trigger count; nil without one.
    var start: Timestamp?
    var occurrence: Occurrence.Label?

    init(_ item: CachedItem?, _ arrival: Arrival) {
      id = arrival.id
      content = item?.notification.content
      start = content?.trigger.flatMap { _ in item?.notification.arrival }
      occurrence = arrival.occurrence
    }
  }

  private var timeline = 0
  private var generation: Int64 = 0
  private var sequences: [NotificationID: SequenceNumber] = [:]
  private var position = SequenceNumber.zero
  private var gone: Set<NotificationID> = []
  private var rung: Set<Ring> = []
  /// The deliveries of items that only the device had, which the store's rows must not repeat.
  private var rungLocally: Set<LocalRing> = []
  var shown = ShownWatch()
  private(set) var violations: [String] = []

  /// Returns the violations since the last call.
  mutating func takeViolations() -> [String] {
    defer { violations = [] }
    return violations
  }

  /// Forgets everything except violations, after a power loss or a copy.
  ///
  /// A power loss undoes unsynced writes, which is not a violation.
  mutating func forget() {
    let violations = violations
    self = BaseWatch()
    self.violations = violations
  }

  private mutating func violate(_ text: String) { violations.append(text) }

  private mutating func align(_ state: SyncState, _ store: SimulatedStore) {
    if timeline != store.timeline {
      timeline = store.timeline
      gone = []
      rung = []
      rungLocally = []
      sequences = [:]
      position = .zero
    }
    if generation != state.generation {
      generation = state.generation
      sequences = [:]
      position = .zero
    }
  }

  /// Returns whether the token comes from the store's current data.
  private func isPast(_ state: SyncState, in store: SimulatedStore) -> Bool {
    guard let token = state.token else { return false }
    return store.timeline(of: token) == store.timeline && state.epoch == store.epoch
  }

  /// Checks the base after a part of a pull was committed.
  mutating func committed(
    _ changed: [NotificationID], cache: MemoryCache, store: SimulatedStore
  ) throws {
    let state = try cache.syncState()
    align(state, store)
    for id in changed {
      guard let item = try cache.item(id) else {
        if store.truth.isTombstone(id) { gone.insert(id) }
        continue
      }
      // The device itself publishes it, and does not know yet what the store has.
      if item.base.sequence == .zero { continue }
      // The sweep will remove it: the store's past that had it is lost. Its device may publish it
      // again.
      if state.needsSweep, (store.truth.rows[id]?.sequence ?? .zero) < item.base.sequence {
        continue
      }
      // This also applies if a page contains an item that an earlier delta has removed (SYNC-14).
      if state.firstSync != nil, isPast(state, in: store),
        case .tombstone(let tombstone)? = store.truth.rows[id],
        tombstone.sequence <= state.token.flatMap({ store.sequence(of: $0) }) ?? .zero
      {
        violate("#\(item.notification.shortNumber) arrived although it is deleted")
      }
      if gone.contains(id) { violate("#\(item.notification.shortNumber) came back") }
      if let before = sequences[id], item.base.sequence < before {
        violate("#\(item.notification.shortNumber) went back to \(item.base.sequence)")
      }
      sequences[id] = item.base.sequence
    }
    if state.firstSync == nil {
      if state.sequence < position { violate("the token went back to \(state.sequence)") }
      position = state.sequence
    }
    // Until the sweep reaches it, a deleted item of the previous generation is visible again.
    if !state.needsSweep { violations += try shown.check(in: cache, timeline: store.timeline) }
  }

  /// Checks the new content that a screen of the device announces.
  mutating func rang(
    for arrivals: [Arrival], cache: MemoryCache, store: SimulatedStore
  ) throws {
    align(try cache.syncState(), store)
    for arrival in arrivals {
      let item = try cache.item(arrival.id)
      let ring = Ring(
        id: arrival.id, sequence: arrival.contentSequence, content: item?.notification.content,
        occurrence: arrival.occurrence, operation: item?.ownOperation,
        isScheduled: arrival.placement == .scheduled)
      if !rung.insert(ring).inserted { violate("\(arrival.id) rang twice for one content") }
      let local = LocalRing(item, arrival)
      if arrival.contentSequence == .zero {
        rungLocally.insert(local)
      } else if rungLocally.contains(local), item?.ownOperation == nil {
        violate("\(arrival.id) rang here, and again when the store had it")
      }
      if let item, arrival.placement == .tray,
        item.notification.state.userActionState.value == .dismissed
      {
        violate("#\(item.notification.shortNumber) rang although it was handled before")
      }
    }
  }

  /// Forgets which occurrences of items were announced.
  ///
  /// If the store refuses a change of their times, and a clock was set back meanwhile, the occurrence
  /// before the change comes again.
  mutating func mayRingAgain(_ ids: [NotificationID]) {
    rung = rung.filter { $0.occurrence == nil || !ids.contains($0.id) }
  }

  /// Checks that the base is equal to the store's state at the device's token (SYNC-13).
  ///
  /// Every item whose current sequence the token covers must be equal, and no item that was deleted
  /// by then may be in the cache.
  mutating func checkAtToken(cache: MemoryCache, store: SimulatedStore) throws {
    let state = try cache.syncState()
    guard state.firstSync == nil, !state.needsSweep, isPast(state, in: store) else { return }
    // In the middle of a delta, the token covers more than the sequence.
    guard let reached = state.token.flatMap({ store.sequence(of: $0) }) else { return }
    if state.sequence > reached { violate("the sequence is ahead of the token") }
    if reached > store.sequence { violate("the token is ahead of the store") }
    let isDevelopment = state.token.map { store.isDevelopment($0) } ?? false
    for (id, row) in store.truth.rows where row.sequence <= reached {
      let cached = try cache.item(id).flatMap { $0.base.sequence == .zero ? nil : $0 }
      switch row {
      case .tombstone:
        if cached != nil {
          violate("#\(row.shortNumber) is deleted at \(row.sequence), but still here at \(reached)")
        }
      case .live(let item) where item.isForDevelopment && !isDevelopment:
        if cached != nil {
          violate("#\(row.shortNumber) is for development, but is here at \(reached)")
        }
      case .live(let item):
        guard let cached else {
          violate("#\(row.shortNumber) of \(row.sequence) is missing at \(reached)")
          continue
        }
        if cached.base != item.state || cached.stored.content != item.content {
          violate(
            "#\(row.shortNumber) is at \(cached.base.sequence) instead of \(row.sequence) "
              + "at \(reached)")
        }
      }
    }
    guard reached >= store.truth.counters.floor else { return }
    for id in store.published where store.truth.rows[id] == nil {
      if let cached = try cache.item(id), cached.base.sequence > .zero {
        violate("#\(cached.notification.shortNumber) is forgotten by the store, but still here")
      }
    }
  }
}
