package import BellhopModel

extension StoreLogic {
  /// Returns a page of a first synchronisation, or of the changes since a token.
  ///
  /// A first synchronisation returns the settings of all apps, all rules and all items with a trigger
  /// in its first page, then live items, newest arrival first. It ends with the token from the start of its paging, so that no change
  /// made meanwhile is missed. Expired items are included until they are swept, as in a delta:
  /// whether a device has an item must not depend on a clock that can be set. A delta returns one
  /// row per changed item, app or rule in sequence order. Rows whose content the token has seen contain
  /// their state only. Both leave out live items that do not reach the reader; tombstones reach
  /// every reader.
  ///
  /// - Parameters:
  ///   - rows: the maximum number of rows, also bounded by the store's limits. Settings and rules in a
  ///     first page do not count: ``StoreLimits/appsMax`` and `RuleSet.rulesMax` bound them.
  ///   - reader: the environment of the reader. It is part of each token, so that a device that was
  ///     registered in another environment meanwhile starts again.
  /// - Throws: ``StoreError/resyncRequired(reason:)`` for a token of another epoch, start or
  ///   environment, below the floor, ahead of the store, or unreadable.
  package func delta(
    from start: DeltaStart, rows: Int, for user: UserID,
    reader: RegistrationEnvironment = .production, in state: any StoreReading
  ) throws -> DeltaPage {
    guard let counters = try state.counters(of: user) else {
      throw StoreError.notFound(what: "user")
    }
    let limit = pageLimit(rows)
    let known: KnownPosition
    switch start {
    case .beginning:
      return try firstPage(
        base: counters.sequence, below: nil, counters, limit, for: user, reader, in: state)
    case .page(let token):
      known = try position(token.rawValue, counters, of: user, reader, in: state)
    case .since(let token):
      known = try position(token.rawValue, counters, of: user, reader, in: state)
    }
    var page: DeltaPage
    switch known.position {
    case .delta(let sequence):
      page = try changes(
        base: sequence, after: sequence, counters, limit, for: user, reader, in: state
      ).page
    case .deltaPage(let base, let after):
      page = try changes(
        base: base, after: after, counters, limit, for: user, reader, in: state
      ).page
    case .firstPage(let base, let below):
      page = try firstPage(
        base: base, below: below, counters, limit, for: user, reader, in: state)
    case .list:
      throw StoreError.resyncRequired(reason: "the token is for a list")
    }
    page.validThrough = known.validThrough
    return page
  }

  /// Returns the delta to enclose in a signal for devices that have everything up to `sequence`.
  ///
  /// It is nil when the delta is too large, is empty, or reaches further back than the store
  /// remembers, or when it has a development item: subscribers in both environments share it. Its
  /// token is that of a reader in production; a device in development requests its delta.
  package func enclosure(
    after sequence: SequenceNumber, for user: UserID, in state: any StoreReading
  ) throws -> EnclosedChanges? {
    guard let counters = try state.counters(of: user), counters.floor <= sequence,
      sequence < counters.sequence
    else { return nil }
    let limit = PageLimit(
      rows: min(limits.enclosedRowsMax, limits.pageItemsMax), bytes: limits.enclosedBytesMax)
    let reader = RegistrationEnvironment.production
    let (page, isPartial) = try changes(
      base: sequence, after: sequence, counters, limit, for: user, reader, in: state)
    guard !isPartial, case .complete = page.end, !page.changes.isEmpty,
      page.changes.byteCount <= limits.enclosedBytesMax
    else { return nil }
    return EnclosedChanges(since: deltaToken(sequence, of: user, reader), page: page)
  }

  /// Returns the token of the user's current state: a delta from it is empty.
  package func currentToken(
    of user: UserID, reader: RegistrationEnvironment = .production, in state: any StoreReading
  ) throws -> DeltaToken {
    guard let counters = try state.counters(of: user) else {
      throw StoreError.notFound(what: "user")
    }
    return deltaToken(counters.sequence, of: user, reader)
  }

  private func firstPage(
    base: SequenceNumber, below: ArrivalKey?, _ counters: UserCounters, _ limit: PageLimit,
    for user: UserID, _ reader: RegistrationEnvironment, in state: any StoreReading
  ) throws -> DeltaPage {
    // As in a delta, items are listed until they are swept. An item hidden by a clock that is set
    // back later would be missing forever, or a device that starts again would forget it and alert
    // twice.
    let items = try state.items(
      ItemQuery(now: Mutant.expiredHidden.isOn ? now : nil, below: below, limit: limit), of: user)
    let token = deltaToken(
      Mutant.firstTokenLate.isOn ? counters.sequence : base, of: user, reader)
    var end = DeltaPage.End.complete(token)
    let isFull = items.byteCount >= limit.bytes && !Mutant.firstPageByRowsOnly.isOn
    if items.count == limit.rows || isFull, let last = items.last {
      end = .next(pageToken(.firstPage(base: base, below: ArrivalKey(last)), of: user, reader))
    }
    var first: [Change] = []
    if below == nil {
      first = try state.appSettings(of: user, after: .zero, limit: .max).map(Change.app)
      if counters.rules > .zero { first += try rules(of: user, in: state).map(Change.rule) }
      // An item with a trigger may be due at any time, however long ago it was published.
      let listed = Set(items.map(\.id))
      first += try state.triggeredItems(of: user)
        .filter { !listed.contains($0.id) && isSent($0, to: reader) }
        .map(Change.item)
    }
    return DeltaPage(
      changes: first + items.filter { isSent($0, to: reader) }.map(Change.item), end: end,
      started: token, sequence: counters.sequence, epoch: identity.epoch,
      itemCount: counters.use.items)
  }

  /// Whether pages for the reader contain the item.
  private func isSent(_ item: UserNotification, to reader: RegistrationEnvironment) -> Bool {
    reader.receives(item.content) || Mutant.developmentReachesAll.isOn
  }

  /// Returns a page of changes, and whether items were left out that do not reach the reader.
  private func changes(
    base: SequenceNumber, after: SequenceNumber, _ counters: UserCounters, _ limit: PageLimit,
    for user: UserID, _ reader: RegistrationEnvironment, in state: any StoreReading
  ) throws -> (page: DeltaPage, isPartial: Bool) {
    let rows = try state.rows(of: user, after: after, limit: limit)
    let settings = try state.appSettings(of: user, after: after, limit: limit.rows)
    let rules =
      counters.rules > after
      ? try state.ruleRows(of: user, after: after, limit: limit.rows) : []
    // If the page limit cuts off one kind of row, the other kinds must not go beyond it.
    var bound = counters.sequence
    if rows.count == limit.rows || rows.byteCount >= limit.bytes, let last = rows.last {
      bound = min(bound, last.sequence)
    }
    if settings.count == limit.rows, let last = settings.last { bound = min(bound, last.sequence) }
    if rules.count == limit.rows, let last = rules.last { bound = min(bound, last.sequence) }
    var changes = rows.map { $0.change(since: base) }
    if !settings.isEmpty || !rules.isEmpty {
      changes = (changes + settings.map(Change.app) + rules.compactMap(\.change))
        .filter { $0.sequence <= bound }.sorted { $0.sequence < $1.sequence }
    }
    let page = changes.prefix(limit.rows)
    // A page of rules that only a later version can read is empty, and others may follow.
    let last = page.last?.sequence ?? (rules.count == limit.rows ? bound : after)
    let isAtEnd = page.isEmpty && rules.count < limit.rows
    let isComplete = last >= counters.sequence || isAtEnd || Mutant.deltaEndsEarly.isOn
    let hidden = Set(
      rows.compactMap { row -> NotificationID? in
        guard case .live(let item) = row, !isSent(item, to: reader) else { return nil }
        return item.id
      })
    let sent = page.filter { change in !(change.id.map(hidden.contains) ?? false) }
    let end: DeltaPage.End =
      isComplete
      ? .complete(deltaToken(counters.sequence, of: user, reader))
      : .next(pageToken(.deltaPage(base: base, after: last), of: user, reader))
    return (
      DeltaPage(
        changes: sent, end: end, started: nil, sequence: counters.sequence, epoch: identity.epoch),
      !hidden.isEmpty
    )
  }

  // MARK: - Tokens

  private func deltaToken(
    _ sequence: SequenceNumber, of user: UserID, _ reader: RegistrationEnvironment
  ) -> DeltaToken {
    DeltaToken(encode(.delta(sequence), of: user, reader))
  }

  /// Returns the token of a page. Those of lists say nothing about the reader.
  func pageToken(
    _ position: Position, of user: UserID, _ reader: RegistrationEnvironment = .production
  ) -> PageToken {
    PageToken(encode(position, of: user, reader))
  }

  private func encode(
    _ position: Position, of user: UserID, _ reader: RegistrationEnvironment
  ) -> String {
    identity.codec.encode(
      TokenContent(
        epoch: identity.epoch, start: identity.start.id, user: user, reader: reader,
        position: position))
  }

  /// The position of a token, and ``DeltaPage/validThrough``.
  private struct KnownPosition {
    var position: Position
    var validThrough: SequenceNumber?
  }

  /// Decodes a token and checks that the store's past still contains its position (SYNC-4).
  ///
  /// A token of a reader in the other environment is refused: it says nothing about the items that
  /// do not reach both.
  private func position(
    _ text: String, _ counters: UserCounters, of user: UserID, _ reader: RegistrationEnvironment,
    in state: any StoreReading
  ) throws -> KnownPosition {
    guard let content = identity.codec.decode(text), content.user == user else {
      throw StoreError.resyncRequired(reason: "the token was not issued by this store")
    }
    guard content.epoch == identity.epoch || Mutant.epochUnchecked.isOn else {
      throw StoreError.resyncRequired(reason: "the store has been restored from a backup since")
    }
    if Mutant.startUnchecked.isOn { return KnownPosition(position: content.position) }
    guard let start = try state.start(content.start) else {
      throw StoreError.resyncRequired(reason: "the store's data was rolled back")
    }
    let (base, reached): (SequenceNumber, SequenceNumber)
    switch content.position {
    case .delta(let sequence), .firstPage(let sequence, _): (base, reached) = (sequence, sequence)
    case .deltaPage(let first, let after): (base, reached) = (first, after)
    case .list: return KnownPosition(position: content.position)
    }
    guard base >= counters.floor else {
      throw StoreError.resyncRequired(reason: "the token is too old")
    }
    // The changes of that start end where the next one began to write.
    let newest =
      try state.sequence(of: user, beforeStartAfter: start.ordinal) ?? counters.sequence
    guard reached <= newest else {
      // This process signed the token in this life: the data and the process's memory went back.
      if content.start == identity.start.id, reached > counters.sequence { laterToken.note() }
      throw StoreError.resyncRequired(reason: "the token is newer than the store's data")
    }
    guard content.reader == reader else {
      throw StoreError.resyncRequired(reason: "the device was registered in another environment")
    }
    // Between a failover and the next write, lost changes still belong to the latest start.
    let hasFailedOver =
      identity.start.lifeKey != state.lifeKey && !Mutant.failoverUnseenByReads.isOn
    let isSameLife = content.start == identity.start.id && !hasFailedOver
    return KnownPosition(
      position: content.position, validThrough: isSameLife ? nil : newest)
  }

  // MARK: - Items

  /// Returns one live item.
  ///
  /// - Throws: ``StoreError/notFound(what:)``, also for a deleted or expired item, and for one that
  ///   does not reach the reader.
  package func item(
    _ id: NotificationID, of user: UserID, reader: RegistrationEnvironment = .production,
    in state: any StoreReading
  ) throws -> UserNotification {
    guard let item = try liveItem(id, of: user, reader: reader, in: state) else {
      throw StoreError.notFound(what: "item")
    }
    return try asAnswered(item, of: user, in: state)
  }

  /// Returns the live items with a trigger that reach the reader, with their registers as stored.
  func triggeredItems(
    of user: UserID, reader: RegistrationEnvironment = .development, in state: any StoreReading
  ) throws -> [UserNotification] {
    try state.triggeredItems(of: user).filter {
      !$0.hasExpired(at: expiryNow) && reader.receives($0.content)
    }
  }

  /// Returns the live item that users refer to as `#number`.
  package func item(
    number: Int64, of user: UserID, reader: RegistrationEnvironment = .production,
    in state: any StoreReading
  ) throws -> UserNotification {
    guard let item = try state.item(number: number, of: user), !item.hasExpired(at: expiryNow),
      reader.receives(item.content)
    else {
      throw StoreError.notFound(what: "item")
    }
    return try asAnswered(item, of: user, in: state)
  }

  func pageLimit(_ rows: Int) -> PageLimit {
    PageLimit(rows: min(max(rows, 1), limits.pageItemsMax), bytes: limits.pageBytesMax)
  }
}

extension StoredRow {
  /// Returns the row as needed by a client that has seen everything up to `base`.
  fileprivate func change(since base: SequenceNumber) -> Change {
    switch self {
    case .tombstone(let tombstone): .removed(tombstone.id, sequence: tombstone.sequence)
    case .live(let item)
    where item.state.contentSequence <= base || Mutant.contentLeftOut.isOn:
      .state(item.id, item.state)
    case .live(let item): .item(item)
    }
  }
}
