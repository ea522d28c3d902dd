internal import BellhopClient
internal import BellhopModel
internal import BellhopSettings

/// The operations by which a command changes rules or applies one, and those that undo them.
struct RuleChanges {
  private(set) var operations: [BellhopModel.Operation] = []
  private var removals: [BellhopModel.Operation] = []
  private var others: [BellhopModel.Operation] = []
  private let newID: () -> OperationID

  /// - Parameter newID: Returns the id of an operation.
  init(_ newID: @escaping () -> OperationID) { self.newID = newID }

  /// The operations that undo the changes.
  ///
  /// Removals come first, so that new rules stay below the limit.
  var undo: [BellhopModel.Operation] { removals + others }

  /// Whether nothing changes.
  var isEmpty: Bool { operations.isEmpty }

  /// Adds a rule.
  ///
  /// - Parameter order: Its place; nil for the last one.
  /// - Returns: The rule, which ``apply(_:through:at:)`` may take.
  @discardableResult
  mutating func add(
    _ definition: RuleDefinition, at order: RuleOrder?, isEnabled: Bool = true
  ) -> RuleReference {
    let id = RuleID(sameAs: newID())
    let made = operation(
      id, RuleChange(definition: definition, order: order, isEnabled: isEnabled ? nil : false))
    operations.append(made)
    removals.append(operation(id, .removal, expecting: made.id))
    return RuleReference(id: id, revision: made.id, definition: definition)
  }

  /// Applies a rule to the items that are there, and to no content that the user cannot have seen.
  ///
  /// - Parameters:
  ///   - through: The newest content sequence that the user may have been shown.
  ///   - time: The time of the change, by the store's clock.
  mutating func apply(
    _ rule: RuleReference, through: SequenceNumber, at time: Timestamp
  ) {
    let made = BellhopModel.Operation(
      id: newID(), applying: rule, through: through, at: time)
    operations.append(made)
    others.append(
      BellhopModel.Operation(
        id: newID(), target: .setBy(made.id), mutation: .restorePrevious))
  }

  /// Changes the parts of a rule that have another value.
  ///
  /// A change of the definition is for the rule as it is here. The order, and whether the rule is
  /// enabled, apply to any revision.
  ///
  /// - Returns: Whether a part had another value.
  @discardableResult
  mutating func edit(
    _ rule: Rule, definition: RuleDefinition? = nil, order: RuleOrder? = nil,
    isEnabled: Bool? = nil
  ) -> Bool {
    var change = RuleChange()
    var back = RuleChange()
    if let definition, definition != rule.definition {
      (change.definition, back.definition) = (definition, rule.definition)
    }
    if let order, order != rule.order { (change.order, back.order) = (order, rule.order) }
    if let isEnabled, isEnabled != rule.isEnabled {
      (change.isEnabled, back.isEnabled) = (isEnabled, rule.isEnabled)
    }
    guard !change.isEmpty else { return false }
    let isGuarded = change.definition != nil
    let made = operation(rule.id, change, expecting: isGuarded ? rule.revision : nil)
    operations.append(made)
    others.append(operation(rule.id, back, expecting: isGuarded ? made.id : nil))
    return true
  }

  /// Removes a rule. To undo that, an equal rule with another id is added.
  mutating func remove(_ rule: Rule) {
    operations.append(operation(rule.id, .removal, expecting: rule.revision))
    others.append(
      operation(
        RuleID(sameAs: newID()),
        RuleChange(
          definition: rule.definition, order: rule.order, isEnabled: rule.isEnabled ? nil : false)))
  }

  private func operation(
    _ rule: RuleID, _ change: RuleChange, expecting expected: OperationID? = nil
  ) -> BellhopModel.Operation {
    BellhopModel.Operation(
      id: newID(), target: .rule(rule), mutation: .changeRule(change), expect: expected)
  }
}

/// A place among the rules, as options name it.
package enum RulePlace: Hashable, Sendable {
  case first, last
  /// Before or after the rule of this name or id.
  case before(String)
  case after(String)
}

extension [Rule] {
  /// Returns the rule with a name, ignoring case, or with an id.
  ///
  /// - Parameter consequence: The sentence that says what was not done; nil for commands that only
  ///   read.
  /// - Throws: `ClientError` with exit code 66 for an unknown rule, and 64 for a name of several ones.
  func named(
    _ name: String, consequence: String? = "Nothing was changed."
  ) throws(ClientError) -> Rule {
    if let id = RuleID(name), let rule = first(where: { $0.id == id }) { return rule }
    let found = filter { $0.definition.isCalled(name) }
    guard found.count < 2 else {
      let ids = found.map(\.id.description).joined(separator: ", ")
      throw ClientError(
        .usage, "\(found.count) rules have the name “\(name)”.",
        next: [consequence, "Use the id instead: \(ids)"].compactMap(\.self).joined(separator: " "))
    }
    guard let rule = found.first else {
      let meant =
        Spelling.nearest(name, in: map(\.definition.name))
        .map { " Did you mean “\($0)”?" } ?? ""
      throw ClientError(
        .noSuchItem, "No rule has the name “\(name.prefix(64))”.\(meant)",
        next: [consequence, "bellhop rules lists the rules."].compactMap(\.self)
          .joined(separator: " "))
    }
    return rule
  }

  /// Returns the index in this list, sorted by order, at which a rule has a place.
  ///
  /// - Throws: `ClientError`, as ``named(_:consequence:)`` does.
  func index(for place: RulePlace) throws(ClientError) -> Int {
    switch place {
    case .first: return startIndex
    case .last: return endIndex
    case .before(let name):
      let rule = try named(name)
      return firstIndex { $0.id == rule.id } ?? endIndex
    case .after(let name):
      let rule = try named(name)
      return (firstIndex { $0.id == rule.id }).map { $0 + 1 } ?? endIndex
    }
  }
}

extension RuleOrder {
  /// Returns ascending orders for a whole list of rules.
  ///
  /// Known orders are kept if they ascend and leave room for the new ones. Otherwise all orders are
  /// new.
  static func filling(_ known: [RuleOrder?]) -> [RuleOrder] {
    guard known.contains(where: { $0 != nil }) else { return evenly(known.count) }
    var orders: [RuleOrder] = []
    for (index, order) in known.enumerated() {
      let next = order ?? between(orders.last, known[(index + 1)...].compactMap(\.self).first)
      guard let next, orders.last.map({ $0 < next }) ?? true else { return evenly(known.count) }
      orders.append(next)
    }
    return orders
  }
}
