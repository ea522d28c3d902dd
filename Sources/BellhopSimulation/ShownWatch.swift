import BellhopCache
import BellhopModel

/// Watches what one device shows of its own operations: what the store has confirmed must stay
/// visible until base contains it (SYNC-13), also between the chunks of a delta.
struct ShownWatch {
  /// The registers of an item that an operation set.
  private struct Registers: OptionSet {
    let rawValue: Int
    static let deleted = Self(rawValue: 1 << 62)

    init(rawValue: Int) { self.rawValue = rawValue }

    private init(where isMeant: (PlainRegister) -> Bool) {
      self = []
      for (index, register) in PlainRegister.all.enumerated() where isMeant(register) {
        insert(Self(rawValue: 1 << index))
      }
    }

    /// The registers of `state` that the operation set last.
    init(setBy operation: OperationID, in state: ItemState) {
      self.init { $0.operation(state) == operation }
    }

    /// The registers that have the same value in both states.
    init(equalIn state: ItemState, and other: ItemState) {
      self.init { $0.isEqual(state, other) }
    }

    /// The registers that both states have from the same operation.
    init(alikeIn state: ItemState, and other: ItemState) {
      self.init { $0.operation(state) == $0.operation(other) }
    }
  }

  /// The registers and the state with which an item showed an operation.
  private struct Shown {
    var registers: Registers
    var state: ItemState
  }

  private struct Confirmed {
    /// The sequence of the row that contains the effect.
    var sequence: SequenceNumber
    var shown: Shown
  }

  /// The items that show an operation which the store has not answered.
  private var pending: [OperationID: [NotificationID: Shown]] = [:]
  private var confirmed: [OperationID: [NotificationID: Confirmed]] = [:]
  private var timeline = 0
  /// The operations that say which items are meant.
  private var bulk: [OperationID: Operation] = [:]

  /// Takes note of an operation that the device has in its outbox.
  mutating func made(_ operation: Operation, on items: [NotificationID], in cache: MemoryCache)
    throws
  {
    if operation.isBulkTarget { bulk[operation.id] = operation }
    for id in items {
      guard let item = try cache.item(id) else { continue }
      let registers = Self.shown(operation.id, of: item)
      if !registers.isEmpty {
        pending[operation.id, default: [:]][id] = Shown(
          registers: registers, state: item.notification.state)
      }
    }
  }

  /// Takes note of the store's answer.
  ///
  /// - Parameter effects: what the operation made of items at the store.
  mutating func answered(
    _ id: OperationID, effects: [NotificationID: Judge.Effect], timeline: Int
  ) {
    guard let shown = pending.removeValue(forKey: id) else { return }
    if self.timeline != timeline {
      self.timeline = timeline
      confirmed = [:]
    }
    for (item, effect) in effects {
      guard var shown = shown[item] else { continue }
      // What others did first may have kept it from setting all that it showed.
      if let state = effect.state {
        shown.registers.formIntersection(Registers(setBy: id, in: state))
      }
      confirmed[id, default: [:]][item] = Confirmed(sequence: effect.sequence, shown: shown)
    }
  }

  /// Looks at every item that shows an operation, or has to.
  ///
  /// - Returns: what is wrong.
  mutating func check(in cache: MemoryCache, timeline: Int) throws -> [String] {
    for (operation, items) in pending {
      for (id, before) in items {
        // Base may have moved on, so that the operation changes nothing any more.
        let shown = try cache.item(id).map { Self.shown(operation, of: $0) } ?? []
        pending[operation]?[id]?.registers = before.registers.intersection(shown)
      }
    }
    guard self.timeline == timeline else {
      confirmed = [:]
      return []
    }
    var violations: [String] = []
    for (operation, items) in confirmed {
      for (id, effect) in items {
        guard let item = try cache.item(id), item.base.sequence < effect.sequence else {
          confirmed[operation]?[id] = nil
          continue
        }
        if isMeant(item, by: operation), Self.isBack(effect.shown, of: operation, in: item) {
          violations.append(
            "#\(item.notification.shortNumber) shows again what was before \(operation)")
          confirmed[operation]?[id] = nil
        }
      }
      if confirmed[operation]?.isEmpty == true { confirmed[operation] = nil }
    }
    return violations
  }

  /// Whether the item can show the operation. Base may come to a bulk operation's effect by way of a
  /// state for which it was not meant, and shows that state until then.
  private func isMeant(_ item: CachedItem, by operation: OperationID) -> Bool {
    bulk[operation].map { PlainRules.isMeant(item.notification, by: $0) } ?? true
  }

  private static func shown(_ operation: OperationID, of item: CachedItem) -> Registers {
    if item.isPendingDelete { return .deleted }
    return Registers(setBy: operation, in: item.notification.state)
  }

  /// Whether the item shows base where it showed the operation, and that is another value.
  private static func isBack(
    _ shown: Shown, of operation: OperationID, in item: CachedItem
  ) -> Bool {
    if item.isPendingDelete { return false }
    if shown.registers.contains(.deleted) { return true }
    let state = item.notification.state
    return !shown.registers.subtracting(Registers(setBy: operation, in: state))
      .subtracting(Registers(equalIn: state, and: shown.state))
      .intersection(Registers(alikeIn: state, and: item.base)).isEmpty
  }
}
