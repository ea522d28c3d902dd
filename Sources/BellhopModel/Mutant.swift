#if BELLHOP_MUTANTS
  internal import Synchronization
#endif

/// Deliberate faults in the rules of synchronisation, of which a test build turns on one at a time:
/// the simulation has to catch each. An ordinary build has none of them.
package enum Mutant: Int, Hashable, Sendable, CaseIterable {
  // What an operation does (SYNC rules 6 and 7).
  case unseenIsHandled, undoOverrides
  // The store's numbers (rule 9).
  case numbersForgotten, resultsForgotten, divergenceAccepted
  // Deltas and their tokens (rules 1, 4, 12, 14).
  case contentLeftOut, floorKept, epochUnchecked, startUnchecked, deltaEndsEarly, firstTokenLate
  // The store's items (rules 1, 8, 10, 12).
  case bulkUnbounded, bulkStopsEarly, contentSequenceKept, deletionHidden, keptItemsLeave
  case tombstonesDieEarly, replacementStaysHandled, expiredHidden
  // The cache (rules 11, 13, 14, 16).
  case tokenBeforeRows, staleAnswersTaken, rebuildEmptiesOutbox, answeredLeaveAtOnce
  case answeredNeverLeave, sweepLeftOut, pendingNotShown, outboxNotSynced
  case announcedTwice, startTokenForgotten, clockSetBackUnnoticed, turnOverLeftOut, lostPastKept
  case refusalForgotten
  // The engine (rules 9, 13, 15).
  case lineageKept, pollLeftOut, refusalsUntold, resyncIgnored, registrationForgotten
  case graceNeverEnds, enclosureUnchecked
}

extension Mutant {
  /// As it is named on a command line.
  package var name: String { "\(self)" }

  #if BELLHOP_MUTANTS
    package static var areBuiltIn: Bool { true }

    private static let chosen = Atomic<Int>(-1)

    /// Turns one on instead of the one before; nil for none.
    package static func choose(_ mutant: Mutant?) {
      chosen.store(mutant?.rawValue ?? -1, ordering: .relaxed)
    }

    package var isOn: Bool { Self.chosen.load(ordering: .relaxed) == rawValue }
  #else
    package static var areBuiltIn: Bool { false }

    package static func choose(_ mutant: Mutant?) {}

    /// Known at compile time, so that nothing of a mutant is left in the program.
    @inlinable package var isOn: Bool { false }
  #endif
}
