internal import BellhopModel
internal import Synchronization

/// What running a storage needs beside its rows.
public protocol StorageUpkeep: Sendable {
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
  public func figures() async throws -> StorageFigures { StorageFigures() }
  public func problems() async throws -> [String] { [] }
  public func giveBackRoom(compactionBytesMax: Int) async throws {}
}

/// How a storage is doing. What a backend does not know is nil.
public struct StorageFigures: Hashable, Sendable {
  public var databaseBytes: Int64?
  /// What the database could give back to the disk.
  public var unusedBytes: Int64?
  /// What the database gave back to the disk since it was opened.
  public var returnedBytes: Int64?
  public var logBytes: Int64?
  /// What is free on the disk.
  public var diskFreeBytes: Int64?
  /// Commits since it was opened, and how long each took.
  public var commits: DurationHistogram
  /// Writes in those commits.
  public var writes: Int
  /// Writes that wait for the next commit.
  public var waitingWrites: Int

  public init(
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
public struct UserStatistics: Hashable, Sendable {
  public var items: Int
  public var tombstones: Int
  /// Of the items' content.
  public var bytes: Int64
  public var devices: Int
  /// Access tokens that were not revoked.
  public var tokens: Int

  public init(items: Int, tombstones: Int, bytes: Int64, devices: Int, tokens: Int) {
    self.items = items
    self.tombstones = tombstones
    self.bytes = bytes
    self.devices = devices
    self.tokens = tokens
  }
}

/// What statistics need of a backend.
public protocol StatisticsRecords: AnyObject {
  /// Counts what the user has; the cost grows with it.
  func statistics(of user: UserID) throws -> UserStatistics
}

extension StoreService {
  /// How the storage is doing.
  public func storageFigures() async throws(StoreError) -> StorageFigures {
    do { return try await backend.figures() } catch { throw StoreError(error) }
  }

  /// Everything that is not as it should be in the storage, in words.
  public func problems() async throws(StoreError) -> [String] {
    do { return try await backend.problems() } catch { throw StoreError(error) }
  }

  /// How much each user has, in the order they were added. Reads everything there is.
  public func statistics() async throws(StoreError) -> [(user: User, statistics: UserStatistics)] {
    var result: [(user: User, statistics: UserStatistics)] = []
    for user in try await users() {
      let statistics = try await longRead(.step, for: user.id) { try $1.statistics(of: user.id) }
      result.append((user, statistics))
    }
    return result
  }

  /// What has happened since the store was opened.
  public var figures: StoreFigures {
    var figures = counted.withLock { $0 }
    (figures.signals, figures.streams) = (hub.signalCount, hub.subscriberCount)
    return figures
  }
}

/// What has happened since a store was opened.
public struct StoreFigures: Hashable, Sendable {
  /// Items that were published or replaced; repeats of a request don't count.
  public var publications = 0
  /// Signals that were handed to streams.
  public var signals = 0
  /// Streams of signals that are open.
  public var streams = 0
  /// How often the data went back while the store ran.
  public var rollbacks = 0

  init() {}
}
