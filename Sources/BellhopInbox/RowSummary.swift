package import BellhopModel
package import BellhopText

/// The author and the time of a change to a register.
package struct Provenance: Hashable, Sendable {
  /// The name of the device, publisher or rule, made safe.
  package var by: SafeText
  /// The time by the store's clock.
  package var at: Timestamp
  package var origin: Origin
  /// The action of the item that the user chose with the change.
  package var choice: Choice?

  /// The chosen action and the typed text, made safe.
  package struct Choice: Hashable, Sendable {
    package var title: SafeText
    /// The text that the user typed.
    package var text: SafeText?

    package init(title: SafeText, text: SafeText? = nil) {
      self.title = title
      self.text = text
    }

    init(_ choice: ActionChoice) {
      self.init(
        title: SafeText(choice.title ?? choice.id, byteLimit: ItemAction.titleBytesMax),
        text: choice.text.map {
          SafeText($0, lineBreaks: .joined, byteLimit: ActionMenu.replyBytesMax)
        })
    }
  }

  package enum Origin: Hashable, Sendable {
    /// The current device.
    case here
    /// Another device of the user.
    case device
    case publisher
    /// A rule of the user, at a publication.
    case rule
  }

  package init(
    by: SafeText, at: Timestamp, origin: Origin = .device, choice: Choice? = nil
  ) {
    self.by = by
    self.at = at
    self.origin = origin
    self.choice = choice
  }

  /// Creates the provenance of a register's last change; nil if there is no change.
  ///
  /// - Parameter device: The current device, if known.
  package init?(_ change: RegisterChange?, device: DeviceID? = nil) {
    guard let change else { return nil }
    let origin: Origin =
      switch change.by.kind {
      case .publisher: .publisher
      case .rule: .rule
      case .device: change.by.id == device?.rawValue ? .here : .device
      }
    self.init(
      by: SafeText(change.by.name, byteLimit: Self.nameBytesMax), at: change.at, origin: origin,
      choice: change.choice.map { Choice($0) })
  }

  static let nameBytesMax = 64
}

/// The data of an item that a line of a list and its keys need.
package struct RowSummary: Hashable, Sendable, Identifiable {
  package var key: ItemKey
  /// The arrival key of the item: unique in its account, higher is newer.
  ///
  /// Increases when the item arrives again.
  package var order: Int64
  /// The item's number, shown as `#N`.
  package var shortNumber: Int64
  /// The display name of the app: the user's name for it, or its host.
  package var app: SafeText
  /// The app's host, as its store knows it.
  package var appHost: String = ""
  /// The host of the app that published the item, whose categories it uses.
  package var publishedApp: String = ""
  package var group: SafeText?
  /// The group; nil for an item without one.
  package var groupKey: GroupKey?
  /// The role of the row in its group, in the tray; nil for an item on its own.
  package var fold: Fold?
  /// The title; empty for an item with raw content only.
  package var title: SafeText
  package var subtitle: SafeText?
  /// The beginning of the body on one line; empty without a body.
  package var preview: SafeText
  /// In a search, the part of the body around a match that is not in the title.
  package var excerpt: SafeText?
  package var priority: Priority
  package var readState: ReadState
  /// The placement of the item when the row was read or changed.
  package var placement: Placement
  /// The facts that ``placement`` depends on.
  package var facts: PlacementFacts
  package var hasAttachments = false
  /// The id of the category that the item names.
  package var category: String?
  /// The link as published; it is checked before it is opened, and drawn only as `SafeText`.
  package var clickURL: String?
  /// The content that the user sees; every operation sends it as `seen`.
  package var contentSequence: SequenceNumber
  /// The content sequence of the last publication that was not a repeat.
  package var meaningSequence: SequenceNumber
  /// The operation of this device that made the content; nil once the store has sent it.
  package var ownOperation: OperationID?
  /// The occurrence that the user sees; nil without a trigger.
  package var occurrence: Occurrence.Label?
  /// Whether the deliveries by the item's trigger were cancelled.
  package var isCancelled = false
  /// The effect of the user's rules on how the item is listed and announced.
  package var applied = AppliedEffect.empty
  /// The reversals of the item's changes by rules.
  var ruleReversals: [RuleReversal] = []
  /// The occurrences in this round of an item into which repeats collapse; zero for any other.
  package var repeatCount = 0
  /// The time at which the alert was resolved, as its publisher says.
  package var resolved: Timestamp?
  /// Whether a change of this item has not been sent yet.
  package var isWaiting: Bool
  /// The author and the time of ``action``; nil if nothing was done.
  package var handled: Provenance?

  package var arrival: Timestamp { facts.arrival }
  /// The time of delivery, if the item is not delivered at once.
  package var deliverAt: Timestamp? { facts.deliverAt }
  /// The time by which a snooze must end; nil for an item that is pinned or never expires.
  package var expires: Timestamp? { facts.expires }
  package var action: UserActionState { facts.action }
  package var isPinned: Bool { facts.isPinned }
  /// Whether the item has only raw content; such items never enter the tray.
  package var isRawOnly: Bool { !facts.hasVisualContent }
  /// Whether the publisher has handled the alert by resolving it.
  ///
  /// A user who puts it back in the tray, or handles it otherwise, has the last word.
  package var isResolved: Bool {
    resolved != nil && action == .dismissed && handled?.origin == .publisher
  }
  /// The identity for `Identifiable`: ``key``.
  package var id: ItemKey { key }
  /// The version of the item that the user sees, to which an operation refers.
  package var version: ShownVersion {
    ShownVersion(
      content: contentSequence, meaning: meaningSequence, occurrence: occurrence,
      operation: ownOperation)
  }
  /// Returns whether the user may have been shown this version of the item, or of the group's
  /// newest item.
  func isIncluded(in bound: ShownBound) -> Bool {
    if let newest = extent?.newest {
      return bound.includes(newest.key.id, newest.version, arrival: newest.arrival)
    }
    return bound.includes(key.id, version, arrival: arrival)
  }
  /// The time at which the item next enters the tray by itself; nil if it does not.
  package var due: Timestamp? {
    placement.due(
      deliverAt: deliverAt, action: action, nextOccurrence: facts.nextOccurrence)
  }
  /// The position in a list; that of a group is where its newest item arrived.
  package var position: RowPosition {
    var position = RowPosition(key: key, order: order, due: due, priority: priority, app: appHost)
    guard let groupKey else { return position }
    switch fold {
    case .closed(let extent), .open(let extent):
      (position.key, position.order) = (extent.newest.key, extent.newest.order)
      position.place = .group(groupKey)
    case .member(let newest, let order):
      position.place = .member(of: groupKey, newest: newest, order: order)
    case nil: break
    }
    return position
  }

  /// - Parameter meaningSequence: Nil if the content is not a repeat.
  package init(
    key: ItemKey, order: Int64, shortNumber: Int64, app: SafeText, group: SafeText? = nil,
    groupKey: GroupKey? = nil, title: SafeText, subtitle: SafeText? = nil, preview: SafeText,
    priority: Priority = .normal, facts: PlacementFacts, readState: ReadState = .unread,
    placement: Placement, clickURL: String? = nil,
    contentSequence: SequenceNumber, meaningSequence: SequenceNumber? = nil,
    isWaiting: Bool = false, handled: Provenance? = nil
  ) {
    self.key = key
    self.order = order
    self.shortNumber = shortNumber
    self.app = app
    self.group = group
    self.groupKey = groupKey
    self.title = title
    self.subtitle = subtitle
    self.preview = preview
    self.priority = priority
    self.facts = facts
    self.readState = readState
    self.placement = placement
    self.clickURL = clickURL
    self.contentSequence = contentSequence
    self.meaningSequence = meaningSequence ?? contentSequence
    self.isWaiting = isWaiting
    self.handled = handled
  }

  /// The maximum part of a body that is read for ``preview``, in bytes.
  package static let previewBytesMax = 256
  /// The maximum part of an app's or group's name that is drawn, in bytes.
  package static let nameBytesMax = 128

  /// Creates the row of `item` as of `now`, the store's time.
  ///
  /// - Parameters:
  ///   - order: The arrival key of the item.
  ///   - appName: The user's name for the app; nil for its host.
  ///   - isWaiting: Whether a change of the item has not been sent yet.
  ///   - clock: The user's time zones.
  ///   - device: The current device, if known.
  package init(
    _ item: UserNotification, account: AccountName, order: Int64, appName: String? = nil,
    isWaiting: Bool, at now: Timestamp, on clock: WallClock, device: DeviceID? = nil
  ) {
    let content = item.content
    let facts = item.placementFacts(at: now, on: clock)
    let occurrence = item.latestLabel(through: now, on: clock)
    let registers =
      occurrence.map { item.state.registers.counting(for: $0) } ?? item.state.registers
    self.init(
      key: ItemKey(account: account, id: item.id), order: order, shortNumber: item.shortNumber,
      app: SafeText(appName ?? item.effectiveApp, byteLimit: Self.nameBytesMax),
      group: item.effectiveGroup.map { SafeText($0, byteLimit: Self.nameBytesMax) },
      groupKey: GroupKey(account: account, app: item.effectiveApp, name: item.effectiveGroup),
      title: SafeText(content.visual?.title ?? ""),
      subtitle: content.visual?.subtitle.map { SafeText($0) },
      preview: SafeText(
        content.visual?.body ?? "", lineBreaks: .joined, byteLimit: Self.previewBytesMax),
      priority: item.effectivePriority, facts: facts,
      readState: registers.readState.value,
      placement: facts.placement(at: now).placement, clickURL: content.clickURL,
      contentSequence: item.state.contentSequence,
      meaningSequence: item.state.meaningSequence, isWaiting: isWaiting,
      handled: Provenance(registers.userActionState.change, device: device))
    self.occurrence = occurrence
    take(registers)
    repeatCount = item.repeats?.count ?? 0
    resolved = item.state.resolved
    appHost = item.effectiveApp
    publishedApp = content.app
    hasAttachments = content.extras.attachments?.isEmpty == false
    category = content.extras.category
  }

  /// Whether the item, or the folded group, is unread.
  var hasUnread: Bool { extent.map { isFolded && $0.unread > 0 } ?? (readState == .unread) }

  /// Takes the values of the registers that the initializer does not take one by one.
  package mutating func take(_ registers: ItemRegisters) {
    isCancelled = registers.cancelled.value
    applied = registers.applied.value
    ruleReversals = registers.ruleReversals
  }

  /// Forgets how to take back rules from the registers that a change sets.
  private mutating func forgetReversals(of change: StateChange) {
    guard !ruleReversals.isEmpty else { return }
    for index in ruleReversals.indices {
      for register in ItemRegister.all where register.isSet(change) {
        register.leave(&ruleReversals[index].back)
      }
    }
    ruleReversals.removeAll(where: \.back.isEmpty)
  }

  /// The values of all registers, as a change that sets them.
  var registers: StateChange {
    StateChange(
      readState: readState, userActionState: facts.action, pinned: facts.isPinned,
      cancelled: isCancelled, applied: applied)
  }

  /// Returns the row after the user set registers of its item, as of `now`, the store's time.
  func setting(_ change: StateChange, at now: Timestamp) -> RowSummary {
    var row = self
    if let readState = change.readState { row.readState = readState }
    if let isPinned = change.pinned { row.facts.isPinned = isPinned }
    if let isCancelled = change.cancelled {
      row.isCancelled = isCancelled
      // The cache computes the next delivery of one that is resumed.
      if isCancelled { row.facts.nextOccurrence = nil }
    }
    if let applied = change.applied { row.applied = applied }
    row.forgetReversals(of: change)
    if let action = change.userActionState {
      row.facts.action = action
      row.handled = nil
    }
    row.placement = row.facts.placement(at: now).placement
    row.isWaiting = true
    return row
  }
}

/// An item that was handled elsewhere while the cursor was on it.
///
/// It stays in the list until the cursor leaves it; only the key for "back to the tray" acts on it.
struct DepartedItem: Hashable, Sendable {
  /// The item, or the group without remaining items.
  var id: RowID
  /// The current item, the newest of a group; nil if it no longer exists or is not known yet.
  var now: RowSummary?
  /// Whether the reader has already been queried for this item.
  var isResolved: Bool
}
