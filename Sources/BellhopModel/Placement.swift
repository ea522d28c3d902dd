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

/// The facts that determine the placement of an item at any time.
public struct PlacementFacts: Hashable, Sendable {
  /// The time of arrival at the store.
  public var arrival: Timestamp
  /// The time of delivery; nil for immediate delivery.
  public var deliverAt: Timestamp?
  /// The time at which the item expires unless it is pinned; nil for never.
  public var expiration: Timestamp?
  /// The maximum time in the tray; nil for no limit.
  public var displayTimeToLive: Duration?
  /// Whether the item has more than raw content.
  public var hasVisualContent: Bool
  public var action: UserActionState
  public var isPinned: Bool

  public init(
    arrival: Timestamp, deliverAt: Timestamp? = nil, expiration: Timestamp? = nil,
    displayTimeToLive: Duration? = nil, hasVisualContent: Bool = true,
    action: UserActionState = .noInteraction, isPinned: Bool = false
  ) {
    self.arrival = arrival
    self.deliverAt = deliverAt
    self.expiration = expiration
    self.displayTimeToLive = displayTimeToLive
    self.hasVisualContent = hasVisualContent
    self.action = action
    self.isPinned = isPinned
  }

  /// The time at which the item expires; nil if it is pinned or never expires.
  public var expires: Timestamp? { isPinned ? nil : expiration }

  /// Returns the placement at `now`, which is the *store's* time on every device (SYNC-11).
  ///
  /// Checks in this order: expiry, delivery time, handling and snooze, display time to live. Every
  /// device moves items when they fall due by this function; the moves are not stored.
  public func placement(at now: Timestamp) -> PlacementSpan {
    let expires = expires
    func earlier(_ time: Timestamp?) -> Timestamp? {
      guard let time, let expires else { return time ?? expires }
      return min(time, expires)
    }
    if let expires, now >= expires { return PlacementSpan(.gone, until: nil) }
    if let deliverAt, now < deliverAt {
      return PlacementSpan(.scheduled, until: earlier(deliverAt))
    }
    if case .snoozed(let end) = action, now < end, hasVisualContent {
      return PlacementSpan(.snoozed, until: earlier(end))
    }
    guard let window = trayWindow else { return PlacementSpan(.handled, until: expires) }
    if let end = window.until, now >= end { return PlacementSpan(.handled, until: expires) }
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
public func placement(_ item: UserNotification, at now: Timestamp) -> PlacementSpan {
  item.placementFacts.placement(at: now)
}

extension UserNotification {
  /// The facts that determine the item's placement.
  public var placementFacts: PlacementFacts {
    PlacementFacts(
      arrival: arrival, deliverAt: content.deliverAt, expiration: content.expiration,
      displayTimeToLive: content.displayTimeToLive, hasVisualContent: content.visual != nil,
      action: state.userActionState.value, isPinned: state.pinned.value)
  }

  /// The span in which the item is in the tray: see ``PlacementFacts/trayWindow``.
  public var trayWindow: (from: Timestamp, until: Timestamp?)? { placementFacts.trayWindow }
}
