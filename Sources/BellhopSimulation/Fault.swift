/// A fault that may occur in a run; the seed chooses a subset.
package enum Fault: String, Hashable, Sendable, CaseIterable {
  // The network, with a probability for each request or signal.
  case requestLost
  /// The store has committed, but the response is lost.
  case answerLost
  /// A copy of a request arrives, perhaps long after later requests.
  case duplicated
  /// Responses, requests and signals overtake each other.
  case delayed
  /// The store responds with 429, 500 or 503.
  case refused
  case signalLost
  /// A device cannot reach the store for a while.
  case partition

  // Devices.
  /// The process is killed at any moment, perhaps with a power loss.
  case crash
  /// The process is killed during a write to the cache, or right after it.
  case killedAtWrite
  /// The disk is full: a write to the cache fails, and the program continues.
  case diskFull
  /// The device's clock is set: by up to a year, also backwards. With triggers, its zone as well.
  case deviceClock
  /// A process that was considered dead receives its response, and commits it beside its successor.
  case lateProcess
  /// The home directory is copied to a second machine, including the outbox.
  case homeCopied
  /// The device is signed out; the user signs it in again.
  case revoked
  /// The access token expires.
  case tokenExpired

  // The store.
  /// The store is killed before or after a commit, and restarted.
  case storeKilled
  /// The data moves: the store has a new epoch, and nothing is lost.
  case epochChanged
  /// A backup is restored as the program does it.
  case backupRestored
  /// The data directory is reverted to an earlier state without a new epoch.
  case rolledBack
  /// The store's clock is set.
  case storeClock
  /// Tombstones are removed, even while a device is paging.
  case tombstonesDropped

  // Races.
  /// Items are published between the chunks of a bulk operation.
  case bulkRace

  // Several processes over one storage.
  /// A message from one process to the others is lost.
  case peerMessageLost
  /// The steps of a transaction take long, so that other processes go on in between.
  case slowCommit
  /// The connection to the database breaks after COMMIT was sent.
  case commitUnknown
  /// A standby with all commits is promoted, while the processes go on.
  case failover
  /// A standby that lacks the last commits is promoted, while the processes go on.
  case failoverLoses
  /// A process stays connected to the former primary after a failover.
  case formerPrimary

  /// Whether it occurs only in a world with several processes.
  var needsProcesses: Bool {
    switch self {
    case .peerMessageLost, .slowCommit, .commitUnknown, .failover, .failoverLoses,
      .formerPrimary:
      true
    case .requestLost, .answerLost, .duplicated, .delayed, .refused, .signalLost, .partition,
      .crash, .killedAtWrite, .diskFull, .deviceClock, .lateProcess, .homeCopied, .revoked,
      .tokenExpired, .storeKilled, .epochChanged, .backupRestored, .rolledBack, .storeClock,
      .tombstonesDropped, .bulkRace:
      false
    }
  }
}

/// The probabilities of the network's faults.
struct FaultRates: Hashable, Sendable {
  private var rates: [Fault: Double] = [:]

  static let none = FaultRates()

  private init() {}

  /// Creates rates for these faults and no others.
  init(_ rates: [Fault: Double]) { self.rates = rates }

  /// Draws rates for the faults of a run.
  ///
  /// The order of draws is fixed, so that leaving out one fault does not change the others.
  init(of faults: Set<Fault>, by random: SharedRandom) {
    let most: [(Fault, Double)] = [
      (.requestLost, 0.2), (.answerLost, 0.25), (.duplicated, 0.25), (.delayed, 0.3),
      (.refused, 0.2), (.signalLost, 0.6), (.bulkRace, 0.8), (.lateProcess, 0.9),
      (.peerMessageLost, 0.5), (.slowCommit, 0.3), (.commitUnknown, 0.3), (.formerPrimary, 1),
    ]
    for (fault, rate) in most {
      let drawn = (0.2 + random.unit() * 0.8) * rate
      if faults.contains(fault) { rates[fault] = drawn }
    }
  }

  subscript(_ fault: Fault) -> Double { rates[fault] ?? 0 }
}
