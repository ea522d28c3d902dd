internal import BellhopModel

/// The result of an attempt to claim a lease.
enum LeaseClaim: Hashable, Sendable {
  case granted(Lease)
  /// Another process holds the lease until this time.
  case held(until: Timestamp)
}

/// The state of the processes after a heartbeat.
struct Heartbeat: Hashable, Sendable {
  /// The number of live processes, including the one that sent the heartbeat.
  var liveCount: Int
  /// The lease ``LeaseName/upkeep``, if the process holds it now.
  var upkeep: Lease?
}

extension StoreLogic {
  /// Records that a process is alive, and claims or renews the lease ``LeaseName/upkeep`` for it.
  func beat(
    _ process: ServingProcess, in transaction: any StoreTransaction
  ) throws -> Heartbeat {
    var process = process
    process.lastSeen = now
    try transaction.put(process)
    let claim = try claim(
      .upkeep, by: process.id, for: Lease.upkeepLife, in: transaction)
    let liveCount = try liveProcesses(in: transaction).count
    switch claim {
    case .granted(let lease): return Heartbeat(liveCount: liveCount, upkeep: lease)
    case .held: return Heartbeat(liveCount: liveCount)
    }
  }

  /// Returns the processes whose last heartbeat was within ``ServingProcess/liveTime``.
  ///
  /// A heartbeat that lies further ahead comes from a wrong clock.
  func liveProcesses(in state: any StoreReading) throws -> [ServingProcess] {
    let now = now
    let latest = now.advanced(by: ServingProcess.liveTime)
    return try state.processes(seenSince: now.advanced(by: .zero - ServingProcess.liveTime))
      .filter { $0.lastSeen <= latest }
  }

  /// Returns the end of a lease that another process holds; nil if `process` may claim it.
  func end(
    of name: LeaseName, besides process: ProcessID, in state: any StoreReading
  ) throws -> Timestamp? {
    guard let lease = try state.lease(name), lease.isHeld(besides: process, at: now) else {
      return nil
    }
    return lease.expires
  }

  /// Claims a lease for a process, or renews it, in a transaction of the scope
  /// ``LeaseName/scope``.
  ///
  /// It is granted if it was never claimed, was released, has expired, or is held by this process.
  func claim(
    _ name: LeaseName, by process: ProcessID, for life: Duration,
    in transaction: any StoreTransaction
  ) throws -> LeaseClaim {
    let now = now
    let known = try transaction.lease(name)
    if let known, known.isHeld(besides: process, at: now) { return .held(until: known.expires) }
    var number = known?.number ?? 0
    if known?.holder != process { number += 1 }
    let lease = Lease(
      name: name, holder: process, number: number, expires: now.advanced(by: life))
    try transaction.put(lease)
    return .granted(lease)
  }

  /// Whether no other process has claimed the lease since it was granted.
  func isLatest(_ lease: Lease, in state: any StoreReading) throws -> Bool {
    guard let known = try state.lease(lease.name) else { return false }
    return known.holder == lease.holder && known.number == lease.number
  }

  /// Releases the leases of a process that ends, and forgets it.
  func leave(_ process: ProcessID, in transaction: any StoreTransaction) throws {
    try transaction.releaseLeases(of: process)
    try transaction.removeProcess(process)
  }

  /// Forgets processes and leases that ended long ago.
  func forgetProcesses(in transaction: any StoreTransaction) throws {
    let oldest = expiryNow.advanced(by: .zero - ServingProcess.memoryTime)
    try transaction.removeProcesses(seenBefore: oldest, limit: limits.sweepItemsMax)
    try transaction.removeLeases(endedBefore: oldest, limit: limits.sweepItemsMax)
  }
}
