internal import BellhopModel

extension StoreLogic {
  /// Returns the next step for a subscription, as far as a read can determine it.
  ///
  /// - Returns: nil if ``settleHook(_:in:)`` must write something first.
  func hookStep(for key: SubscriptionKey, in state: any StoreReading) throws -> HookStep? {
    let now = now
    guard let subscription = try state.subscription(key.id, of: key.user),
      let counters = try state.counters(of: key.user)
    else { return .gone }
    let progress = subscription.progress
    if !subscription.isEnded {
      if try isOver(subscription, in: state) { return nil }
      if hasMissedChanges(progress, counters) { return nil }
    }
    var wake = subscription.isEnded ? Timestamp.distantFuture : subscription.request.expires
    if let event = progress.pending {
      guard let later = progress.lifecycle.pause(at: now, furthest: limits.hookRetryBudget) else {
        return .tell(
          HookMessage(
            subscription: subscription, content: .lifecycle(event), through: progress.through,
            occurredThrough: progress.occurredThrough))
      }
      wake = min(wake, later)
      if subscription.isEnded { return .rest(until: wake) }
    }
    if let later = progress.delivery.pause(at: now, furthest: limits.hookRetryBudget) {
      return .rest(until: min(wake, later))
    }
    let rows = try state.changes(
      of: key.user, after: progress.through, limit: limits.hookChangesMax)
    let reader = try reader(of: subscription, in: state)
    let changes = rows.compactMap { subscription.change($0, for: reader) }
    let occurred = try occurrences(
      for: subscription, reader, besides: changes, at: now, in: state)
    if changes.isEmpty, occurred.changes.isEmpty {
      return rows.isEmpty ? .rest(until: occurred.next.map { min(wake, $0) } ?? wake) : nil
    }
    let through = rows.last?.sequence ?? progress.through
    return .tell(
      HookMessage(
        subscription: subscription, content: .changes(changes + occurred.changes),
        through: through, occurredThrough: now,
        knownNumber: through >= counters.sequence ? counters.shortNumber : nil))
  }

  /// Returns the deliveries by triggers that remain to be reported, and the time of the next one.
  ///
  /// Only the latest of several deliveries of an item counts, as on devices.
  ///
  /// - Parameter changes: the changes that are reported anyway.
  private func occurrences(
    for subscription: Subscription, _ reader: RegistrationEnvironment,
    besides changes: [HookChange], at now: Timestamp, in state: any StoreReading
  ) throws -> (changes: [HookChange], next: Timestamp?) {
    guard subscription.request.changeTypes.contains(.updated) else { return ([], nil) }
    let known = Set(changes.map(\.id))
    // A time in the future was recorded by a wrong clock.
    let since = min(subscription.progress.occurredThrough, now)
    var found: [HookChange] = []
    var next: Timestamp?
    let clock = try wallClock(of: subscription.user, in: state)
    for item in try triggeredItems(of: subscription.user, reader: reader, in: state) {
      if let time = item.triggerTimes(at: now, on: clock)?.next {
        next = min(next ?? time, time)
      }
      let latest = item.latestOccurrence(through: now, on: clock)
      guard let latest, latest.time > since, !known.contains(item.id) else { continue }
      found.append(HookChange(id: item.id, type: .updated))
    }
    return (found, next)
  }

  /// Returns the environment of the device whose token created or renewed the subscription.
  private func reader(
    of subscription: Subscription, in state: any StoreReading
  ) throws -> RegistrationEnvironment {
    guard let token = try state.accessToken(subscription.token, of: subscription.user),
      case .device(let id?) = token.scope
    else { return .production }
    return try state.device(id, of: subscription.user)?.registration.environment ?? .production
  }

  /// Whether changes since the subscriber's position can no longer be delivered. This happens when
  /// the store was restored from a backup or dropped tombstones.
  private func hasMissedChanges(_ progress: HookProgress, _ counters: UserCounters) -> Bool {
    progress.epoch != identity.epoch || progress.through < counters.floor
      || progress.through > counters.sequence
  }

  /// Records what needs no request: the end of a subscription, a lost position, or changes that the
  /// subscriber filters out.
  func settleHook(_ key: SubscriptionKey, in transaction: any StoreTransaction) throws {
    guard var subscription = try transaction.subscription(key.id, of: key.user),
      let counters = try transaction.counters(of: key.user), !subscription.isEnded
    else { return }
    if try isOver(subscription, in: transaction) {
      try end(&subscription, in: transaction)
    } else if hasMissedChanges(subscription.progress, counters) {
      subscription.progress.epoch = identity.epoch
      subscription.progress.through = min(
        max(subscription.progress.through, counters.floor), counters.sequence)
      subscription.progress.knownNumber = min(
        subscription.progress.knownNumber, counters.shortNumber)
      subscription.noteMissed()
      try transaction.put(subscription)
    } else {
      let rows = try transaction.changes(
        of: key.user, after: subscription.progress.through, limit: limits.hookChangesMax)
      let reader = try reader(of: subscription, in: transaction)
      guard let last = rows.last,
        rows.allSatisfy({ subscription.change($0, for: reader) == nil })
      else { return }
      subscription.progress.through = last.sequence
      if last.sequence >= counters.sequence {
        subscription.progress.knownNumber = counters.shortNumber
      }
      try transaction.put(subscription)
    }
  }

  /// Ends a subscription, after notifying its lifecycle hook if it has one.
  private func end(
    _ subscription: inout Subscription, in transaction: any StoreTransaction
  ) throws {
    guard subscription.request.lifecycleURL != nil else {
      return try transaction.removeSubscription(subscription.id, of: subscription.user)
    }
    subscription.progress.pending = .subscriptionRemoved
    subscription.progress.lifecycle = HookRetry()
    try transaction.put(subscription)
  }

  // MARK: - Outcomes

  /// Records the outcome of a message.
  ///
  /// Accepted changes are never sent again. Failed messages are retried, later each time, until
  /// ``StoreLimits/hookRetryBudget`` has passed. Then all waiting changes are dropped, and the
  /// lifecycle hook receives `missed`. After a crash before the outcome was recorded, the message
  /// is sent again. The outcome is not recorded if another process took the message's lease.
  func record(
    _ outcome: HookOutcome, of message: HookMessage, in transaction: any StoreTransaction
  ) throws -> HookRecord {
    let key = message.subscription.key
    if let lease = message.lease, try !isLatest(lease, in: transaction) { return .superseded }
    guard var subscription = try transaction.subscription(key.id, of: key.user) else {
      return .removed
    }
    let record: HookRecord
    switch message.content {
    case .lifecycle(let event):
      // Another event or the end may have come meanwhile; that one is sent next.
      guard subscription.progress.pending == event else { return .advanced }
      record = self.record(outcome, retry: &subscription.progress.lifecycle)
      if record == .advanced || record == .dropped {
        if event == .subscriptionRemoved {
          try transaction.removeSubscription(key.id, of: key.user)
          return .removed
        }
        subscription.progress.pending = nil
      }
    case .changes:
      guard subscription.request.notificationURL == message.subscription.request.notificationURL,
        subscription.progress.epoch == message.subscription.progress.epoch
      else { return .advanced }
      record = self.record(outcome, retry: &subscription.progress.delivery)
      switch record {
      case .advanced:
        subscription.progress.through = max(subscription.progress.through, message.through)
        subscription.progress.occurredThrough = message.occurredThrough
        if let known = message.knownNumber { subscription.progress.knownNumber = known }
      case .dropped:
        guard let counters = try transaction.counters(of: key.user) else { return .removed }
        subscription.progress.through = counters.sequence
        subscription.progress.knownNumber = counters.shortNumber
        subscription.progress.occurredThrough = now
        subscription.noteMissed()
      case .postponed, .removed, .superseded: break
      }
    }
    try transaction.put(subscription)
    return record
  }

  /// Counts an attempt and determines the time of the next.
  private func record(_ outcome: HookOutcome, retry: inout HookRetry) -> HookRecord {
    guard case .failed(let retryAfter) = outcome else {
      retry = HookRetry()
      return .advanced
    }
    let now = now
    // A first failure in the future was recorded by a wrong clock.
    let since = retry.since.map { min($0, now) } ?? now
    let end = since.advanced(by: limits.hookRetryBudget)
    guard expiryNow < end else {
      retry = HookRetry()
      return .dropped
    }
    retry.since = since
    retry.failures += 1
    let pause = max(backOff(after: retry.failures), retryAfter ?? .zero)
    let next = min(now.advanced(by: pause), end)
    retry.next = next
    return .postponed(until: next)
  }

  /// Returns a delay that doubles with each failure. Up to half of it is random, so that hooks that
  /// failed together are not retried together.
  private func backOff(after failures: Int) -> Duration {
    var pause = limits.hookRetryDelay
    for _ in 1..<max(failures, 1) where pause < limits.hookRetryDelayMax { pause *= 2 }
    return environment.jittered(min(pause, limits.hookRetryDelayMax))
  }
}

extension StoreEnvironment {
  /// Returns a random duration between half of `duration` and all of it.
  func jittered(_ duration: Duration) -> Duration {
    let whole = max(duration.milliseconds, 0)
    return .milliseconds(whole - Int64(random() % UInt64(whole / 2 + 1)))
  }
}

extension Subscription {
  /// Returns the row as reported to the subscriber; nil if the subscriber filters it out.
  ///
  /// An item that does not reach the subscriber's environment is filtered out too.
  fileprivate func change(
    _ row: ItemChange, for reader: RegistrationEnvironment
  ) -> HookChange? {
    if row.isDevelopment, reader == .production { return nil }
    let type: ChangeType =
      row.isDeleted ? .deleted : row.shortNumber > progress.knownNumber ? .created : .updated
    return request.changeTypes.contains(type) ? HookChange(id: row.id, type: type) : nil
  }

  /// Schedules a lifecycle notification about missed changes, if there is a lifecycle hook.
  fileprivate mutating func noteMissed() {
    guard request.lifecycleURL != nil, progress.pending == nil else { return }
    progress.pending = .missed
    progress.lifecycle = HookRetry()
  }
}
