internal import BellhopModel
internal import Synchronization

/// What running a storage needs beside its rows.
package protocol StorageUpkeep: Sendable {
  /// How the storage is doing. Cheap: it may be asked every second.
  func figures() async throws -> StorageFigures
  /// Everything that is not as it should be, in words; empty when nothing is found. May read all
  /// there is.
  func problems() async throws -> [String]
  /// Gives room that is free again back to the system, in short steps between which writes get
  /// their turn. To be called after sweeps.
  ///
  /// - Parameter compactionBytesMax: see ``StoreLimits/compactionBytesMax``.
  func giveBackRoom(compactionBytesMax: Int) async throws
}

/// A storage that keeps nothing outside the process has nothing to tell.
extension StorageUpkeep {
  package func figures() async throws -> StorageFigures { StorageFigures() }
  package func problems() async throws -> [String] { [] }
  package func giveBackRoom(compactionBytesMax: Int) async throws {}
}

/// How a storage is doing. What a backend does not know is nil.
package struct StorageFigures: Hashable, Sendable {
  package var databaseBytes: Int64?
  /// What the database could give back to the disk.
  package var unusedBytes: Int64?
  /// What the database gave back to the disk since it was opened.
  package var returnedBytes: Int64?
  package var logBytes: Int64?
  /// What is free on the disk.
  package var diskFreeBytes: Int64?
  /// Commits since it was opened, and how long each took.
  package var commits: DurationHistogram
  /// Writes in those commits.
  package var writes: Int
  /// Writes that wait for the next commit.
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

/// How much a user has in the store.
package struct UserStatistics: Hashable, Sendable {
  package var items: Int
  package var tombstones: Int
  /// Of the items' content.
  package var bytes: Int64
  package var devices: Int
  /// Access tokens that were not revoked.
  package var tokens: Int

  package init(items: Int, tombstones: Int, bytes: Int64, devices: Int, tokens: Int) {
    self.items = items
    self.tombstones = tombstones
    self.bytes = bytes
    self.devices = devices
    self.tokens = tokens
  }
}

/// What statistics need of a backend.
package protocol StatisticsRecords: AnyObject {
  /// Counts what the user has; the cost grows with it.
  func statistics(of user: UserID) throws -> UserStatistics
}

extension StoreService {
  /// How the storage is doing.
  package func storageFigures() async throws(StoreError) -> StorageFigures {
    do { return try await backend.figures() } catch { throw StoreError(error) }
  }

  /// Everything that is not as it should be in the storage, in words.
  package func problems() async throws(StoreError) -> [String] {
    do { return try await backend.problems() } catch { throw StoreError(error) }
  }

  /// How much each user has, in the order they were added. Reads everything there is.
  package func statistics() async throws(StoreError) -> [(user: User, statistics: UserStatistics)] {
    var result: [(user: User, statistics: UserStatistics)] = []
    for user in try await users() {
      let statistics = try await longRead(.step, for: user.id) { try $1.statistics(of: user.id) }
      result.append((user, statistics))
    }
    return result
  }

  /// What has happened since the store was opened.
  package var figures: StoreFigures {
    var figures = counted.withLock { $0 }
    (figures.signals, figures.streams) = (hub.signalCount, hub.subscriberCount)
    return figures
  }
}

/// What has happened since a store was opened.
package struct StoreFigures: Hashable, Sendable {
  /// Items that were published or replaced; repeats of a request don't count.
  package var publications = 0
  /// Signals that were handed to streams.
  package var signals = 0
  /// Streams of signals that are open.
  package var streams = 0
  /// How often the data went back while the store ran.
  package var rollbacks = 0

  init() {}
}
