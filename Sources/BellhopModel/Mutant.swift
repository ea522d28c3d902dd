#if BELLHOP_MUTANTS
  internal import FoundationEssentials
  internal import Synchronization
#endif

/// Deliberate faults in the rules of synchronisation, of which a test build turns on one at a time.
///
/// The simulation has to catch each fault in what it runs; a test has to fail with each of the
/// others. An ordinary build has none of them.
package enum Mutant: Int, Hashable, Sendable, CaseIterable {
  // What an operation does (SYNC-6 and SYNC-7).
  case unseenIsHandled, undoOverrides, newestSeenCounts, undoForgetsKept
  // The store's numbers (SYNC-9).
  case numbersForgotten, resultsForgotten, divergenceAccepted
  // Deltas and their tokens (SYNC-1, SYNC-4, SYNC-12, SYNC-14).
  case contentLeftOut, floorKept, epochUnchecked, startUnchecked, deltaEndsEarly, firstTokenLate
  // The store's items (SYNC-1, SYNC-8, SYNC-10, SYNC-12).
  case bulkUnbounded, bulkStopsEarly, contentSequenceKept, deletionHidden, keptItemsLeave
  case bulkUnrechecked, firstPageByRowsOnly, tombstonesDieEarly, replacementStaysHandled
  case expiredHidden, sweepUnrechecked, retentionFromCreation, sleepersLeave
  // The cache (SYNC-11, SYNC-13, SYNC-14, SYNC-16).
  case tokenBeforeRows, staleAnswersTaken, rebuildEmptiesOutbox, answeredLeaveAtOnce
  case answeredNeverLeave, sweepLeftOut, pendingNotShown, outboxNotSynced
  case announcedTwice, startTokenForgotten, clockSetBackUnnoticed, turnOverLeftOut, lostPastKept
  case refusalForgotten, sequenceAheadOfRows, showHidesOthers, displayTimeFromArrival
  case wholeListUnbounded, heldSeveralDropped
  // The engine (SYNC-9, SYNC-13, SYNC-15).
  case lineageKept, rebuildKeepsAnswers, firstPageVerifies, pollLeftOut, refusalsUntold
  case resyncIgnored, registrationForgotten
  case signalDuringPull, ownPullLeftOut, graceNeverEnds, quitSealsAll, enclosureUnchecked
  // What the simulation does not run: the signal hub, the HTTP transport, files and locks
  // (SYNC-3, SYNC-9, SYNC-15 and SYNC-17).
  case enclosureBehindSignal, ownChangeSwallowsOthers, validThroughAgain
  case syncToDiskDoesNothing, salvageOneWay, lockOnNothing, bytesInFlight, revokedBetween
}

extension Mutant {
  /// As it is named on a command line.
  package var name: String { "\(self)" }

  /// Whether the simulation runs the code that the fault is in. A test fails with each of the others.
  package var isSimulated: Bool { rawValue < Mutant.enclosureBehindSignal.rawValue }

  #if BELLHOP_MUTANTS
    package static var areBuiltIn: Bool { true }

    /// A program begins with the one that its environment names.
    private static let chosen = Atomic<Int>(
      ProcessInfo.processInfo.environment["BELLHOP_MUTANT"].flatMap { name in
        allCases.first { $0.name == name }?.rawValue
      } ?? -1)

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
