import BellhopModel

/// An item as the cache stores it: base, and the state shown with pending operations.
struct ItemRecord: Hashable {
  var key: ArrivalKey
  /// Content and registers as the store last sent them, or as this device publishes them.
  var base: UserNotification
  /// The generation of base that last brought the item.
  var generation: Int64
  /// The last content that any process has announced; ``unannounced`` for none.
  var announced: SequenceNumber
  /// The occurrence of the trigger that was announced with that content.
  var announcedOccurrence: Occurrence.Label?
  /// The threshold of repeats that any process has announced last in this round; see ``ringStep``.
  var announcedStep = 0
  /// The number of thresholds of `RepeatRings` that the repeats of this round have reached.
  var ringStep = 0
  /// The content that operations in the outbox make; nil if it is that of base.
  var own: OwnContent?

  // The shown state, derived from base, the outbox and the time of the last placement.

  /// The registers with pending operations applied, as they count for ``occurrence``.
  ///
  /// Nil if they are those of base.
  var shown: ItemState?
  /// The latest occurrence of the trigger; nil without one, and before the first.
  var occurrence: Occurrence?
  /// The time of the next occurrence of the trigger.
  var nextOccurrence: Timestamp?
  /// The number of operations in the outbox that name the item, or change it in bulk.
  var pendingCount = 0
  var isPendingDelete = false
  /// The placement; `gone` also while a delete is pending, because such items are in no list.
  var placement = Placement.gone
  var placementUntil: Timestamp?
  /// The start of the span in which the item is in the tray unless it is handled; nil for none.
  var trayFrom: Timestamp?
  /// The end of that span; nil for none, and for no end.
  var trayUntil: Timestamp?

  /// The number of the item's last entry in the change log; zero if older than the log.
  ///
  /// The storage assigns it.
  var change: Int64 = 0

  /// The item as shown, with the arrival of its publication.
  var notification: UserNotification {
    var item = base
    if let shown { item.state = shown }
    if let own {
      if let schedule = own.schedule { item.content = item.content.with(schedule) }
      item.arrival = own.arrival
    }
    return item
  }

  /// Whether an operation in the outbox publishes the item, and the store has not sent it yet.
  ///
  /// Its base is the item as this device publishes it.
  var isLocal: Bool { base.isLocal }

  /// The value of ``announced`` for content that no process has announced.
  var unannounced: SequenceNumber { isLocal ? SequenceNumber(-1) : .zero }

  /// The item as it is listed: it arrives at the latest occurrence of its trigger.
  var listed: UserNotification {
    var item = notification
    item.arrival = arrival
    return item
  }

  /// The time by which lists are ordered.
  var arrival: Timestamp { occurrence?.time ?? own?.arrival ?? base.arrival }

  var shownState: ItemState { shown ?? base.state }

  /// The time at which the item is delivered, if it is delivered once.
  var deliverAt: Timestamp? {
    if let schedule = own?.schedule { return schedule.time }
    return base.content.deliverAt
  }

  /// The time at which the item next enters the tray by itself.
  var due: Timestamp? {
    placement.due(
      deliverAt: deliverAt, action: shownState.userActionState.value,
      nextOccurrence: nextOccurrence)
  }

  /// Whether the item is in the tray or handled, and its trigger will deliver it again.
  var isRepeating: Bool {
    switch placement {
    case .tray, .handled: nextOccurrence != nil
    case .scheduled, .snoozed, .gone: false
    }
  }

  var isUnread: Bool { shownState.readState.value == .unread }

  /// Whether the content, its repeats, or its latest occurrence was not announced yet.
  var isUnannounced: Bool {
    if announced < base.state.contentSequence || isStepUnannounced { return true }
    guard let occurrence else { return false }
    return announcedOccurrence.map { $0 < occurrence.label } ?? true
  }

  /// Whether the repeats have reached a threshold that was not announced yet.
  var isStepUnannounced: Bool { announcedStep < ringStep }

  /// Records that the item has been announced, or need not be.
  mutating func noteAnnounced() {
    announced = base.state.contentSequence
    announcedOccurrence = occurrence?.label
    announcedStep = ringStep
  }

  /// Takes over what was announced of the item before an update in place.
  ///
  /// The update, a repeat too, is not announced, nor is content that a rebuild brings again. A further
  /// threshold of repeats is.
  mutating func keepAnnounced(of old: ItemRecord) {
    let isRepeat = base.state.meaningSequence < base.state.contentSequence
    if old.announced >= old.base.state.contentSequence,
      !(isRepeat && Mutant.everyRepeatRings.isOn)
    {
      announced = base.state.contentSequence
    }
    announcedOccurrence = old.announcedOccurrence
    announcedStep = Mutant.thresholdForgotten.isOn ? 0 : old.announcedStep
  }

  /// Returns whether the other record is delivered at the same times, apart from the present.
  func isDelivered(like other: ItemRecord) -> Bool {
    let (item, otherItem) = (notification, other.notification)
    return item.arrival == otherItem.arrival && item.content.schedule == otherItem.content.schedule
  }

  /// Records that the device's own operations have changed the item's schedule.
  ///
  /// Its next delivery is announced. What was delivered already needs no announcement.
  mutating func noteSchedule(at now: Timestamp) {
    noteAnnounced()
    if let deliverAt, deliverAt > now { announced = unannounced }
  }

  /// Returns whether a user would see no difference, apart from the content.
  ///
  /// The author of a register, and the time at which the store received it, make no difference.
  func looksLike(_ other: ItemRecord) -> Bool {
    let (state, otherState) = (shownState, other.shownState)
    return placement == other.placement && isPendingDelete == other.isPendingDelete
      && occurrence == other.occurrence
      && state.registers.haveSameValues(as: otherState.registers)
      // In another epoch of the store, the same content may have another number.
      && (state.contentSequence == otherState.contentSequence || generation != other.generation)
  }

  /// Updates the shown state with the outbox entries that may concern the item, in order.
  mutating func show(_ entries: [OutboxEntry], at now: Timestamp, on clock: WallClock) {
    var item = base
    isPendingDelete = false
    pendingCount = 0
    var maker: OperationID?
    var publication: OperationID?
    for entry in entries {
      if entry.answered == nil, Mutant.unansweredNotShown.isOn { continue }
      let isBulk = entry.operation.selectsItems
      if !isBulk { pendingCount += 1 }
      if isLocal, entry.operation.publishedContent != nil {
        (maker, publication) = (entry.operation.id, entry.operation.id)
        continue
      }
      // The item did not exist yet.
      if isLocal, publication == nil { continue }
      // Base already contains it. Later changes of the item must not be hidden again.
      if let answered = entry.answered, base.state.sequence >= answered,
        !Mutant.showHidesOthers.isOn
      {
        continue
      }
      // A bulk operation applies to the item as it is at that point, as at the store (SYNC-10).
      if isBulk, !entry.operation.means(item, at: entry.madeAt, on: clock) { continue }
      // Content that this device made is newer than anything that a list was shown with.
      if isBulk, maker != nil, entry.operation.target.through != nil { continue }
      switch entry.operation.apply(to: item, by: entry.author, at: entry.madeAt, on: clock) {
      case .applied(let changed):
        if changed.content != item.content { maker = entry.operation.id }
        item = changed
        if isBulk { pendingCount += 1 }
      case .deleted:
        isPendingDelete = true
        if isBulk { pendingCount += 1 }
      case .unchanged, .superseded, .refused: break
      }
    }
    occurrence = item.latestOccurrence(through: now, on: clock)
    var state = item.state
    if item.content.trigger != nil {
      state.registers = state.registers.counting(for: occurrence?.label ?? .beforeFirst)
    }
    shown = state == base.state ? nil : state
    own = maker.map {
      OwnContent(
        schedule: $0 == publication ? nil : item.content.schedule, arrival: item.arrival,
        operation: $0)
    }
    guard !isPendingDelete else {
      nextOccurrence = nil
      (placement, placementUntil, trayFrom, trayUntil) = (.gone, nil, nil, nil)
      return
    }
    let facts = item.placementFacts(at: now, on: clock)
    let (span, window) = (facts.placement(at: now), facts.trayWindow)
    (placement, placementUntil) = (span.placement, span.until)
    nextOccurrence = facts.nextOccurrence
    (trayFrom, trayUntil) = (window?.from, window?.until)
  }

  var arrivalValue: Arrival {
    let fields = effective
    return Arrival(
      id: base.id, contentSequence: base.state.contentSequence,
      meaning: base.state.meaningSequence, step: ringStep, app: fields.app,
      priority: fields.priority, placement: placement, occurrence: occurrence?.label,
      sound: base.content.extras.sound)
  }
}

/// The content that the device's own operations give an item before the store has sent it.
struct OwnContent: Hashable {
  /// The schedule that they set; nil for an item that they publish, whose content is that of base.
  var schedule: Schedule?
  var arrival: Timestamp
  /// The last operation that made the content.
  var operation: OperationID
}

/// An operation in the outbox.
struct OutboxEntry: Hashable {
  /// The position of the operation in the order in which operations were made.
  var position: Int64
  var operation: Operation
  var author: Author
  /// The time at which the operation was made, by the store's clock.
  var madeAt: Timestamp
  /// The end of the operation's grace period; nil once it is sealed.
  var sealAt: Timestamp?
  /// The run of the process that holds it; known only where held entries are read.
  var owner: OutboxOwner?
  /// The operation's number in the lineage; nil until it is sealed.
  var number: Int64?
  /// The change counter that contains the effect; nil until the store has answered.
  var answered: SequenceNumber?
}

extension CachedItem {
  init(_ record: ItemRecord) {
    self.init(
      notification: record.notification, key: record.key, placement: record.placement,
      placementUntil: record.placementUntil, occurrence: record.occurrence,
      nextOccurrence: record.nextOccurrence, isPending: record.pendingCount > 0,
      isPendingDelete: record.isPendingDelete, stored: record.base,
      ownOperation: record.own?.operation)
  }
}

extension CachedRow {
  init(_ record: ItemRecord) {
    let content = record.base.content
    let state = record.shownState
    let fields = record.effective
    self.init(
      id: record.base.id, key: record.key, shortNumber: record.base.shortNumber,
      app: fields.app, publishedApp: content.app, group: fields.group,
      priority: fields.priority,
      title: content.visual?.title ?? "", subtitle: content.visual?.subtitle,
      bodyStart: content.visual?.body.map { Self.bodyStart($0) }, tags: fields.tags,
      clickURL: content.clickURL, hasVisualContent: content.visual != nil,
      hasAttachments: content.extras.attachments?.isEmpty == false,
      category: content.extras.category,
      arrival: record.arrival, occurrence: record.occurrence?.label,
      nextOccurrence: record.nextOccurrence, deliverAt: record.deliverAt,
      expiration: content.expiration, displayTimeToLive: content.displayTimeToLive,
      placement: record.placement, due: record.due, contentSequence: state.contentSequence,
      meaningSequence: state.meaningSequence, repeatCount: record.base.repeats?.count ?? 0,
      resolved: state.resolved, registers: state.registers,
      isPending: record.pendingCount > 0, ownOperation: record.own?.operation)
  }

  /// Returns the beginning of a body, counted in scalars as SQLite's `substr` does.
  ///
  /// A grapheme of 10,000 marks thus does not count as 1.
  static func bodyStart(_ body: String) -> String {
    var start = String.UnicodeScalarView()
    for scalar in body.unicodeScalars.prefix(bodyCharactersMax) { start.append(scalar) }
    return String(start)
  }
}
