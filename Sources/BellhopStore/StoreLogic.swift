package import BellhopModel
internal import Synchronization

/// The source of a store's time and randomness.
package struct StoreEnvironment: Sendable {
  /// The store's clock, which orders and expires everything.
  package var now: @Sendable () -> Timestamp
  /// The source of random numbers, 64 bits each. A live store uses the system's secure generator,
  /// because secrets are made from them.
  package var random: @Sendable () -> UInt64
  /// The time since an arbitrary start, unaffected by setting the clock. Rates are measured with
  /// it, and wall-clock time is compared with it.
  package var uptime: @Sendable () -> Duration
  /// The clock of ``WorkDeadline``, which times only reads that may take long. It is ``uptime``
  /// unless a test wants to end or to hold only those.
  package var workUptime: @Sendable () -> Duration
  /// The time zones of users, for items with a trigger.
  package var wallClock: WallClock
  /// Whether the operating system reports that wall-clock time is synchronised with a reference.
  package var isClockSynchronized: @Sendable () -> Bool

  /// - Parameter uptime: defaults to `now`, as with a clock that only a test moves. Then no time is
  ///   implausible, unless the store was closed meanwhile.
  package init(
    now: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable () -> UInt64,
    uptime: (@Sendable () -> Duration)? = nil,
    workUptime: (@Sendable () -> Duration)? = nil, wallClock: WallClock = .utc,
    isClockSynchronized: @escaping @Sendable () -> Bool = { false }
  ) {
    self.now = now
    self.random = random
    let uptime = uptime ?? { .milliseconds(now().milliseconds) }
    self.uptime = uptime
    self.workUptime = workUptime ?? uptime
    self.wallClock = wallClock
    self.isClockSynchronized = isClockSynchronized
  }
}

/// The identity that distinguishes one life of a store's data from another (SYNC-4).
package struct StoreIdentity: Sendable {
  /// The part of the data's history that clients may rely on: a restore from backup ends it.
  package var epoch: Epoch
  package var start: StoreStart
  var codec: TokenCodec
}

/// The behaviour of a store, as synchronous functions over a transaction.
///
/// Every backend runs this one definition, and so does a simulation on one thread with its own
/// clock. Its functions never wait or call out. All errors are ``StoreError``. When a function
/// throws, its transaction must be rolled back.
package struct StoreLogic: Sendable {
  package private(set) var environment: StoreEnvironment
  package let limits: StoreLimits
  package private(set) var identity: StoreIdentity
  private let ids: IDMaker
  let rates: PublishRates
  /// The number of processes that serve the storage.
  package let processes: LiveProcesses
  let clock: ExpiryClock
  let ruleCache = RuleCache()
  /// Evidence that the data went back together with the memory of the process.
  private(set) var laterToken = LaterToken()

  /// The way a process opens the store: it starts a run, or joins the one in progress.
  package enum StartMode: Sendable {
    /// Records a start, unless the storage knows that the life of its data continues. For a process
    /// that serves.
    case starting
    /// Uses the last start; records one only in a new database. For administration.
    case joining
  }

  /// Opens the store inside `transaction`. The first time, the store gets its epoch and its key.
  ///
  /// - Throws: ``StoreError/moved(target:)``, ``StoreError/unfinishedCopy``.
  package static func open(
    _ mode: StartMode = .starting, environment: StoreEnvironment,
    limits: StoreLimits = StoreLimits(), in transaction: any StoreTransaction
  ) throws -> StoreLogic {
    try refuseMoved(in: transaction)
    let ids = IDMaker(environment: environment)
    let epoch: Epoch
    if let known = try transaction.metadata(.epoch) {
      epoch = Epoch(String(decoding: known, as: UTF8.self))
    } else {
      epoch = try newEpoch(ids, in: transaction)
    }
    var key = try transaction.metadata(.tokenKey) ?? []
    if key.isEmpty {
      key = environment.randomBytes(32)
      try transaction.setMetadata(key, for: .tokenKey)
    }
    // Read before a start is recorded, which would count as the last one.
    let clockRecord = try clockRecord(in: transaction) ?? inferClockRecord(in: transaction)
    let latest = try transaction.latestStart()
    var start = latest
    switch mode {
    case .joining: break
    case .starting:
      try noteRetention(of: limits, in: transaction)
      if latest?.lifeKey == nil || latest?.lifeKey != transaction.lifeKey { start = nil }
    }
    let processes = LiveProcesses()
    return StoreLogic(
      environment: environment, limits: limits,
      identity: StoreIdentity(
        epoch: epoch,
        start: try start
          ?? transaction.insertStart(
            ids.next(), at: environment.now(), lifeKey: transaction.lifeKey, after: latest),
        codec: TokenCodec(key: key)),
      ids: ids, rates: PublishRates(limits, among: processes), processes: processes,
      clock: ExpiryClock(environment, after: clockRecord))
  }

  /// Opens the store again inside a transaction, as at a start, because its data went back while it
  /// ran. Limits, ids and rates continue.
  func reopened(in transaction: any StoreTransaction) throws -> StoreLogic {
    let opened = try Self.open(.starting, environment: environment, limits: limits, in: transaction)
    return continued(as: opened.identity)
  }

  /// Returns the logic for another life of the data. Limits, ids and rates continue.
  func continued(as identity: StoreIdentity) -> StoreLogic {
    var next = self
    next.identity = identity
    next.laterToken = LaterToken()
    return next
  }

  /// Returns the logic with a clock that is not behind `time` by a little.
  ///
  /// The clocks of processes differ by a little, but a user's time never goes back by that. A clock
  /// that is further behind was set back, and counts.
  func notBefore(_ time: Timestamp?) -> StoreLogic {
    guard let time, now < time, now.advanced(by: Self.clockSkewMax) >= time else { return self }
    var next = self
    next.environment.now = { [now = environment.now] in max(now(), time) }
    return next
  }

  /// The maximum difference between the clocks of two processes that serve the same data.
  private static let clockSkewMax = Duration.seconds(10)

  /// Begins another epoch, as after a restore from backup.
  ///
  /// Every client starts again and sends what it still holds. Devices that wait to be signed in
  /// request other codes. Afterwards the logic must be opened again, or continue with the latest
  /// start: see ``continuing(writingIn:afterLossIn:)``.
  package func beginEpoch(in transaction: any StoreTransaction) throws {
    _ = try Self.newEpoch(ids, in: transaction)
    try removeAllDeviceGrants(in: transaction)
    guard let key = transaction.lifeKey else { return }
    // Processes notice an epoch by its start.
    try Self.recordStart(ids.next(), at: now, lifeKey: key, in: transaction)
  }

  /// Records the start by which processes that were suspended notice the mark of a move.
  static func recordMove(
    _ environment: StoreEnvironment, lifeKey key: LifeKey, in transaction: any StoreTransaction
  ) throws {
    try recordStart(
      IDMaker(environment: environment).next(), at: environment.now(), lifeKey: key,
      in: transaction)
  }

  /// Records a start, which every other process finds with its next read or write.
  private static func recordStart(
    _ id: UniqueID<StoreStart>, at time: Timestamp, lifeKey key: LifeKey,
    in transaction: any StoreTransaction
  ) throws {
    let start = try transaction.insertStart(
      id, at: time, lifeKey: key, after: transaction.latestStart())
    guard start.id != id else { return }
    // Another process has recorded this one just now.
    _ = try transaction.insertStart(id, at: time, lifeKey: key, after: start)
  }

  private static func newEpoch(
    _ ids: IDMaker, in transaction: any StoreTransaction
  ) throws -> Epoch {
    let id: UniqueID<Epoch> = ids.next()
    let epoch = Epoch(id.description)
    try transaction.setMetadata(Array(epoch.rawValue.utf8), for: .epoch)
    return epoch
  }

  /// Returns an id greater than every id made before.
  func newID<Tag>() -> UniqueID<Tag> { ids.next() }

  var now: Timestamp { environment.now() }
}

extension StoreEnvironment {
  func randomBytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let word = random()
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
    return Array(bytes.prefix(count))
  }
}

/// A generator of rising ids for all threads.
private final class IDMaker: Sendable {
  private let source: Mutex<UniqueIDSource>
  private let now: @Sendable () -> Timestamp

  init(environment: StoreEnvironment) {
    source = Mutex(UniqueIDSource(random: environment.random))
    now = environment.now
  }

  func next<Tag>() -> UniqueID<Tag> {
    let time = now()
    return source.withLock { $0.next(at: time) }
  }
}

extension StoreLogic {
  /// Returns the item if it is live and reaches the reader.
  ///
  /// - Parameter reader: The environment of the reader. A publisher and the store itself find every
  ///   item, as a reader in development does.
  func liveItem(
    _ id: NotificationID, of user: UserID, reader: RegistrationEnvironment = .development,
    in state: any StoreReading
  ) throws -> UserNotification? {
    guard case .live(let item)? = try state.row(id, of: user), !item.hasExpired(at: expiryNow),
      reader.receives(item.content)
    else {
      return nil
    }
    return item
  }
}

extension UserNotification {
  /// Whether the item has expired for all users, swept or not.
  func hasExpired(at now: Timestamp) -> Bool {
    if let expires { now >= expires } else { false }
  }
}
