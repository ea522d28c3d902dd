internal import BellhopModel

/// The processes that serve one storage.
///
/// A service serves alone until ``join(host:version:)``. Alone it needs no leases, and writes
/// neither heartbeats nor leases.
extension StoreService {
  /// Begins to serve the storage together with other processes, and sends the first heartbeat.
  ///
  /// Call it once, before the service is used. ``close()`` ends it.
  ///
  /// - Parameter host: the name of this machine, which administrators see.
  /// - Throws: ``StoreError/notSupported(what:)`` on a storage for one process.
  package func join(host: String, version: String) async throws(StoreError) {
    let now = now
    membership.join(
      ServingProcess(
        id: logic.newID(), host: host, version: version, started: now, lastSeen: now))
    try await beat()
  }

  /// Sends a heartbeat, which also claims or renews the lease for ``performUpkeep()``.
  ///
  /// Call it every ``ServingProcess/beatInterval``. It does nothing while the service serves alone.
  package func beat() async throws(StoreError) {
    guard let process = membership.process else { return }
    let heartbeat = try await write(in: .store) { try $0.beat(process, in: $1) }
    membership.noteUpkeep(heartbeat.upkeep)
    processes.note(heartbeat.liveCount)
  }

  /// Releases all leases and forgets this process, so that others continue its work at once.
  func leave() async {
    guard let process = membership.leave() else { return }
    processes.note(1)
    // If this fails, the leases expire, and the process counts as live for a while.
    try? await write(in: .store) { try $0.leave(process, in: $1) }
  }

  /// Whether the service serves its storage together with other processes.
  package var isShared: Bool { membership.isShared }

  /// Whether this process does the upkeep now: it serves alone, or holds the lease.
  package var doesUpkeep: Bool {
    switch membership.right(to: .upkeep, at: now) {
    case .alone, .leased: true
    case .missing: false
    }
  }

  /// Returns the live processes, by their ids; none while the service serves alone.
  package func servingProcesses() async throws(StoreError) -> [ServingProcess] {
    guard isShared else { return [] }
    return try await read { try $0.liveProcesses(in: $1) }
  }

  /// Performs ``sweep()`` if this process does the upkeep, until it no longer does.
  ///
  /// Otherwise it only judges wall-clock time, as each process must.
  @discardableResult
  package func performUpkeep() async throws(StoreError) -> SweepReport {
    guard doesUpkeep else {
      var report = SweepReport()
      report.clockDoubt = try await judgeClock()
      return report
    }
    let report = try await sweep { [self] in Task.isCancelled || !doesUpkeep }
    if isShared, doesUpkeep, report.clockDoubt == nil {
      try await write(in: .users) { try $0.forgetProcesses(in: $1) }
    }
    return report
  }

  /// Claims a lease for this process, or renews it.
  ///
  /// - Returns: nil when this process holds it; otherwise the end of another process's lease.
  func claim(
    _ name: LeaseName, for life: Duration
  ) async throws(StoreError) -> Timestamp? {
    guard let process = membership.process?.id else { return .distantFuture }
    // Read first: a write costs a commit, even if it only finds that the lease is held.
    if let end = try await read({ try $0.end(of: name, besides: process, in: $1) }) { return end }
    let claim = try await write(in: name.scope) {
      try $0.claim(name, by: process, for: life, in: $1)
    }
    switch claim {
    case .granted(let lease):
      membership.note(lease, at: now)
      return nil
    case .held(let end): return end
    }
  }
}
