import BellhopModel

/// A second implementation of an item's placement, independent of `placement(_:at:on:)`.
///
/// Every device uses that function to move its items: if the simulation used it too, it could not
/// detect a mistake there (SYNC-11).
enum PlainPlacement {
  static func of(_ item: UserNotification, at now: Timestamp, zone: Int) -> Placement {
    if item.isOver(at: now) { return .gone }
    guard let item = PlainOccurrence.current(item, at: now, zone: zone) else {
      // Cancelled where it was delivered, in a zone that is ahead of this one.
      return PlainOccurrence.next(item, after: now, zone: zone) == nil ? .handled : .scheduled
    }
    let delivery = item.content.deliverAt
    if let delivery, delivery > now { return .scheduled }
    if item.content.visual == nil { return .handled }
    // The latest time at which the item entered the tray.
    var entered = item.arrival
    if let delivery, delivery > entered { entered = delivery }
    switch item.state.userActionState.value {
    case .activated, .dismissed: return .handled
    case .noInteraction: break
    case .snoozed(let end):
      if end > now { return .snoozed }
      // A snooze outlasts the delivery time of an item that was not yet delivered when it began.
      if end > item.arrival { entered = end } else { entered = item.arrival }
    }
    guard let life = item.content.displayTimeToLive else { return .tray }
    return entered.advanced(by: life) > now ? .tray : .handled
  }
}
