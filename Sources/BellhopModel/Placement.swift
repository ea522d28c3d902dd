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

/// Where `item` belongs at `now`, which is the *store's* time on every device (SYNC-11).
///
/// Tested in this order: expiry, delivery time, handling and snooze, display time to live.
/// Nothing is written when something falls due: every device turns items over by this function.
public func placement(_ item: UserNotification, at now: Timestamp) -> PlacementSpan {
  let expires = item.expires
  func earlier(_ time: Timestamp?) -> Timestamp? {
    guard let time, let expires else { return time ?? expires }
    return min(time, expires)
  }
  if let expires, now >= expires { return PlacementSpan(.gone, until: nil) }
  if let delivery = item.content.deliverAt, now < delivery {
    return PlacementSpan(.scheduled, until: earlier(delivery))
  }
  if case .snoozed(let end) = item.state.userActionState.value, now < end,
    item.content.visual != nil
  {
    return PlacementSpan(.snoozed, until: earlier(end))
  }
  guard let window = item.trayWindow else { return PlacementSpan(.history, until: expires) }
  if let end = window.until, now >= end { return PlacementSpan(.history, until: expires) }
  return PlacementSpan(.tray, until: earlier(window.until))
}

extension UserNotification {
  /// The span in which the item is in the tray if nobody handles it: from its arrival or the end
  /// of its snooze, to its expiry or the end of its display time. Nil when it is never in the tray.
  public var trayWindow: (from: Timestamp, until: Timestamp?)? {
    guard content.visual != nil else { return nil }
    let from: Timestamp
    switch state.userActionState.value {
    case .activated, .dismissed: return nil
    case .noInteraction: from = max(arrival, content.deliverAt ?? arrival)
    case .snoozed(let end): from = Mutant.displayTimeFromArrival.isOn ? arrival : max(arrival, end)
    }
    let displayEnd = content.displayTimeToLive.map { from.advanced(by: $0) }
    switch (displayEnd, expires) {
    case (let end?, let expires?): return (from, min(end, expires))
    case (let end, let expires): return (from, end ?? expires)
    }
  }
}
