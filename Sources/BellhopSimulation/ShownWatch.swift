import BellhopCache
import BellhopModel

/// A check of the operations that a device shows, including between the chunks of a delta.
///
/// The effect of a confirmed operation must stay visible until the base contains it (SYNC-13).
struct ShownWatch {
  /// The registers of an item that an operation has set.
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

    /// Creates the set of registers of `state` that the operation set last.
    init(setBy operation: OperationID, in state: ItemState) {
      self.init { $0.operation(state) == operation }
    }

    /// Creates the set of registers with the same value in both states.
    init(equalIn state: ItemState, and other: ItemState) {
      self.init { $0.isEqual(state, other) }
    }

    /// Creates the set of registers that the same operation set in both states.
    init(alikeIn state: ItemState, and other: ItemState) {
      self.init { $0.operation(state) == $0.operation(other) }
    }
  }

  /// The registers and the state with which an item showed an operation.
  private struct Shown {
    var registers: Registers
    var state: ItemState
    /// The content and the occurrence for which the registers count.
    var version: ShownVersion
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
  /// The operations that select items by a condition.
  private var bulk: [OperationID: Operation] = [:]

  /// Records an operation that the device has in its outbox.
  mutating func made(_ operation: Operation, on items: [NotificationID], in cache: MemoryCache)
    throws
  {
    if operation.isBulkTarget { bulk[operation.id] = operation }
    for id in items {
      guard let item = try cache.item(id) else { continue }
      let registers = Self.shown(operation.id, of: item)
      if !registers.isEmpty {
        pending[operation.id, default: [:]][id] = Shown(
          registers: registers, state: item.notification.state, version: item.version)
      }
    }
  }

  /// Records the store's response.
  ///
  /// - Parameter effects: The operation's effects on items at the store.
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
      // Earlier changes by other devices may have kept the operation from setting all that it
      // showed.
      if let state = effect.state {
        shown.registers.formIntersection(Registers(setBy: id, in: state))
      }
      confirmed[id, default: [:]][item] = Confirmed(sequence: effect.sequence, shown: shown)
    }
  }

  /// Checks every item that shows an operation, or should show it.
  ///
  /// - Returns: The violations.
  mutating func check(in cache: MemoryCache, timeline: Int) throws -> [String] {
    for (operation, items) in pending {
      for (id, before) in items {
        // The base may have advanced, so that the operation no longer changes anything.
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
        guard let item = try cache.item(id), item.base.sequence < effect.sequence,
          item.version.occurrence == effect.shown.version.occurrence,
          item.version.operation == effect.shown.version.operation
        else {
          confirmed[operation]?[id] = nil
          continue
        }
        if isMeant(item, by: operation), Self.isBack(effect.shown, of: operation, in: item) {
          violations.append(
            "#\(item.notification.shortNumber) shows again its state from before \(operation)")
          confirmed[operation]?[id] = nil
        }
      }
      if confirmed[operation]?.isEmpty == true { confirmed[operation] = nil }
    }
    return violations
  }

  /// Returns whether the item can show the operation.
  ///
  /// The base may reach a bulk operation's effect by way of a state that the operation does not
  /// select, and the item shows that state until then.
  private func isMeant(_ item: CachedItem, by operation: OperationID) -> Bool {
    bulk[operation].map { PlainRules.isMeant(item.notification, by: $0) } ?? true
  }

  private static func shown(_ operation: OperationID, of item: CachedItem) -> Registers {
    if item.isPendingDelete { return .deleted }
    return Registers(setBy: operation, in: item.notification.state)
  }

  /// Returns whether the item has reverted from the operation's effect to a different value of the
  /// base.
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
