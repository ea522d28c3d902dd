extension Operation {
  /// Creates an operation on an item as the user was shown it.
  ///
  /// The item changes only while it has that content, and registers count for that occurrence.
  public init(
    id: OperationID, onShown item: NotificationID, _ version: ShownVersion, mutation: Mutation
  ) {
    self.init(
      id: id, target: .item(item), mutation: mutation, seen: version.content,
      occurrences: version.occurrence.map(SeenOccurrences.label))
    seenOperations = version.operation.map { [item: $0] }
  }

  /// Creates an operation on several items as the user was shown them.
  ///
  /// - Parameter shown: The items in order, at most 1,000.
  public init(
    id: OperationID, onShown shown: [(id: NotificationID, version: ShownVersion)],
    mutation: Mutation
  ) {
    self.init(
      id: id, target: .items(shown.map(\.id)), mutation: mutation,
      seen: shown.map(\.version.content).max())
    seenEach = Dictionary(shown.map { ($0.id, $0.version.content) }, uniquingKeysWith: { $1 })
    let labels = Dictionary(
      shown.compactMap { item in item.version.occurrence.map { (item.id, $0) } },
      uniquingKeysWith: { $1 })
    if !labels.isEmpty { occurrences = .labels(labels) }
    let operations = Dictionary(
      shown.compactMap { item in item.version.operation.map { (item.id, $0) } },
      uniquingKeysWith: { $1 })
    if !operations.isEmpty { seenOperations = operations }
  }

  /// Returns the same operation, limited to those of its named items that `isMeant` accepts.
  ///
  /// - Parameter isMeant: Receives an item's id and the content sequence that the user was shown,
  ///   if the operation has one.
  public func only(
    where isMeant: (NotificationID, SequenceNumber?) throws -> Bool
  ) rethrows -> Operation {
    guard case .items(let ids) = target else { return self }
    var operation = self
    let left = try ids.filter { try isMeant($0, seenEach?[$0]) }
    operation.target = .items(left)
    let kept = Set(left)
    if case .labels(let labels)? = occurrences {
      operation.occurrences = .labels(labels.filter { kept.contains($0.key) })
    }
    operation.seenOperations = seenOperations?.filter { kept.contains($0.key) }
    guard let seenEach else { return operation }
    operation.seenEach = seenEach.filter { kept.contains($0.key) }
    operation.seen = operation.seenEach?.values.max()
    return operation
  }
}

extension Operation.Mutation {
  /// Returns the mutation that also records the chosen action, and marks the item read.
  public func choosing(_ choice: ActionChoice?) -> Self {
    guard let choice, case .set(var registers) = self else { return self }
    registers.readState = .read
    registers.choice = choice
    return .set(registers)
  }
}
