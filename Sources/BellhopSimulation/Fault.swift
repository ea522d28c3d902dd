/// What may go wrong in a run; the seed chooses a subset.
package enum Fault: String, Hashable, Sendable, CaseIterable {
  // The network, with a probability for each request or signal.
  case requestLost
  /// The store has committed, and the answer gets lost.
  case answerLost
  /// A copy of a request arrives, perhaps long after what followed it.
  case duplicated
  /// Answers, requests and signals overtake each other.
  case delayed
  /// 429, 500 and 503.
  case refused
  case signalLost
  /// A device has no way to the store for a while.
  case partition

  // Devices.
  /// Killed at any moment, perhaps with a power loss.
  case crash
  /// Killed inside any write to the cache, or right behind it.
  case killedAtWrite
  /// A full disk: a write to the cache fails, and the program goes on.
  case diskFull
  /// A device's clock is set: by up to a year, also backwards.
  case deviceClock
  /// A process that was taken for dead gets its answer, and commits it beside its successor.
  case lateProcess
  /// The home directory is copied to a second machine, outbox and all.
  case homeCopied
  /// Somebody signs the device out; a person signs it in again.
  case revoked
  /// The access token runs out.
  case tokenExpired

  // The store.
  /// Killed before or after a commit, and started again.
  case storeKilled
  /// The data moves: another epoch, nothing lost.
  case epochChanged
  /// A backup is restored as the program does it.
  case backupRestored
  /// The data directory is put back to an earlier state without anybody saying so.
  case rolledBack
  /// The store's clock is set.
  case storeClock
  /// Tombstones are dropped, also in the middle of somebody's paging.
  case tombstonesDropped

  // Races.
  /// Publications between the chunks of a bulk operation.
  case bulkRace
}

/// How likely the faults of the network are.
struct FaultRates: Hashable, Sendable {
  private var rates: [Fault: Double] = [:]

  static let none = FaultRates()

  private init() {}

  /// These, and no others.
  init(_ rates: [Fault: Double]) { self.rates = rates }

  /// Rates for the faults that a run has, drawn in one order, so that leaving one out does not
  /// change the others.
  init(of faults: Set<Fault>, by random: SharedRandom) {
    let most: [(Fault, Double)] = [
      (.requestLost, 0.2), (.answerLost, 0.25), (.duplicated, 0.25), (.delayed, 0.3),
      (.refused, 0.2), (.signalLost, 0.6), (.bulkRace, 0.8), (.lateProcess, 0.9),
    ]
    for (fault, rate) in most {
      let drawn = (0.2 + random.unit() * 0.8) * rate
      if faults.contains(fault) { rates[fault] = drawn }
    }
  }

  subscript(_ fault: Fault) -> Double { rates[fault] ?? 0 }
}
