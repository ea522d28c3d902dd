import BellhopModel

extension CacheLogic {
  func apply(_ chunk: ChangeChunk, now: Timestamp) throws -> ApplyOutcome {
    if !chunk.changes.isEmpty { noteCheck(at: now) }
    guard isWanted(chunk, in: transaction.state) else { return ApplyOutcome(isCurrent: false) }
    if let valid = chunk.validThrough, !Mutant.lostPastKept.isOn {
      guard transaction.state.appliedThrough <= valid else {
        var outcome = ApplyOutcome(isCurrent: false)
        outcome.holdsLostPast = true
        return outcome
      }
    }
    transaction.state.appliedThrough = max(
      transaction.state.appliedThrough, chunk.readAt ?? .zero,
      chunk.changes.map(\.sequence).max() ?? .zero)
    var state = transaction.state
    var outcome = ApplyOutcome(isCurrent: true)
    let hasPending = try !transaction.isOutboxEmpty() && !Mutant.pendingNotShown.isOn
    for change in chunk.changes {
      switch change {
      case .item(let item):
        try applyItem(item, chunk, state, hasPending, now, &outcome)
      case .state(let id, let itemState):
        try applyState(itemState, of: id, state, hasPending, now, &outcome)
      case .removed(let id, _):
        try applyRemoval(of: id, state, now, &outcome)
      case .app(let settings):
        try applySettings(settings, state, &outcome)
      case .rule(let rule):
        try applyRule(rule, state, &outcome)
      case .ruleRemoved(let id, _):
        try transaction.removeRule(id)
        outcome.changedRules = true
      }
    }
    if let end = chunk.end {
      move(&state, to: end, &outcome)
      transaction.state = state
      if outcome.endedFirstSync {
        try transaction.removeTombstones()
        try transaction.removeAppSettings(olderThan: state.generation)
        try removeOldRules(state, &outcome)
      }
      if hasPending, state.firstSync == nil, !Mutant.answeredNeverLeave.isOn {
        try settle(through: state.sequence, now: now, &outcome)
      }
    }
    return outcome
  }

  private func isWanted(_ chunk: ChangeChunk, in state: SyncState) -> Bool {
    guard chunk.generation == state.generation else { return false }
    if Mutant.staleAnswersTaken.isOn { return true }
    switch chunk.request {
    case .delta(let token):
      return state.token == token
    case .page(let cursor):
      guard let firstSync = state.firstSync, !firstSync.pagesAreIn else { return false }
      return cursor == firstSync.nextPage && (cursor != nil || firstSync.start == nil)
    }
  }

  private func applyItem(
    _ item: UserNotification, _ chunk: ChangeChunk, _ state: SyncState, _ hasPending: Bool,
    _ now: Timestamp, _ outcome: inout ApplyOutcome
  ) throws {
    // The engine sends one request at a time, so a page is never older than an applied delta.
    // Should that change, this check keeps removed items out (SYNC-14).
    if state.firstSync != nil, try transaction.hasTombstone(item.id) { return }
    let old = try transaction.item(item.id)
    if let old, old.generation == state.generation,
      item.state.sequence <= old.base.state.sequence
    {
      return
    }
    let staysInPlace = old.map { $0.base.arrival == item.arrival } ?? false
    let isCrossing = item.state.crossed != nil && item.state.crossed != old?.base.state.crossed
    let isInitialPage = state.firstSync?.isInitial == true && chunk.isPage
    let base = presented(item, known: old, now: now)
    var new = try shown(
      ItemRecord(
        key: old?.key ?? freeKey(at: base.arrival, number: base.shortNumber), base: base,
        generation: state.generation, announced: .zero,
        ringStep: base.repeats.map { repeatRings.step(of: $0.count) } ?? 0, own: old?.own),
      hasPending ? entries(meaning: item.id) : [], now: now)
    if let old, old.own != nil, old.isLocal || old.notification.content == base.content {
      // The device itself made this content, and may have announced it. The store may have added an
      // expiration to what the device published, or found the app behind an alias.
      new.announced = old.isUnannounced ? .zero : item.state.contentSequence
      new.announcedOccurrence = old.announcedOccurrence
      new.announcedStep = old.announcedStep
    } else if let old, staysInPlace {
      new.keepAnnounced(of: old)
      if isInitialPage { new.announcedStep = new.ringStep }
      if isCrossing || new.isStepUnannounced, try isSilent(new, at: now) { new.noteAnnounced() }
    } else if try isInitialPage || isSilent(new, at: now) {
      new.noteAnnounced()
    }
    if let old {
      if old.key != new.key {
        try transaction.remove(old)
        try transaction.insert(new)
      } else if old.base.content == base.content, !old.isLocal {
        try transaction.update(old, to: new)
      } else {
        try transaction.replace(old, with: new)
      }
    } else {
      try transaction.insert(new)
    }
    outcome.changed.append(item.id)
    if !staysInPlace || isCrossing || new.isStepUnannounced, new.isUnannounced {
      outcome.arrivals.append(new.arrivalValue)
    }
  }

  /// Returns the item as this device shows it.
  ///
  /// Raw content that is already in the cache counts as received when it first came, not now.
  private func presented(
    _ item: UserNotification, known: ItemRecord?, now: Timestamp
  ) -> UserNotification {
    if item.content.visual == nil, var content = known?.base.content {
      let shown = content.visual
      content.visual = nil
      if content == item.content {
        var item = item
        item.content.visual = shown
        return item
      }
    }
    return item.presented(received: now)
  }

  private func applySettings(
    _ settings: AppSettings, _ state: SyncState, _ outcome: inout ApplyOutcome
  ) throws {
    if let known = try transaction.appSettings(of: settings.app),
      known.generation == state.generation, settings.sequence <= known.settings.sequence
    {
      return
    }
    try transaction.put(settings, generation: state.generation)
    outcome.changedApps.append(settings.app)
  }

  private func applyState(
    _ itemState: ItemState, of id: NotificationID, _ state: SyncState, _ hasPending: Bool,
    _ now: Timestamp, _ outcome: inout ApplyOutcome
  ) throws {
    // Unknown in this generation: a page, or the delta pulled again at the end, brings the whole
    // item.
    guard let old = try transaction.item(id), old.generation == state.generation, !old.isLocal,
      itemState.sequence > old.base.state.sequence
    else { return }
    var new = old
    new.base.state = itemState
    if old.announced >= old.base.state.contentSequence {
      new.announced = itemState.contentSequence
    }
    new = try shown(new, hasPending ? entries(meaning: id) : [], now: now)
    let isCrossing = itemState.crossed != old.base.state.crossed && new.isUnannounced
    if isCrossing, try isSilent(new, at: now) { new.noteAnnounced() }
    try put(new, replacing: old)
    outcome.changed.append(id)
    if isCrossing, new.isUnannounced { outcome.arrivals.append(new.arrivalValue) }
  }

  private func applyRemoval(
    of id: NotificationID, _ state: SyncState, _ now: Timestamp, _ outcome: inout ApplyOutcome
  ) throws {
    if state.firstSync != nil { try transaction.addTombstone(id) }
    guard let old = try transaction.item(id) else { return }
    try removeItem(old, now: now, lost: &outcome.lost)
    outcome.changed.append(id)
  }

  private func move(
    _ state: inout SyncState, to end: ChangeChunk.End, _ outcome: inout ApplyOutcome
  ) {
    switch end {
    case .delta(let token, let sequence, let isCaughtUp):
      state.token = token
      // Before that, rows of items that changed again are still missing, whatever a page reports.
      if isCaughtUp || Mutant.sequenceAheadOfRows.isOn { state.sequence = sequence }
      if isCaughtUp, let firstSync = state.firstSync, firstSync.pagesAreIn {
        // Also after an initial synchronisation that a 410 interrupted: items from its pages may be
        // gone by now.
        if state.generation > 1, !Mutant.sweepLeftOut.isOn {
          state.sweepBelow = ArrivalKey(rawValue: .max)
        }
        state.firstSync = nil
        state.form = form
        outcome.endedFirstSync = true
      }
    case .page(let next, let start, let startSequence):
      guard var firstSync = state.firstSync else { return }
      if firstSync.start == nil || Mutant.firstTokenLate.isOn {
        firstSync.start = start
        firstSync.startSequence = startSequence
        state.token = start
        state.sequence = startSequence
      }
      firstSync.nextPage = next
      if next == nil {
        firstSync.pagesAreIn = true
        if Mutant.startTokenForgotten.isOn { break }
        state.token = firstSync.start
        state.sequence = firstSync.startSequence
      }
      state.firstSync = firstSync
    }
  }

  /// Removes operations from the outbox whose effect base now contains.
  private func settle(
    through sequence: SequenceNumber, now: Timestamp, _ outcome: inout ApplyOutcome
  ) throws {
    for entry in try transaction.answeredEntries(through: sequence) {
      try transaction.remove(entry)
      noteBulk(entry.operation)
      outcome.finished.append(entry.operation.id)
      let touched = try touched(by: entry.operation)
      try refresh(touched, now: now)
      outcome.changed += touched
    }
  }

  // MARK: Rebuilding

  func beginRebuild(epoch: Epoch?) throws -> SyncState {
    try transaction.removeTombstones()
    var state = transaction.state
    if Mutant.rebuildEmptiesOutbox.isOn {
      for entry in try transaction.sealedEntries() { try transaction.remove(entry) }
    }
    let knewNothing = state.firstSync?.isInitial ?? false
    state.generation += 1
    if let epoch { state.epoch = epoch }
    state.token = nil
    state.sequence = .zero
    state.appliedThrough = .zero
    state.firstSync = FirstSync(isInitial: knewNothing)
    state.sweepBelow = nil
    transaction.state = state
    return state
  }

  func sweep(limit: Int, now: Timestamp) throws -> SweepOutcome {
    var outcome = SweepOutcome(removed: [], lost: [], isFinished: true)
    guard let below = transaction.state.sweepBelow else { return outcome }
    let checked = try transaction.generations(below: below, limit: limit)
    // While pages are missing, items that no page has brought yet stay valid.
    let isPaging = transaction.state.firstSync != nil
    for item in checked {
      if isPaging || item.generation == transaction.state.generation {
        if try refresh(item.id, now: now) { outcome.moved.append(item.id) }
      } else if let record = try transaction.item(item.id) {
        if record.isLocal, !Mutant.localItemSwept.isOn {
          if try refresh(item.id, now: now) { outcome.moved.append(item.id) }
          continue
        }
        try removeItem(record, now: now, lost: &outcome.lost)
        outcome.removed.append(item.id)
      }
    }
    // The clock may have been set since the sweep began, which also concerns items that stay in
    // place.
    if !checked.isEmpty { noteCheck(at: now) }
    outcome.isFinished = checked.count < limit
    transaction.state.sweepBelow = outcome.isFinished ? nil : checked.last?.key
    return outcome
  }
}
