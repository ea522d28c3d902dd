package import BellhopModel

extension StoreLogic {
  /// Publishes a new item for `user`, or replaces the live one.
  ///
  /// The live item with the same app and app notification id is replaced. A replacement keeps id,
  /// short number and creation. An unread and untouched item is updated in place. One that was read
  /// or handled returns to the top, unread. A quiet update keeps position and state. After a
  /// deletion or an expiration it is a new item. A publication under an alias goes to the app that
  /// the alias belongs to. Where repeats collapse, a publication with the same group and title as a
  /// live item becomes a repeat of it. The user's rules then act on the item.
  ///
  /// - Throws: ``StoreError/invalid(field:expectation:)`` for content that exceeds the limits,
  ///   ``StoreError/accessDenied(reason:)`` for an app that the user has denied,
  ///   ``StoreError/idempotencyConflict``, ``StoreError/notFound(what:)`` for the user,
  ///   ``StoreError/quotaReached(what:)``, ``StoreError/tooManyRequests(retryAfter:)``. A refusal
  ///   precedes the first write.
  package func publish(
    _ request: PublishRequest, for user: UserID, in transaction: any StoreTransaction
  ) throws -> Published {
    let now = now
    var request = request
    request.content = try resolved(request.content, of: user, in: transaction)
    if let key = request.idempotency,
      let answer = try repeated(request, under: key, for: user, in: transaction)
    {
      return answer
    }
    var ledger = try CounterUpdates(user, in: transaction)
    let published = try publish(request, ledger: &ledger, at: now, in: transaction)
    try ledger.close(in: transaction)
    if let key = request.idempotency {
      try transaction.insert(
        PublicationRecord(published, key: key, at: now),
        keeping: limits.idempotencyKeysPerTokenMax, of: user)
    }
    return published
  }

  /// Returns the content as it is stored: of the app behind an alias, without the usual environment.
  func resolved(
    _ content: Content, of user: UserID, in state: any StoreReading
  ) throws -> Content {
    var content = content
    content.app = try app(named: content.app, of: user, in: state)
    if content.extras.environment == .production { content.extras.environment = nil }
    return content
  }

  /// Publishes an item, or replaces the live one, as a part of a transaction.
  ///
  /// - Parameter request: the request, with ``resolved(_:of:in:)`` content. Its idempotency key is
  ///   ignored.
  /// - Throws: the errors of ``publish(_:for:in:)-(PublishRequest,_,_)``. A refusal precedes the first
  ///   write.
  func publish(
    _ request: PublishRequest, ledger: inout CounterUpdates, at now: Timestamp,
    in transaction: any StoreTransaction
  ) throws -> Published {
    var request = request
    let user = ledger.user
    let start = request.start(at: now)
    let clock = try wallClock(for: request.content, of: user, in: transaction)
    request.content.expiration = expiration(of: request.content, publishedAt: start, on: clock)
    let content = request.content
    let rules = ContentRules(
      limits: limits, now: request.delayed?.made ?? now, expiryNow: expiryNow, wallClock: clock)
    try rules.check(content)
    try checkCategory(of: content, for: user, in: transaction)
    try checkPlace(of: content, isDevice: request.isDevice, for: user, in: transaction)
    try checkAuthorization(ofApp: content.app, ledger: &ledger, in: transaction)
    if let appsMax = request.appsMax {
      try checkRoom(forApp: content.app, appsMax: appsMax, ledger: &ledger, in: transaction)
    }
    return try store(request, startingAt: start, ledger: &ledger, at: now, in: transaction)
  }

  /// Stores a publication that meets the rules for its content.
  ///
  /// - Parameter start: the time from which the occurrences of a trigger count.
  private func store(
    _ request: PublishRequest, startingAt start: Timestamp, ledger: inout CounterUpdates,
    at now: Timestamp, in transaction: any StoreTransaction
  ) throws -> Published {
    var request = request
    let user = ledger.user
    let outcome = try ruleOutcome(
      for: request.content, ledger: ledger, at: now, in: transaction)
    let search = try repeatSearch(
      for: request.content, by: outcome, ledger: &ledger, in: transaction)
    let target = try target(of: request, after: search, ledger: &ledger, in: transaction)
    let live = target.live
    if request.content.trigger != nil, live?.content.trigger == nil {
      try checkRoomForTrigger(of: user, in: transaction)
    }
    let files = try claimFiles(
      in: &request.content, replacing: live?.id, by: request.publisher, of: user, at: now,
      in: transaction)
    try admit(
      request.content, replacing: live, removing: target.expired, ledger: &ledger, at: now,
      in: transaction)
    try noteApp(publishing: request.content, ledger: &ledger, in: transaction)
    if let expired = target.expired {
      try replaceWithTombstone(expired, ledger: &ledger, at: now, in: transaction)
    }
    let published =
      switch target {
      case .new:
        try create(
          request, startingAt: start, by: outcome, search, ledger: &ledger, at: now,
          in: transaction)
      case .replacement(let live):
        try replace(
          live, with: request, startingAt: start, by: outcome, search, ledger: &ledger, at: now,
          in: transaction)
      case .repetition(let live, _):
        try collapse(
          request, into: live, by: outcome, ledger: &ledger, at: now, in: transaction)
      }
    if let live {
      try removeFiles(of: live, but: Set(files.map(\.id)), in: transaction, user: user)
    }
    try bind(files, to: published.item.id, in: transaction)
    try awaitResponse(
      to: published.item, by: request.publisher, replacing: live, of: user, in: transaction)
    return published
  }

  /// Stores a publication as a new item.
  ///
  /// - Parameters:
  ///   - outcome: the decisions of the user's rules.
  ///   - search: the search for repeats; nil if nothing repeats the item.
  private func create(
    _ request: PublishRequest, startingAt start: Timestamp, by outcome: RuleOutcome,
    _ search: RepeatSearch?, ledger: inout CounterUpdates, at now: Timestamp,
    in transaction: any StoreTransaction
  ) throws -> Published {
    let content = request.content
    let sequence = try ledger.nextSequence(identity.start, at: now, in: transaction)
    var item = UserNotification(
      id: request.delayed?.id ?? newID(), shortNumber: ledger.nextShortNumber(), created: now,
      arrival: content.arrival(publishedAt: start), content: content,
      state: ItemState(sequence: sequence, contentSequence: sequence, changed: now))
    if search != nil { item.repeats = Repeats(firstAt: now) }
    applyRules(outcome, to: &item, runsAll: true, at: now)
    try insert(item, ledger: &ledger, in: transaction)
    try setCollapseKey(of: item, before: nil, search, for: ledger.user, in: transaction)
    return Published(item: item, outcome: .created, answered: content)
  }

  /// Stores a publication in place of the live item with the same app notification id.
  ///
  /// - Parameters:
  ///   - outcome: the decisions of the user's rules.
  ///   - search: the search for repeats; nil if nothing repeats the item.
  private func replace(
    _ live: UserNotification, with request: PublishRequest, startingAt start: Timestamp,
    by outcome: RuleOutcome, _ search: RepeatSearch?, ledger: inout CounterUpdates,
    at now: Timestamp, in transaction: any StoreTransaction
  ) throws -> Published {
    let isQuiet = request.isQuietUpdate
    var content = request.content
    content.appNotificationID = live.content.appNotificationID
    let sequence = try ledger.nextSequence(identity.start, at: now, in: transaction)
    var (item, isResurfaced) = live.replaced(
      by: content, isQuiet: isQuiet,
      author: Author(kind: .publisher, id: content.app, name: content.app), at: now,
      on: try wallClock(for: live.content, of: ledger.user, in: transaction))
    if request.delayed != nil, content.trigger != nil { item.arrival = start }
    item.state.noteContent(sequence, at: now)
    if isResurfaced { item.repeats = live.repeats?.newRound(at: now) }
    if search != nil, item.repeats == nil { item.repeats = Repeats(firstAt: now) }
    applyRules(outcome, to: &item, runsAll: !isQuiet, at: now)
    try replace(live, with: item, ledger: &ledger, in: transaction)
    try setCollapseKey(of: item, before: live, search, for: ledger.user, in: transaction)
    try noteName(
      request.content, of: item, before: live, for: ledger.user, at: now, in: transaction)
    return Published(
      item: item, outcome: isResurfaced ? .resurfaced : .updated, answered: request.content)
  }

  /// Returns when content published at `now` expires: as it says, or else as the store is configured.
  func expiration(
    of content: Content, publishedAt now: Timestamp, on clock: WallClock
  ) -> Timestamp? {
    guard content.expiration == nil, content.trigger?.repeats != true,
      content.trigger?.isForPlace != true, let life = limits.defaultExpiration
    else { return content.expiration }
    return delivery(of: content, at: now, on: clock).advanced(by: life)
  }

  /// Returns when content published at `now` is first delivered.
  private func delivery(
    of content: Content, at now: Timestamp, on clock: WallClock
  ) -> Timestamp {
    let first = content.trigger?.next(after: now, published: now, on: clock)
    let time = first?.time == Occurrence.unknownTime ? nil : first?.time
    return max(now, content.deliverAt ?? time ?? now)
  }

  /// Checks that the user may have another item with a trigger.
  private func checkRoomForTrigger(of user: UserID, in state: any StoreReading) throws {
    guard try state.triggeredItems(of: user).count >= limits.triggersMax else { return }
    throw StoreError.quotaReached(what: "\(limits.triggersMax) items with a trigger")
  }

  /// Returns the first answer to the key again; nil when the key is new or forgotten.
  private func repeated(
    _ request: PublishRequest, under key: IdempotencyKey, for user: UserID,
    in transaction: any StoreTransaction
  ) throws -> Published? {
    guard (1...limits.idempotencyKeyBytesMax).contains(key.key.utf8.count) else {
      throw StoreError.invalid(
        field: "Idempotency-Key", expectation: "1 to \(limits.idempotencyKeyBytesMax) bytes")
    }
    guard
      let record = try transaction.publication(key.key, of: key.token, user: user)
    else { return nil }
    guard ConstantTime.areEqual(record.key.bodyHash, key.bodyHash) else {
      throw StoreError.idempotencyConflict
    }
    var content = request.content
    content.expiration = record.expiration
    try describeFiles(in: &content, of: record, user: user, in: transaction)
    let item = UserNotification(
      id: record.id, shortNumber: record.shortNumber, created: record.created,
      arrival: record.arrival, content: content,
      state: ItemState(
        sequence: record.sequence, contentSequence: record.sequence, changed: record.at))
    return Published(item: item, outcome: record.outcome, isRepeat: true)
  }

  /// Publishes several items, in order. A refused item does not affect the others.
  ///
  /// - Throws: ``StoreError/idempotencyConflict`` when the requests came before with another body,
  ///   and failures of the storage; then nothing was published.
  package func publish(
    _ requests: [PublishRequest], for user: UserID, in transaction: any StoreTransaction
  ) throws -> [Result<Published, StoreError>] {
    try requests.map { request in
      do {
        return .success(try publish(request, for: user, in: transaction))
      } catch let error as StoreError where error.isRefusal {
        // A refusal precedes the first write, so there is nothing to undo.
        return .failure(error)
      }
    }
  }

  /// Changes the live item with this app notification id for its publisher, by the rules of a
  /// replacement. The id may be one of several. An edit without changes writes nothing.
  ///
  /// - Parameter edit: creates the new content from the current one; app and app notification id
  ///   stay the same.
  /// - Throws: ``StoreError/notFound(what:)``, ``StoreError/invalid(field:expectation:)``, and any
  ///   error of `edit`.
  package func revise(
    app: String, appNotificationID: String, isQuiet: Bool, by publisher: AccessTokenID? = nil,
    isDevice: Bool = false, for user: UserID, in transaction: any StoreTransaction,
    edit: (Content) throws -> Content
  ) throws -> Published {
    let app = try self.app(named: app, of: user, in: transaction)
    guard let live = try item(app: app, named: appNotificationID, of: user, in: transaction),
      !live.hasExpired(at: expiryNow)
    else { throw StoreError.notFound(what: "item") }
    var content = try edit(live.content)
    content.app = app
    content.appNotificationID = live.content.appNotificationID
    guard content != live.content else { return Published(item: live, outcome: .updated) }
    content.appNotificationID = appNotificationID
    return try publish(
      PublishRequest(
        content, isQuietUpdate: isQuiet, publisher: publisher, isDevice: isDevice),
      for: user, in: transaction)
  }

  /// Deletes the live item with this app notification id, which may be one of several, for its
  /// publisher.
  ///
  /// - Returns: the sequence of the deletion; nil when there was no item. Withdrawing again has no
  ///   effect.
  package func withdraw(
    app: String, appNotificationID: String, for user: UserID,
    in transaction: any StoreTransaction
  ) throws -> SequenceNumber? {
    let app = try self.app(named: app, of: user, in: transaction)
    guard let item = try self.item(app: app, named: appNotificationID, of: user, in: transaction)
    else { return nil }
    var ledger = try CounterUpdates(user, in: transaction)
    try replaceWithTombstone(item, ledger: &ledger, at: now, in: transaction)
    try ledger.close(in: transaction)
    return ledger.counters.sequence
  }
}

extension ItemState {
  /// Records a new content under the next sequence.
  mutating func noteContent(_ sequence: SequenceNumber, at now: Timestamp) {
    self.sequence = sequence
    if !Mutant.contentSequenceKept.isOn { contentSequence = sequence }
    meaning = nil
    changed = now
  }

  /// Records a repeat of the content under the next sequence.
  package mutating func noteRepeat(_ sequence: SequenceNumber, at now: Timestamp) {
    meaning = meaningSequence
    self.sequence = sequence
    contentSequence = sequence
    changed = now
  }
}
