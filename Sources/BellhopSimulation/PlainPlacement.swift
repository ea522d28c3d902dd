import BellhopModel

/// The place of an item, written a second time without a look at `placement(_:at:)`, by which every
/// device turns its items over: a mistake there would otherwise look like agreement (SYNC-11).
enum PlainPlacement {
  static func of(_ item: UserNotification, at now: Timestamp) -> Placement {
    if item.isOver(at: now) { return .gone }
    let delivery = item.content.deliverAt
    if let delivery, delivery > now { return .scheduled }
    if item.content.visual == nil { return .history }
    // The latest time at which the item came into the tray.
    var entered = item.arrival
    if let delivery, delivery > entered { entered = delivery }
    switch item.state.userActionState.value {
    case .activated, .dismissed: return .history
    case .noInteraction: break
    case .snoozed(let end):
      if end > now { return .snoozed }
      // A snooze outlasts the delivery time of an item that was not delivered when it began.
      if end > item.arrival { entered = end } else { entered = item.arrival }
    }
    guard let life = item.content.displayTimeToLive else { return .tray }
    return entered.advanced(by: life) > now ? .tray : .history
  }
}
