package import BellhopModel

/// The identifier of one run of a process that serves a storage together with others.
package typealias ProcessID = UniqueID<ServingProcess>

/// A process that serves a storage together with others.
package struct ServingProcess: Hashable, Sendable, Identifiable {
  package let id: ProcessID
  /// The name of its machine.
  package var host: String
  package var version: String
  package var started: Timestamp
  /// The time of its last heartbeat.
  package var lastSeen: Timestamp

  package init(
    id: ProcessID, host: String, version: String, started: Timestamp, lastSeen: Timestamp
  ) {
    self.id = id
    self.host = host
    self.version = version
    self.started = started
    self.lastSeen = lastSeen
  }

  /// The interval of heartbeats.
  package static let beatInterval = Duration.seconds(5)
  /// The time after its last heartbeat for which a process counts as live.
  ///
  /// It is six heartbeats long, so that a short failure of the storage ends no process.
  package static let liveTime = Duration.seconds(30)
  /// The time after its last heartbeat at which a process is forgotten, and a lease after its end.
  ///
  /// Until then, an administrator can see which process ended.
  static let memoryTime = Duration.seconds(86_400)
}

/// Read access to the processes that serve a storage, and to their leases. Part of
/// ``StoreReading``.
package protocol ProcessReading: AnyObject {
  /// Returns the processes whose last heartbeat was at `time` or later, by their ids.
  func processes(seenSince time: Timestamp) throws -> [ServingProcess]
  /// Returns the lease; nil if no process has claimed it yet.
  func lease(_ name: LeaseName) throws -> Lease?
}

/// Write access to the processes that serve a storage, and to their leases. Part of
/// ``StoreTransaction``.
///
/// The rows belong to no user; see ``WriteScope``. A storage that one process serves alone has
/// none, and does not implement these methods.
package protocol ProcessRecords: ProcessReading {
  /// Stores a process, replacing its previous record.
  func put(_ process: ServingProcess) throws
  func removeProcess(_ id: ProcessID) throws
  /// Forgets at most `limit` processes whose last heartbeat was before `time`.
  func removeProcesses(seenBefore time: Timestamp, limit: Int) throws
  /// Stores a lease, replacing its previous record.
  func put(_ lease: Lease) throws
  /// Releases every lease of a process. It has no holder then, and keeps its number and its end.
  func releaseLeases(of process: ProcessID) throws
  /// Forgets at most `limit` leases that ended before `time`.
  func removeLeases(endedBefore time: Timestamp, limit: Int) throws
}

/// Defaults for a storage that one process serves alone.
extension ProcessRecords {
  package func processes(seenSince time: Timestamp) throws -> [ServingProcess] {
    throw StoreError.notShared
  }
  package func lease(_ name: LeaseName) throws -> Lease? { throw StoreError.notShared }
  package func put(_ process: ServingProcess) throws { throw StoreError.notShared }
  package func removeProcess(_ id: ProcessID) throws { throw StoreError.notShared }
  package func removeProcesses(seenBefore time: Timestamp, limit: Int) throws {
    throw StoreError.notShared
  }
  package func put(_ lease: Lease) throws { throw StoreError.notShared }
  package func releaseLeases(of process: ProcessID) throws { throw StoreError.notShared }
  package func removeLeases(endedBefore time: Timestamp, limit: Int) throws {
    throw StoreError.notShared
  }
}

extension StoreError {
  /// The error of a storage that one process serves alone, when a process joins others there.
  static let notShared = StoreError.notSupported(
    what: "a database that several processes serve")
}
