internal import BellhopModel
internal import BellhopStore

/// A transaction over a ``MemoryState``, to which it has exclusive access while it runs.
///
/// Each write records its undo step, so that rolling back costs as much as the writes, not as the
/// stored rows.
final class MemoryTransaction: StoreTransaction {
  private(set) var state: MemoryState
  private var undo: [(inout MemoryState) -> Void] = []
  private(set) var accessChanges: Set<UserID> = []
  private(set) var check: ScopeCheck
  /// Whether a method is writing that finds rows of any user by itself.
  private var isOfAnyUser = false
  var takenSequence: TakenSequence?
  var changedRevocation: AccessToken?
  var publishTally = PublishTally()

  /// Moves the state out of its place, so that changing it copies nothing.
  init(taking place: inout MemoryState, in scope: WriteScope) {
    check = ScopeCheck(scope)
    state = place
    place = MemoryState()
  }

  func returnState(to place: inout MemoryState) {
    place = state
    state = MemoryState()
  }

  func rollBack() {
    for step in undo.reversed() { step(&state) }
    undo = []
  }

  func noteAccess(_ user: UserID) {
    noteWrite(user)
    accessChanges.insert(user)
  }

  /// Locks nothing, because one transaction runs at a time.
  func lock(_ user: UserID) { check.noteLock(user) }

  private func noteWrite(_ user: UserID) {
    if !isOfAnyUser { check.noteWrite(user) }
  }

  /// Runs the writes of a method that finds rows of any user by itself, and needs no lock.
  func ofAnyUser<Value>(_ body: () -> Value) -> Value {
    isOfAnyUser = true
    defer { isOfAnyUser = false }
    return body()
  }

  func partition(_ user: UserID) -> MemoryPartition {
    state.partitions[user] ?? MemoryPartition()
  }

  /// Sets the value at `path`, and records the previous one.
  func set<Value>(_ path: WritableKeyPath<MemoryState, Value>, to value: Value) {
    let old = state[keyPath: path]
    undo.append { $0[keyPath: path] = old }
    state[keyPath: path] = value
  }

  func set<Value>(
    _ path: WritableKeyPath<MemoryPartition, Value>, of user: UserID, to value: Value
  ) {
    noteWrite(user)
    let old = partition(user)[keyPath: path]
    undo.append { $0.partitions[user]?[keyPath: path] = old }
    state.partitions[user, default: MemoryPartition()][keyPath: path] = value
  }

  // MARK: - Metadata and starts

  var lifeKey: LifeKey? { state.lifeKey }

  func metadata(_ key: MetadataKey) -> [UInt8]? { state.metadata[key] }

  func setMetadata(_ value: [UInt8], for key: MetadataKey) {
    set(\.metadata[key], to: value)
  }

  func start(_ id: UniqueID<StoreStart>) -> StoreStart? { state.starts.first { $0.id == id } }

  func latestStart() -> StoreStart? { state.starts.last }

  func insertStart(
    _ id: UniqueID<StoreStart>, at time: Timestamp, lifeKey: LifeKey?, after previous: StoreStart?
  ) -> StoreStart {
    if let latest = latestStart(), latest.id != previous?.id { return latest }
    let start = StoreStart(
      ordinal: Int64(state.starts.count) + 1, id: id, at: time, lifeKey: lifeKey)
    undo.append { $0.starts.removeLast() }
    state.starts.append(start)
    return start
  }

  // MARK: - Users

  func users() -> [User] { state.users }

  func user(_ id: UserID) -> User? { state.users.first { $0.id == id } }

  func user(named name: String) -> User? { state.users.first { $0.name == name } }

  func insertUser(named name: String, created: Timestamp) throws -> User {
    guard self.user(named: name) == nil else { throw StoreError.alreadyExists(what: "the user") }
    set(\.lastUserID, to: state.lastUserID + 1)
    let user = User(id: UserID(rawValue: state.lastUserID), name: name, created: created)
    undo.append {
      $0.users.removeLast()
      $0.partitions[user.id] = nil
    }
    state.users.append(user)
    state.partitions[user.id] = MemoryPartition()
    check.noteAdded(user.id)
    return user
  }

  func counters(of user: UserID) -> UserCounters? { state.partitions[user]?.counters }

  func setCounters(_ counters: UserCounters, of user: UserID) {
    set(\.counters, of: user, to: counters)
  }

  func sequence(of user: UserID, beforeStartAfter ordinal: Int64) -> SequenceNumber? {
    state.partitions[user]?.startSequences.first { $0.ordinal > ordinal }?.sequence
  }

  func insertStartSequence(_ sequence: SequenceNumber, start ordinal: Int64, of user: UserID) {
    noteWrite(user)
    undo.append { $0.partitions[user]?.startSequences.removeLast() }
    state.partitions[user]?.startSequences.append((ordinal, sequence))
  }

  // MARK: - Items

  func row(_ id: NotificationID, of user: UserID) -> StoredRow? {
    state.partitions[user]?.rows[id]
  }

  func item(app: String, appNotificationID: String, of user: UserID) -> UserNotification? {
    let key = MemoryPartition.AppKey(app: app, id: appNotificationID)
    guard let id = state.partitions[user]?.byApp[key] else { return nil }
    return state.partitions[user]?.live(id)
  }

  func item(number: Int64, of user: UserID) -> UserNotification? {
    guard let id = state.partitions[user]?.byNumber[number] else { return nil }
    return state.partitions[user]?.live(id)
  }

  func items(_ query: ItemQuery, of user: UserID) -> [UserNotification] {
    guard let partition = state.partitions[user] else { return [] }
    var page = PageFill(query.limit)
    var items: [UserNotification] = []
    let end = query.below.map(partition.place(of:)) ?? partition.byArrival.count
    for key in partition.byArrival[..<end].reversed() {
      if page.isFull { break }
      guard let item = partition.live(key.id) else { continue }
      if let now = query.now, let leaves = partition.leaves[key.id], leaves <= now { continue }
      items.append(item)
      page.add(item.byteCount)
    }
    return items
  }

  func triggeredItems(of user: UserID) -> [UserNotification] {
    guard let partition = state.partitions[user] else { return [] }
    return partition.byArrival.compactMap { partition.live($0.id) }
      .filter { $0.content.trigger != nil }.sorted { $0.shortNumber < $1.shortNumber }
  }

  func rows(of user: UserID, after: SequenceNumber, limit: PageLimit) -> [StoredRow] {
    guard let partition = state.partitions[user] else { return [] }
    var page = PageFill(limit)
    var rows: [StoredRow] = []
    // Sorted rather than iterated by number: a restore leaves a wide gap in the sequence.
    for sequence in partition.bySequence.keys.filter({ $0 > after }).sorted() {
      if page.isFull { break }
      guard let id = partition.bySequence[sequence], let row = partition.rows[id] else { continue }
      rows.append(row)
      page.add(row.byteCount)
    }
    return rows
  }

  func leaving(by now: Timestamp, limit: Int) -> [UserItem] {
    let found = state.partitions.flatMap { user, partition in
      partition.leaves.filter { $0.value <= now }.map {
        (UserItem(user: user, id: $0.key), $0.value)
      }
    }
    return found.sorted { ($0.1, $0.0.id) < ($1.1, $1.0.id) }.prefix(limit).map(\.0)
  }

  func tombstones(deletedBefore time: Timestamp, limit: Int) -> [UserItem] {
    let found = state.partitions.flatMap { user, partition in
      partition.rows.values.compactMap { row -> (UserItem, Timestamp)? in
        guard case .tombstone(let tombstone) = row, tombstone.deleted < time else { return nil }
        return (UserItem(user: user, id: tombstone.id), tombstone.deleted)
      }
    }
    return found.sorted { ($0.1, $0.0.id) < ($1.1, $1.0.id) }.prefix(limit).map(\.0)
  }

  func put(_ item: UserNotification, leaves: Timestamp?, of user: UserID) {
    set(.live(item), leaves: leaves, for: item.id, of: user)
  }

  func put(_ tombstone: Tombstone, of user: UserID) {
    if partition(user).collapseKeys[tombstone.id] != nil {
      setCollapseKey(nil, of: tombstone.id, user: user)
    }
    set(.tombstone(tombstone), leaves: nil, for: tombstone.id, of: user)
  }

  func removeTombstone(_ id: NotificationID, of user: UserID) {
    set(nil, leaves: nil, for: id, of: user)
  }

  private func set(
    _ row: StoredRow?, leaves: Timestamp?, for id: NotificationID, of user: UserID
  ) {
    noteWrite(user)
    let old = state.partitions[user]?.rows[id]
    let oldLeaves = state.partitions[user]?.leaves[id]
    undo.append { $0.partitions[user]?.set(old, leaves: oldLeaves, for: id) }
    state.partitions[user]?.set(row, leaves: leaves, for: id)
  }

  // MARK: - Records

  func publication(
    _ key: String, of token: AccessTokenID, user: UserID
  ) -> PublicationRecord? {
    partition(user).publications[.init(token: token, key: key)]
  }

  func insert(_ record: PublicationRecord, keeping count: Int, of user: UserID) {
    let key = MemoryPartition.PublicationKey(token: record.key.token, key: record.key.key)
    set(\.publications[key], of: user, to: record)
    guard partition(user).publications.count > count else { return }
    let own = partition(user).publications.filter { $0.key.token == key.token }
    let oldest = own.sorted { $0.value.sequence < $1.value.sequence }.prefix(
      min(max(0, own.count - count), PublicationRecord.forgottenAtOnceMax))
    for (key, _) in oldest { set(\.publications[key], of: user, to: nil) }
  }

  func removePublications(before time: Timestamp, limit: Int) -> Int {
    var count = 0
    for (user, partition) in state.partitions {
      for (key, record) in partition.publications where record.at < time && count < limit {
        ofAnyUser { set(\.publications[key], of: user, to: nil) }
        count += 1
      }
    }
    return count
  }

  func lastNumber(in outbox: OutboxKey, of user: UserID) -> Int64 {
    state.partitions[user]?.numbers[outbox] ?? 0
  }

  func operationID(_ number: Int64, in outbox: OutboxKey, of user: UserID) -> OperationID? {
    state.partitions[user]?.numbered[.init(outbox: outbox, number: number)]
  }

  func isNumbered(_ id: OperationID, of user: UserID) -> Bool {
    partition(user).numbered.values.contains(id)
  }

  func outboxCount(of device: DeviceID, user: UserID) -> Int {
    partition(user).numbers.keys.count { $0.device == device }
  }

  func operation(_ id: OperationID, of user: UserID) -> OperationRecord? {
    state.partitions[user]?.operations[id]
  }

  func insert(_ id: OperationID, number: Int64, in outbox: OutboxKey, of user: UserID) {
    if partition(user).numbers[outbox] == nil {
      set(\.outboxes, of: user, to: partition(user).outboxes + [outbox])
    }
    set(\.numbers[outbox], of: user, to: number)
    set(\.numbered[.init(outbox: outbox, number: number)], of: user, to: id)
  }

  func insert(_ record: OperationRecord, of user: UserID) {
    set(\.operations[record.id], of: user, to: record)
  }

  func removeOperations(before time: Timestamp, limit: Int) -> Int {
    var count = 0
    for (user, partition) in state.partitions {
      let old = partition.operations.values.filter { $0.at < time }.map(\.id)
      for id in old.prefix(limit - count) {
        ofAnyUser { set(\.operations[id], of: user, to: nil) }
        count += 1
      }
    }
    return count
  }

  func forgetNumbers(of device: DeviceID, keeping count: Int, limit: Int, user: UserID) {
    let known = partition(user).numbered.keys.filter { $0.outbox.device == device }
    let excess = min(known.count - count, limit)
    guard excess > 0 else { return }
    let order = Dictionary(
      uniqueKeysWithValues: partition(user).outboxes.enumerated().map { ($1, $0) })
    let oldest = known.sorted {
      (order[$0.outbox] ?? 0, $0.number) < (order[$1.outbox] ?? 0, $1.number)
    }
    for key in oldest.prefix(excess) {
      if let id = partition(user).numbered[key] { set(\.operations[id], of: user, to: nil) }
      set(\.numbered[key], of: user, to: nil)
    }
  }
}
