/// Where an item belongs at an instant.
public enum Placement: Int, Hashable, Sendable, Codable, CaseIterable {
  /// Published, its delivery time still ahead.
  case scheduled = 0
  /// Nobody has handled it and it may still be shown.
  case tray = 1
  case snoozed = 2
  /// Handled, past its time in the tray, or without visual content.
  case history = 3
  /// Expired.
  case gone = 4

  /// The placements of the items that were delivered and are not expired: what the history lists.
  package static let listed: [Placement] = [.tray, .snoozed, .history]
}

/// A placement and the instant at which it changes by itself.
public struct PlacementSpan: Hashable, Sendable {
  public var placement: Placement
  /// The first instant with another placement; nil when only a change of the item moves it.
  public var until: Timestamp?

  public init(_ placement: Placement, until: Timestamp?) {
    self.placement = placement
    self.until = until
  }
}

/// All that the placement of an item depends on, besides the time.
public struct PlacementFacts: Hashable, Sendable {
  /// When the item arrived at the store.
  public var arrival: Timestamp
  /// When it is delivered; nil for at once.
  public var deliverAt: Timestamp?
  /// When it expires unless it is kept; nil for never.
  public var expiration: Timestamp?
  /// How long it may be in the tray; nil for any time.
  public var displayTimeToLive: Duration?
  /// Whether it has more than raw content.
  public var hasVisualContent: Bool
  public var action: UserActionState
  public var isKept: Bool

  public init(
    arrival: Timestamp, deliverAt: Timestamp? = nil, expiration: Timestamp? = nil,
    displayTimeToLive: Duration? = nil, hasVisualContent: Bool = true,
    action: UserActionState = .noInteraction, isKept: Bool = false
  ) {
    self.arrival = arrival
    self.deliverAt = deliverAt
    self.expiration = expiration
    self.displayTimeToLive = displayTimeToLive
    self.hasVisualContent = hasVisualContent
    self.action = action
    self.isKept = isKept
  }

  /// When the item expires; nil for one that is kept or never does.
  public var expires: Timestamp? { isKept ? nil : expiration }

  /// The place where the item belongs at `now`, the *store's* time on every device (SYNC-11).
  ///
  /// Tested in this order: expiry, delivery time, handling and snooze, display time to live.
  /// Every device moves items by this function when they fall due; that is not written anywhere.
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
    guard let window = trayWindow else { return PlacementSpan(.history, until: expires) }
    if let end = window.until, now >= end { return PlacementSpan(.history, until: expires) }
    return PlacementSpan(.tray, until: earlier(window.until))
  }

  /// The span in which the item is in the tray if nobody handles it: from its arrival or the end
  /// of its snooze, to its expiry or the end of its display time. Nil when it is never in the tray.
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

/// The place where `item` belongs at `now`: see ``PlacementFacts/placement(at:)``.
public func placement(_ item: UserNotification, at now: Timestamp) -> PlacementSpan {
  item.placementFacts.placement(at: now)
}

extension UserNotification {
  /// The facts that its placement depends on.
  public var placementFacts: PlacementFacts {
    PlacementFacts(
      arrival: arrival, deliverAt: content.deliverAt, expiration: content.expiration,
      displayTimeToLive: content.displayTimeToLive, hasVisualContent: content.visual != nil,
      action: state.userActionState.value, isKept: state.kept.value)
  }

  /// The span in which it is in the tray: see ``PlacementFacts/trayWindow``.
  public var trayWindow: (from: Timestamp, until: Timestamp?)? { placementFacts.trayWindow }
}
