/// The list to which an item belongs at an instant.
public enum Placement: Int, Hashable, Sendable, Codable, CaseIterable {
  /// Published, but not yet delivered.
  case scheduled = 0
  /// Not handled, and within its display time.
  case tray = 1
  case snoozed = 2
  /// No longer in the tray: dismissed or activated, or past its time in the tray.
  ///
  /// An item without visual content is never in the tray, so it is here from its arrival on. The
  /// history contains the items of this placement, of ``tray`` and of ``snoozed``.
  case handled = 3
  /// Expired.
  case gone = 4

  /// The placements that the history lists: those of delivered items that have not expired.
  package static let listed: [Placement] = [.tray, .snoozed, .handled]

  /// Returns the time at which an item with this placement next enters the tray by itself.
  ///
  /// Nil if only a change can move it there. The parameters are those of ``PlacementFacts``.
  package func due(
    deliverAt: Timestamp?, action: UserActionState, nextOccurrence: Timestamp?
  ) -> Timestamp? {
    switch self {
    case .scheduled: deliverAt ?? nextOccurrence
    case .snoozed: [action.snoozedUntil, nextOccurrence].compactMap { $0 }.min()
    case .tray, .handled: nextOccurrence
    case .gone: nil
    }
  }
}

/// A placement and the instant at which it changes by itself.
public struct PlacementSpan: Hashable, Sendable {
  public var placement: Placement
  /// The first instant with a different placement; nil if only a change can move the item.
  public var until: Timestamp?

  public init(_ placement: Placement, until: Timestamp?) {
    self.placement = placement
    self.until = until
  }
}

/// The facts that determine the placement of an item at any time, or until its next occurrence.
public struct PlacementFacts: Hashable, Sendable {
  /// The time of arrival at the store, or the latest occurrence of the trigger.
  public var arrival: Timestamp
  /// The time of delivery, or the first occurrence of the trigger; nil for immediate delivery.
  public var deliverAt: Timestamp?
  /// The time at which the item expires unless it is pinned; nil for never.
  public var expiration: Timestamp?
  /// The maximum time in the tray; nil for no limit.
  public var displayTimeToLive: Duration?
  /// Whether the item has more than raw content.
  public var hasVisualContent: Bool
  public var action: UserActionState
  public var isPinned: Bool
  /// The time from which other facts hold, because the trigger delivers the item again.
  public var nextOccurrence: Timestamp?

  public init(
    arrival: Timestamp, deliverAt: Timestamp? = nil, expiration: Timestamp? = nil,
    displayTimeToLive: Duration? = nil, hasVisualContent: Bool = true,
    action: UserActionState = .noInteraction, isPinned: Bool = false,
    nextOccurrence: Timestamp? = nil
  ) {
    self.arrival = arrival
    self.deliverAt = deliverAt
    self.expiration = expiration
    self.displayTimeToLive = displayTimeToLive
    self.hasVisualContent = hasVisualContent
    self.action = action
    self.isPinned = isPinned
    self.nextOccurrence = nextOccurrence
  }

  /// The time at which the item expires; nil if it is pinned or never expires.
  public var expires: Timestamp? { isPinned ? nil : expiration }

  /// Returns the placement at `now`, which is the *store's* time on every device (SYNC-11).
  ///
  /// Checks in this order: expiry, delivery time, handling and snooze, display time to live. Every
  /// device moves items when they fall due by this function; the moves are not stored.
  public func placement(at now: Timestamp) -> PlacementSpan {
    let expires = expires
    func earliest(_ left: Timestamp?, _ right: Timestamp?) -> Timestamp? {
      guard let left, let right else { return left ?? right }
      return min(left, right)
    }
    /// Returns the first of `time` and the times at which every placement ends.
    func earlier(_ time: Timestamp?) -> Timestamp? {
      earliest(time, earliest(expires, nextOccurrence))
    }
    if let expires, now >= expires { return PlacementSpan(.gone, until: nil) }
    if let deliverAt, now < deliverAt {
      return PlacementSpan(.scheduled, until: earlier(deliverAt))
    }
    if case .snoozed(let end) = action, now < end, hasVisualContent {
      return PlacementSpan(.snoozed, until: earlier(end))
    }
    guard let window = trayWindow else { return PlacementSpan(.handled, until: earlier(nil)) }
    if let end = window.until, now >= end {
      return PlacementSpan(.handled, until: earlier(nil))
    }
    return PlacementSpan(.tray, until: earlier(window.until))
  }

  /// The span in which the item is in the tray unless it is handled.
  ///
  /// Starts at the arrival or the end of the snooze, and ends at the expiry or the end of the
  /// display time. Nil if the item is never in the tray.
  public var trayWindow: (from: Timestamp, until: Timestamp?)? {
    guard hasVisualContent else { return nil }
    let from: Timestamp
    switch action {
    case .activated, .dismissed: return nil
    case .noInteraction: from = max(arrival, deliverAt ?? arrival)
    case .snoozed(let end): from = Mutant.displayTimeFromArrival.isOn ? arrival : max(arrival, end)
    }
    let displayEnd = displayTimeToLive.map { from.advanced(by: $0) }
    switch (displayEnd, expires) {
    case (let end?, let expires?): return (from, min(end, expires))
    case (let end, let expires): return (from, end ?? expires)
    }
  }
}

/// Returns the placement of an item at `now`: see ``PlacementFacts/placement(at:)``.
///
/// - Parameter clock: The user's time zones, for an item with a trigger.
public func placement(
  _ item: UserNotification, at now: Timestamp, on clock: WallClock
) -> PlacementSpan {
  item.placementFacts(at: now, on: clock).placement(at: now)
}

extension UserNotification {
  /// Returns the facts that determine the item's placement from `now` on.
  ///
  /// With a trigger, they are those of the latest occurrence, or of the first one before it is due.
  ///
  /// - Parameter clock: The user's time zones.
  public func placementFacts(at now: Timestamp, on clock: WallClock) -> PlacementFacts {
    let current = atLatestOccurrence(through: now, on: clock)
    let item = current ?? self
    let next = uncancelledOccurrence(after: now, on: clock)
    // An item that will never be delivered counts as handled.
    let isNeverDelivered = current == nil && next == nil
    return PlacementFacts(
      arrival: item.arrival, deliverAt: current == nil ? next : content.deliverAt,
      expiration: content.expiration, displayTimeToLive: content.displayTimeToLive,
      hasVisualContent: content.visual != nil,
      action: isNeverDelivered ? .dismissed : item.state.userActionState.value,
      isPinned: state.pinned.value, nextOccurrence: nextOccurrence(after: now, on: clock))
  }

  /// Returns the item with its registers as they count for the latest occurrence at `now`.
  ///
  /// It keeps the arrival of its publication. An item without a trigger is returned as it is.
  package func countingLatest(through now: Timestamp, on clock: WallClock) -> UserNotification {
    guard let label = latestLabel(through: now, on: clock) else { return self }
    var item = self
    item.state.registers = state.registers.counting(for: label)
    return item
  }

  /// Returns the item as its user has it at `now`.
  ///
  /// With a trigger, it arrives at the latest occurrence, and registers count that were set for it.
  /// Nil before the first occurrence. An item without a trigger is returned as it is.
  public func atLatestOccurrence(
    through now: Timestamp, on clock: WallClock
  ) -> UserNotification? {
    guard content.trigger != nil else { return self }
    guard let occurrence = latestOccurrence(through: now, on: clock) else { return nil }
    var item = self
    item.arrival = occurrence.time
    item.state.registers = state.registers.counting(for: occurrence.label)
    return item
  }
}
