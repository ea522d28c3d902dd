import BellhopModel
import BellhopStore

/// The content of the store, followed and checked commit by commit.
///
/// Each change of a row must have a cause that justifies it, by a second and simpler implementation
/// of the rules.
struct Truth {
  /// One commit, as it was read back.
  struct Commit {
    var counters: UserCounters
    /// The rows with a sequence above the previous one.
    var changed: [StoredRow]
    /// The ids of all rows; nil for a commit that cannot remove rows.
    var present: Set<NotificationID>?
    /// The settings of all apps.
    var settings: [AppSettings]
    /// The registered devices.
    var devices: Set<DeviceID> = []
    /// The devices that are registered for development.
    var developers: Set<DeviceID> = []
    /// The waits of publishers for answers to changed items.
    var responses: [AwaitedResponse] = []
    var now: Timestamp
  }

  private(set) var rows: [NotificationID: StoredRow] = [:]
  private(set) var counters = UserCounters()
  private(set) var settings = SettingsTruth()
  var responses = ResponseTruth()
  /// The devices that are registered for development.
  private(set) var developers: Set<DeviceID> = []
  /// Whether the author of the last commit receives items for development.
  private(set) var isByDeveloper = true
  /// The user's sequence at the start of each bulk operation, and the latest time at which it ran.
  var bulkBegun: [OperationID: (sequence: SequenceNumber, latest: Timestamp)] = [:]
  /// The results of rejected operations.
  var refusals: [OperationID: OperationResult] = [:]
  var finishedBulk: Set<OperationID> = []
  /// The content sequences that operations of devices made.
  var made: PlainRules.MadeContents = [:]
  /// The ids under which publications of devices are stored.
  var stored: [OperationID: NotificationID] = [:]
  /// The items written while a bulk operation was in progress, with their sequences.
  var writtenBetween: [NotificationID: SequenceNumber] = [:]
  /// The violations of the last commit.
  private(set) var violations: [String] = []
  /// The items that operations changed in the last commit, in their earlier state.
  var touched: [(operation: Operation, before: UserNotification)] = []
  private let tombstoneLife: Duration
  /// The retention of items whose app has no other setting.
  private let retention: Duration
  /// The minimum stay of an item after its snooze.
  private let snoozedStay: Duration
  /// The shortest retention: items older than this may have left.
  var shortestRetention: Duration { min(retention, .seconds(86_400)) }

  init(limits: StoreLimits) {
    tombstoneLife = limits.tombstoneLife
    retention = limits.retention
    snoozedStay = limits.snoozedStay
  }

  func live(_ id: NotificationID) -> UserNotification? {
    if case .live(let item)? = rows[id] { item } else { nil }
  }

  func isTombstone(_ id: NotificationID) -> Bool {
    if case .tombstone? = rows[id] { true } else { false }
  }

  /// Adopts the current state, after a restore or a rollback.
  mutating func adopt(
    _ rows: [StoredRow], _ counters: UserCounters, _ settings: [AppSettings],
    _ responses: [AwaitedResponse], _ developers: Set<DeviceID>
  ) {
    self.developers = developers
    self.settings.adopt(settings)
    self.responses.adopt(responses)
    self.rows = Dictionary(rows.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    self.counters = counters
  }

  /// Checks a commit and follows it.
  ///
  /// - Parameter device: The device that sent the operations.
  mutating func note(
    _ commit: Commit, because cause: CommitCause, by device: DeviceID? = nil
  ) {
    touched = []
    developers = commit.developers
    isByDeveloper = device.map(developers.contains) ?? true
    violations = settings.note(
      commit, after: counters.sequence, because: cause, by: device)
    checkSequences(commit)
    switch cause {
    case .publication(let content, let isQuiet): check(content, isQuiet: isQuiet, commit)
    case .withdrawal: checkRemovals(commit.changed) { _ in true }
    case .cancellation(let id): checkCancellation(of: id, commit)
    case .removal(let id): checkRemoval(of: id, commit)
    case .operations(let done, let underWay): check(done, underWay, commit)
    case .sweep:
      let over = Set(
        commit.changed.compactMap { live($0.id) }.filter { isOver($0, at: commit.now) }.map(\.id))
      checkRemovals(commit.changed) { over.contains($0.id) }
    case .category, .configuration, .other:
      for row in commit.changed { violate("\(words(row)) changed without a cause") }
    }
    if let present = commit.present { checkVanished(present, commit) }
    let hasBulk =
      if case .operations(let done, let underWay) = cause {
        underWay != nil || done.contains { $0.0.isBulkTarget }
      } else { false }
    violations += responses.check(commit.responses, mayBeNew: hasBulk)
    for row in commit.changed { rows[row.id] = row }
    counters = commit.counters
  }

  /// Records rows that were written between the reading of a bulk operation's chunk and its write.
  ///
  /// The operation need not have changed them.
  mutating func noteBetween(_ changed: [StoredRow]) {
    for row in changed { writtenBetween[row.id] = row.sequence }
  }

  /// Checks that a complete sweep has left no item that is due to leave.
  mutating func checkSwept(at now: Timestamp) {
    violations = []
    for case .live(let item) in rows.values where isOver(item, at: now) {
      violate("#\(item.shortNumber) should have been removed by a sweep")
    }
  }

  /// Returns whether the item must leave with the next sweep.
  private func isOver(_ item: UserNotification, at now: Timestamp) -> Bool {
    end(of: item, at: now).map { $0 <= now } ?? false
  }

  /// Returns the time at which the item leaves unless renewed; nil if it is pinned (SYNC-12).
  ///
  /// An item with a trigger stays until after its last occurrence.
  private func end(of item: UserNotification, at now: Timestamp) -> Timestamp? {
    if item.state.pinned.value { return nil }
    if let expiration = item.content.expiration { return expiration }
    let days = settings.retentionDays(of: item.content.app)
    let stay = days.map { Duration.seconds(Int64($0) * 86_400) } ?? retention
    let delivered =
      PlainOccurrence.next(item, after: now, zone: zone)
      ?? PlainOccurrence.latest(item, at: now, zone: zone)?.time
    let end = (delivered ?? item.arrival).advanced(by: stay)
    let action = item.state.userActionState
    let wake: Timestamp?
    if case .snoozed(let until) = action.value {
      wake = until
    } else if case .snoozed? = action.previous {
      wake = action.change?.at
    } else {
      wake = nil
    }
    return max(end, wake?.advanced(by: snoozedStay) ?? end)
  }

  /// The offset from UTC of the user's zone, in seconds.
  var zone: Int { settings.zone }

  mutating func violate(_ text: String) { violations.append(text) }

  func words(_ row: StoredRow) -> String { "#\(row.shortNumber)" }

  // MARK: Checks of every commit

  private mutating func checkSequences(_ commit: Commit) {
    if commit.counters.sequence < counters.sequence { violate("the store's sequence went back") }
    if commit.counters.floor < counters.floor { violate("the store's floor went back") }
    var seen: Set<SequenceNumber> = []
    for row in commit.changed {
      if !seen.insert(row.sequence).inserted { violate("two rows have \(row.sequence)") }
      if row.sequence > commit.counters.sequence {
        violate("\(words(row)) is ahead of the counter")
      }
      if case .live(let item) = row {
        if isTombstone(row.id) { violate("\(words(row)) came back at the store") }
        if item.state.contentSequence > item.state.sequence {
          violate("\(words(row)) has content from later than its last change")
        }
        if let meaning = item.state.meaning, meaning >= item.state.contentSequence {
          violate("\(words(row)) is a repeat of content that is not earlier")
        }
      }
    }
  }

  /// Checks that rows vanish only as tombstones that are old enough and not above the floor.
  private mutating func checkVanished(_ present: Set<NotificationID>, _ commit: Commit) {
    for (id, row) in rows where !present.contains(id) {
      guard case .tombstone(let tombstone) = row else {
        violate("\(words(row)) vanished without a tombstone")
        continue
      }
      if tombstone.sequence > commit.counters.floor {
        violate("a tombstone above the floor was dropped")
      }
      if tombstone.deleted.advanced(by: tombstoneLife) > commit.now {
        violate("a tombstone was dropped too early")
      }
      rows[id] = nil
    }
  }

  private mutating func checkRemovals(
    _ changed: [StoredRow], _ mayGo: (UserNotification) -> Bool
  ) {
    for row in changed {
      guard case .tombstone = row else {
        violate("\(words(row)) changed during a step that only removes rows")
        continue
      }
      guard let old = live(row.id) else {
        violate("\(words(row)) was deleted, but did not exist")
        continue
      }
      if !mayGo(old) { violate("\(words(row)) was removed, but should have stayed") }
    }
  }
}
