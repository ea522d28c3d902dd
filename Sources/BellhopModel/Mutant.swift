#if BELLHOP_MUTANTS
  internal import FoundationEssentials
  internal import Synchronization
#endif

/// A deliberate fault in the synchronisation rules, to prove that the tests detect it.
///
/// A test build turns on one fault at a time. The simulation must detect each fault in the code
/// that it runs; a test must fail with each of the others. An ordinary build has none of them.
package enum Mutant: Int, Hashable, Sendable, CaseIterable {
  // The effects of operations.
  case unseenIsHandled, undoOverrides, newestSeenCounts, undoForgetsPin, registersTied
  case occurrenceAtCommit, bulkHandlesLater, cancelledOccursAgain
  case changedActionChosen, answeredTwice, bulkInStoreZone, everyDeviceCrosses
  case ownContentUnchecked
  // The numbers of the store's operations.
  case numbersForgotten, resultsForgotten, divergenceAccepted, publishedTwice
  // Deltas and delta tokens.
  case contentLeftOut, floorKept, epochUnchecked, startUnchecked, deltaEndsEarly, firstTokenLate
  case developmentReachesAll
  // Items in the store.
  case bulkUnbounded, bulkStopsEarly, contentSequenceKept, deletionHidden, pinnedItemsLeave
  case deniedAppPublishes, newAppAuthorized
  case bulkUnrechecked, firstPageByRowsOnly, tombstonesDieEarly, replacementStaysHandled
  case expiredHidden, sweepUnrechecked, retentionFromCreation, sleepersLeave, pinnedWhileSwept
  // The cache.
  case tokenBeforeRows, staleAnswersTaken, rebuildEmptiesOutbox, answeredLeaveAtOnce
  case answeredNeverLeave, sweepLeftOut, pendingNotShown, unansweredNotShown
  case announcedTwice, startTokenForgotten, clockSetBackUnnoticed, turnOverLeftOut, lostPastKept
  case refusalForgotten, sequenceAheadOfRows, showHidesOthers, displayTimeFromArrival
  case wholeListUnbounded, heldSeveralDropped, zoneChangeUnnoticed, localItemSwept
  // The engine.
  case lineageKept, rebuildKeepsAnswers, firstPageVerifies, pollLeftOut, refusalsUntold
  case resyncIgnored, registrationForgotten
  case signalDuringPull, ownPullLeftOut, graceNeverEnds, quitSealsAll, enclosureUnchecked
  // Several processes over one storage. Only seeds with several processes catch them.
  case sequenceByNextval, readBeforeLock, notifyBeforeCommit, lifeKeyIgnored
  case unknownCommitRetried, lostNotifyNotRepaired
  // Code that the simulation does not run, or runs only in part: SQLite snapshots and commits, the
  // signal hub, the HTTP transport, files and locks, and the rules and repeats of users.
  case counterReadOutside, answerBeforeCommit, outboxNotSynced
  case enclosureBehindSignal, ownChangeSwallowsOthers, validThroughAgain
  case syncToDiskDoesNothing, salvageOneWay, lockOnNothing, bytesInFlight, revokedBetween
  case failoverUnseenByReads
  case ruleEditUnguarded, removedRuleActs, ruleOrderIgnored, stopIgnored, ruleRewritesContent
  case quietRunsAll, effectOverridesUser, undoForgetsEffect, staleRulesUsed
  case bulkRuleUnpinned, bulkRuleStale, movedAppUncounted
  case repeatIsMeaning, resurfacedKeepsMeaning, collapseStaysHandled, countKept, aliasForgotten
  case collapseBeforeReplacement, everyRepeatRings, thresholdForgotten
}

extension Mutant {
  /// The name of the fault on a command line.
  package var name: String { "\(self)" }

  /// Whether the simulation runs the code with the fault. Each other fault makes a test fail.
  package var isSimulated: Bool { rawValue < Mutant.counterReadOutside.rawValue }

  /// The id of the rule that the fault breaks; nil if no document states the rule.
  package var rule: String? {
    switch self {
    case .contentLeftOut, .contentSequenceKept: "SYNC-1"
    case .deltaEndsEarly, .deletionHidden, .counterReadOutside, .sequenceByNextval,
      .readBeforeLock:
      "SYNC-2"
    case .answerBeforeCommit, .ownChangeSwallowsOthers, .notifyBeforeCommit: "SYNC-3"
    case .epochUnchecked, .startUnchecked, .resyncIgnored, .lostPastKept, .lifeKeyIgnored,
      .failoverUnseenByReads:
      "SYNC-4"
    case .registersTied: "SYNC-5"
    case .unseenIsHandled, .newestSeenCounts, .wholeListUnbounded, .replacementStaysHandled,
      .occurrenceAtCommit, .bulkHandlesLater, .bulkInStoreZone, .changedActionChosen,
      .answeredTwice, .ownContentUnchecked:
      "SYNC-6"
    case .undoOverrides, .undoForgetsPin: "SYNC-7"
    case .graceNeverEnds, .quitSealsAll: "SYNC-8"
    case .numbersForgotten, .resultsForgotten, .divergenceAccepted, .publishedTwice,
      .rebuildEmptiesOutbox,
      .lineageKept, .rebuildKeepsAnswers, .refusalForgotten, .refusalsUntold, .heldSeveralDropped,
      .registrationForgotten, .validThroughAgain, .outboxNotSynced, .syncToDiskDoesNothing,
      .unknownCommitRetried:
      "SYNC-9"
    case .bulkUnbounded, .bulkStopsEarly, .bulkUnrechecked: "SYNC-10"
    case .clockSetBackUnnoticed, .zoneChangeUnnoticed, .turnOverLeftOut, .displayTimeFromArrival,
      .cancelledOccursAgain, .everyDeviceCrosses:
      "SYNC-11"
    case .floorKept, .pinnedItemsLeave, .tombstonesDieEarly, .sweepUnrechecked,
      .retentionFromCreation, .sleepersLeave, .pinnedWhileSwept:
      "SYNC-12"
    case .tokenBeforeRows, .staleAnswersTaken, .answeredLeaveAtOnce, .answeredNeverLeave,
      .sweepLeftOut, .pendingNotShown, .unansweredNotShown, .sequenceAheadOfRows,
      .showHidesOthers, .enclosureUnchecked, .localItemSwept, .movedAppUncounted:
      "SYNC-13"
    case .firstTokenLate, .firstPageByRowsOnly, .expiredHidden, .startTokenForgotten,
      .firstPageVerifies:
      "SYNC-14"
    case .pollLeftOut, .signalDuringPull, .ownPullLeftOut, .enclosureBehindSignal,
      .lostNotifyNotRepaired:
      "SYNC-15"
    case .announcedTwice, .everyRepeatRings, .thresholdForgotten: "SYNC-16"
    case .salvageOneWay, .lockOnNothing: "SYNC-17"
    case .ruleEditUnguarded, .removedRuleActs, .ruleOrderIgnored, .stopIgnored,
      .ruleRewritesContent, .quietRunsAll, .effectOverridesUser, .undoForgetsEffect,
      .staleRulesUsed, .bulkRuleUnpinned, .bulkRuleStale:
      "SYNC-18"
    case .repeatIsMeaning, .resurfacedKeepsMeaning, .collapseStaysHandled, .countKept,
      .aliasForgotten, .collapseBeforeReplacement:
      "SYNC-19"
    case .bytesInFlight, .revokedBetween, .deniedAppPublishes, .newAppAuthorized,
      .developmentReachesAll:
      nil
    }
  }

  #if BELLHOP_MUTANTS
    package static var areBuiltIn: Bool { true }

    /// The fault in effect; at the start of a program, the one named in its environment.
    private static let chosen = Atomic<Int>(
      ProcessInfo.processInfo.environment["BELLHOP_MUTANT"].flatMap { name in
        allCases.first { $0.name == name }?.rawValue
      } ?? -1)

    /// Turns on a fault instead of the previous one; nil turns all faults off.
    package static func choose(_ mutant: Mutant?) {
      chosen.store(mutant?.rawValue ?? -1, ordering: .relaxed)
    }

    package var isOn: Bool { Self.chosen.load(ordering: .relaxed) == rawValue }
  #else
    package static var areBuiltIn: Bool { false }

    package static func choose(_ mutant: Mutant?) {}

    /// Whether the fault is in effect: a compile-time constant, so that no faulty code is built in.
    @inlinable package var isOn: Bool { false }
  #endif
}
