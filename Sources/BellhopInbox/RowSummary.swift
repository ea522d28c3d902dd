package import BellhopModel
package import BellhopText

/// Who set a register, and when.
package struct Provenance: Hashable, Sendable {
  /// The device's or publisher's name, made safe.
  package var by: SafeText
  /// By the store's clock.
  package var at: Timestamp
  package var origin: Origin
  /// The item's action that was chosen by it.
  package var choice: Choice?

  /// An action that somebody chose, made safe.
  package struct Choice: Hashable, Sendable {
    package var title: SafeText
    /// What they typed.
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
    /// This very device.
    case here
    /// Another device of the person's.
    case device
    case publisher
  }

  package init(
    by: SafeText, at: Timestamp, origin: Origin = .device, choice: Choice? = nil
  ) {
    self.by = by
    self.at = at
    self.origin = origin
    self.choice = choice
  }

  /// What the register's last change says; nil while nobody has changed it.
  ///
  /// - Parameter device: this device, where it is known.
  package init?(_ change: RegisterChange?, device: DeviceID? = nil) {
    guard let change else { return nil }
    let origin: Origin =
      switch change.by.kind {
      case .publisher: .publisher
      case .device: change.by.id == device?.rawValue ? .here : .device
      }
    self.init(
      by: SafeText(change.by.name, byteLimit: Self.nameBytesMax), at: change.at, origin: origin,
      choice: change.choice.map { Choice($0) })
  }

  static let nameBytesMax = 64
}

/// All that one line of a list, and a key pressed on it, need to know of an item.
package struct RowSummary: Hashable, Sendable, Identifiable {
  package var key: ItemKey
  /// The arrival key of the item: unique in its account, higher is newer. Rises when the item
  /// arrives again.
  package var order: Int64
  /// `#N`.
  package var shortNumber: Int64
  /// What to call the app: the name that the person gave it, or its host.
  package var app: SafeText
  /// The same as its store knows it.
  package var appHost: String = ""
  package var group: SafeText?
  /// The group as such; nil for an item that names none.
  package var groupKey: GroupKey?
  /// What the row has to do with its group, in the tray; nil for an item alone.
  package var fold: Fold?
  /// Empty for an item with raw content only.
  package var title: SafeText
  package var subtitle: SafeText?
  /// The beginning of the body on one line; empty without one.
  package var preview: SafeText
  /// In a search, the part of the body around what matches and is not in the title.
  package var excerpt: SafeText?
  package var priority: Priority
  package var readState: ReadState
  /// The place where the item belonged when the row was read or changed.
  package var placement: Placement
  /// The facts that ``placement`` depends on.
  package var facts: PlacementFacts
  package var hasAttachments = false
  /// The link as published; it is checked before it is opened, and drawn only as `SafeText`.
  package var clickURL: String?
  /// What the person sees: every operation carries it as `seen`.
  package var contentSequence: SequenceNumber
  /// Whether a change of this item waits to be sent.
  package var isWaiting: Bool
  /// Who set ``action``, and when; nil while nobody did.
  package var handled: Provenance?

  package var arrival: Timestamp { facts.arrival }
  /// When it is or was delivered, if not at once.
  package var deliverAt: Timestamp? { facts.deliverAt }
  /// When a snooze must have ended; nil for an item that is kept or never expires.
  package var expires: Timestamp? { facts.expires }
  package var action: UserActionState { facts.action }
  package var isKept: Bool { facts.isKept }
  /// Whether the item has nothing but raw content: such items never enter the tray.
  package var isRawOnly: Bool { !facts.hasVisualContent }
  /// `Identifiable` by ``key``.
  package var id: ItemKey { key }
  /// When it comes back or is delivered; nil for an item that is not for later.
  package var due: Timestamp? {
    switch placement {
    case .snoozed: action.snoozedUntil
    case .scheduled: deliverAt
    case .tray, .history, .gone: nil
    }
  }
  /// Where it stands in a list.
  package var position: RowPosition {
    let place: RowPosition.Place? = groupKey.flatMap { group in
      switch fold {
      case .closed, .open: .group(group)
      case .member(let newest, let order): .member(of: group, newest: newest, order: order)
      case nil: nil
      }
    }
    return RowPosition(
      key: key, order: order, due: due, priority: priority, app: appHost, place: place)
  }

  package init(
    key: ItemKey, order: Int64, shortNumber: Int64, app: SafeText, group: SafeText? = nil,
    groupKey: GroupKey? = nil, title: SafeText, subtitle: SafeText? = nil, preview: SafeText,
    priority: Priority = .normal, facts: PlacementFacts, readState: ReadState = .unread,
    placement: Placement, clickURL: String? = nil,
    contentSequence: SequenceNumber, isWaiting: Bool = false, handled: Provenance? = nil
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
    self.isWaiting = isWaiting
    self.handled = handled
  }

  /// At most this much of a body is looked at for ``preview``.
  package static let previewBytesMax = 256
  /// At most this much of an app's or group's name is drawn.
  package static let nameBytesMax = 128

  /// The line of `item` as it stands at `now`, which is the store's time.
  ///
  /// - Parameters:
  ///   - order: The arrival key of its row.
  ///   - appName: What to call its app; nil for its host.
  ///   - isWaiting: Whether a change of it waits to be sent.
  ///   - device: This device, where it is known.
  package init(
    _ item: UserNotification, account: AccountName, order: Int64, appName: String? = nil,
    isWaiting: Bool, at now: Timestamp, device: DeviceID? = nil
  ) {
    let content = item.content
    self.init(
      key: ItemKey(account: account, id: item.id), order: order, shortNumber: item.shortNumber,
      app: SafeText(appName ?? content.app, byteLimit: Self.nameBytesMax),
      group: content.group.map { SafeText($0, byteLimit: Self.nameBytesMax) },
      groupKey: GroupKey(account: account, app: content.app, name: content.group),
      title: SafeText(content.visual?.title ?? ""),
      subtitle: content.visual?.subtitle.map { SafeText($0) },
      preview: SafeText(
        content.visual?.body ?? "", lineBreaks: .joined, byteLimit: Self.previewBytesMax),
      priority: content.priority, facts: item.placementFacts,
      readState: item.state.readState.value,
      placement: item.placementFacts.placement(at: now).placement, clickURL: content.clickURL,
      contentSequence: item.state.contentSequence, isWaiting: isWaiting,
      handled: Provenance(item.state.userActionState.change, device: device))
    appHost = content.app
    hasAttachments = content.extras.attachments?.isEmpty == false
  }

  /// Whether the item is unread, or one of the group's that the row stands for.
  var hasUnread: Bool { extent.map { isFolded && $0.unread > 0 } ?? (readState == .unread) }

  /// The values of all registers, as a change that sets them.
  var registers: StateChange {
    StateChange(readState: readState, userActionState: facts.action, kept: facts.isKept)
  }

  /// The row after a person set registers of its item, as it stands at `now`: the store's time.
  func setting(_ change: StateChange, at now: Timestamp) -> RowSummary {
    var row = self
    if let readState = change.readState { row.readState = readState }
    if let isKept = change.kept { row.facts.isKept = isKept }
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
struct Ghost: Hashable, Sendable {
  /// The item, or the group that has no item left.
  var id: RowID
  /// The item as it is now, of a group the newest; nil when it is gone, or not known yet.
  var now: RowSummary?
  /// False until the reader was asked about this very item.
  var isResolved: Bool
}
