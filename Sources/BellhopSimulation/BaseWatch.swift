import BellhopCache
import BellhopModel
import BellhopStore

/// Watches the base of one device: what it has seen must neither go back nor come back.
struct BaseWatch {
  private struct Ring: Hashable {
    var id: NotificationID
    var sequence: SequenceNumber
    /// A store whose data was put back numbers other content the same way, and a device may ring for
    /// what it had before it hears of that.
    var content: Content?
  }

  private var timeline = 0
  private var generation: Int64 = 0
  private var sequences: [NotificationID: SequenceNumber] = [:]
  private var position = SequenceNumber.zero
  private var gone: Set<NotificationID> = []
  private var rung: Set<Ring> = []
  var shown = ShownWatch()
  private(set) var violations: [String] = []

  /// What was found since it was last asked.
  mutating func takeViolations() -> [String] {
    defer { violations = [] }
    return violations
  }

  /// A power loss takes back what was not synced, which is no step backwards; so does a copy.
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
      sequences = [:]
      position = .zero
    }
    if generation != state.generation {
      generation = state.generation
      sequences = [:]
      position = .zero
    }
  }

  /// Whether the token comes from the data that the store has now.
  private func isPast(_ state: SyncState, in store: SimulatedStore) -> Bool {
    guard let token = state.token else { return false }
    return store.timeline(of: token) == store.timeline && state.epoch == store.epoch
  }

  /// A part of a pull was committed.
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
      // Also where a page brings what a delta has removed before it came (SYNC-14).
      if state.firstSync != nil, isPast(state, in: store),
        case .tombstone(let tombstone)? = store.truth.rows[id],
        tombstone.sequence <= state.token.flatMap({ store.sequence(of: $0) }) ?? .zero
      {
        violate("#\(item.notification.shortNumber) came, and is deleted")
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
    // Until the sweep has come to it, a deleted item of the generation before is seen again.
    if !state.needsSweep { violations += try shown.check(in: cache, timeline: store.timeline) }
  }

  /// New content that a screen of the device rings for.
  mutating func rang(
    for arrivals: [Arrival], cache: MemoryCache, store: SimulatedStore
  ) throws {
    align(try cache.syncState(), store)
    for arrival in arrivals {
      let item = try cache.item(arrival.id)
      let ring = Ring(
        id: arrival.id, sequence: arrival.contentSequence, content: item?.notification.content)
      if !rung.insert(ring).inserted { violate("\(arrival.id) rang twice for one content") }
      if let item, arrival.placement == .tray,
        item.notification.state.userActionState.value == .dismissed
      {
        violate("#\(item.notification.shortNumber) rang, and was handled before")
      }
    }
  }

  /// At its token, base has to be what the store has (SYNC-13): every item whose
  /// present sequence the token covers is equal, and nothing that was deleted by then is there.
  mutating func checkAtToken(cache: MemoryCache, store: SimulatedStore) throws {
    let state = try cache.syncState()
    guard state.firstSync == nil, !state.needsSweep, isPast(state, in: store) else { return }
    // In the middle of a delta the token stands for more than the sequence.
    guard let reached = state.token.flatMap({ store.sequence(of: $0) }) else { return }
    if state.sequence > reached { violate("the sequence is ahead of the token") }
    if reached > store.sequence { violate("the token is ahead of the store") }
    for (id, row) in store.truth.rows where row.sequence <= reached {
      let cached = try cache.item(id)
      switch row {
      case .tombstone:
        if cached != nil {
          violate("#\(row.shortNumber) is deleted at \(row.sequence), and here at \(reached)")
        }
      case .live(let item):
        guard let cached else {
          violate("#\(row.shortNumber) of \(row.sequence) is missing at \(reached)")
          continue
        }
        if cached.base != item.state || cached.notification.content != item.content {
          violate(
            "#\(row.shortNumber) is at \(cached.base.sequence) instead of \(row.sequence) "
              + "at \(reached)")
        }
      }
    }
    guard reached >= store.truth.counters.floor else { return }
    for id in store.published where store.truth.rows[id] == nil {
      if let cached = try cache.item(id) {
        violate("#\(cached.notification.shortNumber) is forgotten by the store, and still here")
      }
    }
  }
}
