internal import BellhopModel
internal import Synchronization

/// The maintenance operations of a storage, besides its rows.
package protocol StorageUpkeep: Sendable {
  /// Returns the state of the storage. It is cheap enough to be called every second.
  func figures() async throws -> StorageFigures
  /// Returns descriptions of all problems found; empty if there are none. May read the whole
  /// storage.
  func problems() async throws -> [String]
  /// Returns free space to the system, in short steps between which writes get their turn. Call it
  /// after sweeps.
  ///
  /// - Parameter compactionBytesMax: see ``StoreLimits/compactionBytesMax``.
  func reclaimFreeSpace(compactionBytesMax: Int) async throws
  /// Conditions that make a loss of data more likely while the storage works; usually empty.
  ///
  /// Each is a clause such as `the database has no synchronous standby`, without secrets, because
  /// anyone may read it. Reading them is cheap: a backend updates them by itself.
  var concerns: [String] { get }
}

/// Defaults for a storage that keeps nothing outside the process.
extension StorageUpkeep {
  package func figures() async throws -> StorageFigures { StorageFigures() }
  package func problems() async throws -> [String] { [] }
  package func reclaimFreeSpace(compactionBytesMax: Int) async throws {}
  package var concerns: [String] { [] }
}

/// Figures about the state of a storage. Values unknown to a backend are nil.
package struct StorageFigures: Hashable, Sendable {
  package var databaseBytes: Int64?
  /// The space that the database could return to the disk.
  package var unusedBytes: Int64?
  /// The space that the database has returned to the disk since it was opened.
  package var returnedBytes: Int64?
  package var logBytes: Int64?
  /// The free space on the disk.
  package var diskFreeBytes: Int64?
  /// The durations of the commits since the database was opened.
  package var commits: DurationHistogram
  /// The number of writes in those commits.
  package var writes: Int
  /// The number of writes waiting for the next commit.
  package var waitingWrites: Int

  package init(
    databaseBytes: Int64? = nil, unusedBytes: Int64? = nil, returnedBytes: Int64? = nil,
    logBytes: Int64? = nil, diskFreeBytes: Int64? = nil, commits: DurationHistogram = .quick,
    writes: Int = 0, waitingWrites: Int = 0
  ) {
    self.databaseBytes = databaseBytes
    self.unusedBytes = unusedBytes
    self.returnedBytes = returnedBytes
    self.logBytes = logBytes
    self.diskFreeBytes = diskFreeBytes
    self.commits = commits
    self.writes = writes
    self.waitingWrites = waitingWrites
  }
}

/// The number and size of a user's records in the store.
package struct UserStatistics: Hashable, Sendable {
  package var items: Int
  package var tombstones: Int
  /// The size of the items' content.
  package var bytes: Int64
  package var devices: Int
  /// The number of access tokens that were not revoked.
  package var tokens: Int

  package init(items: Int, tombstones: Int, bytes: Int64, devices: Int, tokens: Int) {
    self.items = items
    self.tombstones = tombstones
    self.bytes = bytes
    self.devices = devices
    self.tokens = tokens
  }
}

/// The operations that statistics need from a backend.
package protocol StatisticsRecords: AnyObject {
  /// Counts the user's records; the cost grows with their number.
  func statistics(of user: UserID) throws -> UserStatistics
}

extension StoreService {
  /// Returns the state of the storage.
  package func storageFigures() async throws(StoreError) -> StorageFigures {
    do { return try await backend.figures() } catch { throw StoreError(error) }
  }

  /// See ``StorageUpkeep/concerns``.
  package var concerns: [String] { backend.concerns }

  /// Returns descriptions of all problems found in the storage.
  package func problems() async throws(StoreError) -> [String] {
    do { return try await backend.problems() } catch { throw StoreError(error) }
  }

  /// Returns statistics of each user, in the order the users were added. Reads the whole storage.
  package func statistics() async throws(StoreError) -> [(user: User, statistics: UserStatistics)] {
    var result: [(user: User, statistics: UserStatistics)] = []
    for user in try await users() {
      let statistics = try await longRead(.step, for: user.id) { try $1.statistics(of: user.id) }
      result.append((user, statistics))
    }
    return result
  }

  /// The figures since the store was opened.
  package var figures: StoreFigures {
    var figures = counted.withLock { $0 }
    (figures.signals, figures.streams) = (hub.signalCount, hub.subscriberCount)
    return figures
  }
}

/// Counts of events since a store was opened.
package struct StoreFigures: Hashable, Sendable {
  /// Items that were published or replaced; repeated requests do not count.
  package var publications = 0
  /// Attachments that were uploaded.
  package var attachments = 0
  /// The size of the uploaded attachments.
  package var attachmentBytes = 0
  /// Signals that were delivered to streams.
  package var signals = 0
  /// Open signal streams.
  package var streams = 0
  /// The number of times the data went back while the store ran.
  package var rollbacks = 0
  /// The number of lives of the data that began while the store ran, as after a failover.
  ///
  /// Zero in a storage without a ``LifeKey``.
  package var lifeChanges = 0

  init() {}
}
