internal import BellhopModel
internal import Synchronization

/// The part that this process has among those that serve its storage, with the leases it holds.
///
/// A process serves alone until it joins others. Then it needs no lease, and writes none.
final class ProcessMembership: Sendable {
  /// The right of this process to do a piece of work.
  enum Right: Hashable, Sendable {
    /// It serves alone.
    case alone
    case leased(Lease)
    /// It must claim the lease first.
    case missing
  }

  private enum Part {
    case alone
    case member(ServingProcess)
    /// It has released its leases, and claims no other.
    case left
  }

  private struct State {
    var part = Part.alone
    /// The leases that were granted to this process. Some may have expired.
    var leases: [LeaseName: Lease] = [:]
  }

  private let state = Mutex(State())

  /// Whether the process has joined others.
  var isShared: Bool {
    state.withLock { state in
      if case .alone = state.part { return false }
      return true
    }
  }

  /// The process as a member; nil while it serves alone, and after it left.
  var process: ServingProcess? {
    state.withLock { state -> ServingProcess? in
      guard case .member(let process) = state.part else { return nil }
      return process
    }
  }

  func join(_ process: ServingProcess) { state.withLock { $0.part = .member(process) } }

  /// Forgets all leases, and claims no other from now on.
  ///
  /// - Returns: the id of the process; nil if it was not a member.
  func leave() -> ProcessID? {
    state.withLock { state -> ProcessID? in
      guard case .member(let process) = state.part else { return nil }
      state = State(part: .left)
      return process.id
    }
  }

  /// Returns the right to a piece of work.
  ///
  /// - Parameter rest: the time for which a lease must still last at `now`.
  func right(to name: LeaseName, lasting rest: Duration = .zero, at now: Timestamp) -> Right {
    state.withLock { state -> Right in
      if case .alone = state.part { return .alone }
      guard let lease = state.leases[name], lease.expires > now.advanced(by: rest) else {
        return .missing
      }
      return .leased(lease)
    }
  }

  /// Records the lease for upkeep as a heartbeat found it; nil if another process holds it.
  func noteUpkeep(_ lease: Lease?) {
    state.withLock { state in
      guard case .member = state.part else { return }
      state.leases[.upkeep] = lease
    }
  }

  /// Records a lease that was granted, and forgets expired ones.
  func note(_ lease: Lease, at now: Timestamp) {
    state.withLock { state in
      guard case .member = state.part else { return }
      state.leases = state.leases.filter { $0.value.expires > now }
      state.leases[lease.name] = lease
    }
  }

  /// Forgets a lease that another process has claimed.
  func forget(_ lease: Lease) {
    state.withLock { state in
      guard state.leases[lease.name]?.number == lease.number else { return }
      state.leases[lease.name] = nil
    }
  }
}
