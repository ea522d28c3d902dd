internal import BellhopModel
internal import Synchronization

/// The rules of users in memory, so that a publication neither reads nor compiles them again.
///
/// Rules are known by the sequence of their last change, which another process may have made. They are
/// kept only once this process has committed a later sequence, or the same: a sequence of a transaction
/// that is rolled back is issued again, for other rules.
final class RuleCache: Sendable {
  private struct Entry {
    var start: UniqueID<StoreStart>
    /// The newest sequence that this process has committed for the user since the entry was made.
    var committed: SequenceNumber?
    var known: (sequence: SequenceNumber, rules: RuleSet)?
    var lastUse: Int64
  }

  private struct Entries {
    var byUser: [UserID: Entry] = [:]
    var uses: Int64 = 0
  }

  /// The number of users after which the one whose rules were used least recently is forgotten.
  private static let usersMax = 1000

  private let entries = Mutex(Entries())

  /// Returns the user's rules, which `read` provides unless they are known.
  ///
  /// - Parameters:
  ///   - sequence: the sequence of the last change of a rule.
  ///   - start: the life of the data.
  func rules(
    of user: UserID, at sequence: SequenceNumber, in start: UniqueID<StoreStart>,
    _ read: () throws -> RuleSet
  ) rethrows -> RuleSet {
    if let known = known(user, sequence, start) { return known }
    // Rules are compiled outside of the lock.
    let rules = try read()
    entries.withLock { entries in
      guard let entry = entries.byUser[user], entry.start == start,
        let committed = entry.committed, committed >= sequence,
        entry.known.map({ $0.sequence < sequence }) ?? true
      else { return }
      entries.byUser[user]?.known = (sequence, rules)
    }
    return rules
  }

  private func known(
    _ user: UserID, _ sequence: SequenceNumber, _ start: UniqueID<StoreStart>
  ) -> RuleSet? {
    entries.withLock { entries in
      entries.uses += 1
      var entry = entries.byUser[user] ?? Entry(start: start, lastUse: entries.uses)
      if entry.start != start { entry = Entry(start: start, lastUse: entries.uses) }
      entry.lastUse = entries.uses
      entries.byUser[user] = entry
      if entries.byUser.count > Self.usersMax,
        let oldest = entries.byUser.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        entries.byUser[oldest.key] = nil
      }
      guard let known = entry.known,
        known.sequence == sequence || Mutant.staleRulesUsed.isOn
      else { return nil }
      return known.rules
    }
  }

  /// Notes a committed sequence. Users whose rules were not asked for are ignored.
  func noteCommit(_ taken: TakenSequence, in start: UniqueID<StoreStart>) {
    entries.withLock { entries in
      guard let entry = entries.byUser[taken.user], entry.start == start else { return }
      entries.byUser[taken.user]?.committed = max(entry.committed ?? .zero, taken.sequence)
    }
  }
}
