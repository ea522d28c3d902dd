import BellhopModel
import BellhopStore

/// Publications that devices send through their outbox.
extension Truth {
  /// The rows of the store, as they are expected after a part of a commit.
  typealias Rows = [NotificationID: StoredRow]

  /// Checks that an operation published exactly one item, or was refused for a reason.
  ///
  /// - Parameters:
  ///   - expected: The rows after the operations before it.
  ///   - mayChange: The items that the commit may change.
  /// - Returns: Whether the operation publishes.
  mutating func checkPublication(
    _ operation: Operation, _ result: OperationResult, _ expected: inout Rows,
    _ mayChange: inout Set<NotificationID>, at now: Timestamp
  ) -> Bool {
    guard let (content, time) = landing(operation) else { return false }
    let isRefused = PlainPublication.isRefused(content, made: time, at: now)
    if case .notPublished = result {
      if !isRefused { violate("\(operation.id) was not published: \(result)") }
      return true
    }
    if result != .applied || isRefused {
      violate("\(operation.id) publishes, and had the result \(result)")
      return true
    }
    let mark = PlainSchedule.mark(made.count)
    let (id, removed) = PlainPublication.apply(
      operation.id, content, made: time, to: &expected, at: now, zone: zone, mark: mark)
    made[operation.id] = mark
    stored[operation.id] = id
    mayChange.insert(id)
    if let removed { mayChange.insert(removed) }
    return true
  }

  /// Returns what an operation publishes, for the app behind an alias; nil for other operations.
  private func landing(_ operation: Operation) -> (content: Content, time: Timestamp)? {
    guard var publication = PlainPublication.content(of: operation) else { return nil }
    publication.content.app = settings.landing(of: publication.content.app)
    return publication
  }

  /// Checks that new items have numbers of their own.
  mutating func checkNumbers(of changed: [StoredRow]) {
    let numbers = Set(rows.values.map(\.shortNumber))
    for row in changed where rows[row.id] == nil {
      if row.shortNumber < 1 || numbers.contains(row.shortNumber) {
        violate("\(row.id) has the number of another item: \(words(row))")
      }
    }
  }

  /// Records under which ids publications are stored, in a commit with a bulk operation.
  mutating func noteStored(_ operations: [Operation], _ changed: [StoredRow]) {
    var after = rows
    for row in changed { after[row.id] = row }
    for operation in operations {
      guard let (content, _) = landing(operation) else { continue }
      let id = PlainPublication.id(of: operation.id)
      stored[operation.id] =
        after[id] != nil ? id : PlainPublication.namesake(of: content, in: after)?.id
    }
  }

  /// Returns a row as a publication leaves it; nil if it concerns other items.
  func published(
    by operation: Operation, as id: NotificationID, _ row: Rows, at now: Timestamp
  ) -> Rows? {
    guard let (content, time) = landing(operation) else { return nil }
    var after = row
    let (stored, removed) = PlainPublication.apply(
      operation.id, content, made: time, to: &after, at: now, zone: zone,
      mark: PlainSchedule.mark(made.count))
    return stored == id || removed == id ? after : nil
  }

  /// Returns the operation for the items as which publications of its device are stored.
  ///
  /// An item that only the device had may be another one at the store, which it has replaced.
  func located(_ operation: Operation, in rows: Rows) -> Operation {
    var located = operation
    for id in operation.notificationIDs {
      guard operation.expect != nil || operation.seenOperations?[id] != nil, rows[id] == nil,
        let item = stored[PlainPublication.operation(of: id)], item != id
      else { continue }
      let maker = located.seenOperations?.removeValue(forKey: id)
      let label = located.removeLabel(of: id)
      let sequence = maker.flatMap { made[$0] } ?? .zero
      located.seenEach?[id] = nil
      switch located.target {
      case .item: located.target = .item(item)
      case .items(let ids):
        // A newer content of the item, which the device showed too, counts instead.
        let other = located.seenOperations?[item].flatMap { made[$0] } ?? located.seenEach?[item]
        let isOlder = other.map { Self.isNewer($0, than: sequence) } ?? false
        if isOlder {
          located.target = .items(ids.filter { $0 != id })
          continue
        }
        located.target = .items(ids.filter { $0 != item }.map { $0 == id ? item : $0 })
      case .matching, .matchingRule, .setBy, .app, .rule: continue
      }
      if let maker { located.seenOperations?[item] = maker }
      located.setLabel(label, of: item)
    }
    return located
  }

  /// Returns whether content is newer; content of the same commit, which has a mark, is the newest.
  private static func isNewer(_ left: SequenceNumber, than right: SequenceNumber) -> Bool {
    if right < .zero { return left < right }
    return left < .zero || left > right
  }
}

extension Operation {
  fileprivate mutating func removeLabel(of id: NotificationID) -> Occurrence.Label? {
    switch occurrences {
    case .label(let label): return label
    case .labels(var labels):
      let label = labels.removeValue(forKey: id)
      occurrences = .labels(labels)
      return label
    case .through, nil: return nil
    }
  }

  fileprivate mutating func setLabel(_ label: Occurrence.Label?, of id: NotificationID) {
    guard case .labels(var labels)? = occurrences else { return }
    labels[id] = label
    occurrences = .labels(labels)
  }
}
