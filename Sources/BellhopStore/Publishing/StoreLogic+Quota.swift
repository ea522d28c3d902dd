internal import BellhopModel

extension StoreLogic {
  /// Admits or refuses a publication before anything is written, and frees quota for it.
  ///
  /// An app's own limits are checked first, and only items of that app are evicted. The user's
  /// limits restrict an app only beyond its even share of them, so that no app can use up the quota
  /// of the others.
  ///
  /// - Parameters:
  ///   - live: the item that the publication replaces.
  ///   - expired: an expired item with the same app notification id, which the publication turns
  ///     into a tombstone.
  /// - Throws: ``StoreError/quotaReached(what:)``, ``StoreError/tooManyRequests(retryAfter:)``.
  func admit(
    _ content: Content, replacing live: UserNotification?, removing expired: UserNotification?,
    ledger: inout CounterUpdates, at now: Timestamp, in transaction: any StoreTransaction
  ) throws {
    try checkRoom(forApp: content.app, ledger: &ledger, in: transaction)
    var added = StorageUse(
      items: live == nil ? 1 : 0,
      bytes: content.storedByteCount - (live?.content.storedByteCount ?? 0))
    if let expired {
      added += StorageUse(items: -1, tombstones: 1, bytes: -expired.content.storedByteCount)
    }
    let record = try ledger.app(content.app, in: transaction)
    let excess = try excess(added, of: record.use, userUse: ledger.counters.use)
    let evicted = try victims(
      for: excess, sparing: [live?.id, expired?.id], of: record, ledger, in: transaction)
    try rates.reserve(
      user: ledger.user, app: content.app, in: &transaction.publishTally,
      at: environment.uptime())
    for item in evicted {
      try replaceWithTombstone(item, ledger: &ledger, at: now, in: transaction)
    }
  }

  /// Checks that the user may have another app before its first item or its settings are stored.
  ///
  /// - Parameter appsMax: nil for the limit of all apps.
  func checkRoom(
    forApp app: String, appsMax: Int? = nil, ledger: inout CounterUpdates,
    in state: any StoreReading
  ) throws {
    let appsMax = appsMax ?? limits.appsMax
    guard try !ledger.knows(app, in: state), ledger.appCount >= appsMax else { return }
    throw StoreError.quotaReached(what: "\(appsMax) apps")
  }

  /// Returns the excess that must be evicted before `added` is stored.
  ///
  /// - Throws: ``StoreError/quotaReached(what:)`` when eviction cannot help: a tombstone must live
  ///   its full time, or clients would miss deletions.
  private func excess(
    _ added: StorageUse, of appUse: StorageUse, userUse: StorageUse
  ) throws -> Excess {
    var (app, user) = (appUse, userUse)
    app += added
    user += added
    let share = limits.share
    if added.rows > 0 {
      if app.rows > limits.appRowsMax {
        throw StoreError.quotaReached(
          what: "\(limits.appRowsMax) items of this app, including recently deleted ones")
      }
      if user.rows > limits.userRowsMax, app.rows > share.rows {
        throw StoreError.quotaReached(
          what: "\(limits.userRowsMax) items, including recently deleted ones")
      }
    }
    var excess = Excess()
    func note(_ count: Int, _ what: String, in path: WritableKeyPath<Excess, Int>) {
      guard count > excess[keyPath: path] else { return }
      excess[keyPath: path] = count
      excess.limit = what
    }
    if added.items > 0 {
      note(app.items - limits.appItemsMax, "\(limits.appItemsMax) items of this app", in: \.items)
      let own = min(user.items - limits.userItemsMax, app.items - share.items)
      note(own, "\(limits.userItemsMax) items", in: \.items)
    }
    if added.bytes > 0 {
      note(app.bytes - limits.appBytesMax, "\(limits.appBytesMax) bytes of this app", in: \.bytes)
      let own = min(user.bytes - limits.userBytesMax, app.bytes - share.bytes)
      note(own, "\(limits.userBytesMax) bytes", in: \.bytes)
    }
    return excess
  }

  /// Returns the app's oldest items whose eviction compensates for the excess.
  ///
  /// Pinned items are never evicted, snoozed ones not until the snooze ends, and items with a
  /// trigger not before its last occurrence. A snooze ends by
  /// the clock that expires items, because an evicted item does not return.
  private func victims(
    for excess: Excess, sparing spared: [NotificationID?], of record: AppRecord,
    _ ledger: CounterUpdates, in state: any StoreReading
  ) throws -> [UserNotification] {
    guard excess.items > 0 || excess.bytes > 0 else { return [] }
    let refusal = StoreError.quotaReached(what: excess.limit)
    guard limits.quotaPolicy == .evictOldest, excess.items <= limits.sweepItemsMax else {
      throw refusal
    }
    let expiryNow = expiryNow
    var rest = excess
    var victims: [UserNotification] = []
    let oldest = try state.items(
      ofApp: record.app, above: nil, limit: limits.sweepItemsMax, of: ledger.user)
    for item in oldest
    where !item.state.pinned.value && !item.isSnoozed(at: expiryNow) && !spared.contains(item.id) {
      if try hasOccurrence(item, after: expiryNow, of: ledger.user, in: state) { continue }
      if rest.items <= 0 && rest.bytes <= 0 { break }
      victims.append(item)
      rest.items -= 1
      rest.bytes -= item.content.storedByteCount
    }
    guard rest.items <= 0, rest.bytes <= 0 else { throw refusal }
    return victims
  }
}

extension StoreLogic {
  private func hasOccurrence(
    _ item: UserNotification, after time: Timestamp, of user: UserID, in state: any StoreReading
  ) throws -> Bool {
    try item.content.trigger?.next(
      after: time, published: item.arrival, crossed: item.state.crossed,
      on: wallClock(for: item.content, of: user, in: state)) != nil
  }
}

/// The amount by which a publication exceeds a limit.
private struct Excess {
  var items = 0
  var bytes = 0
  /// The limit in words.
  var limit = ""
}

extension StoreLimits {
  /// The share of the user's limits that is guaranteed to every app.
  fileprivate var share: (items: Int, rows: Int, bytes: Int) {
    let apps = max(1, appsMax)
    return (userItemsMax / apps, userRowsMax / apps, userBytesMax / apps)
  }
}
