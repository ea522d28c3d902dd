internal import BellhopModel

extension StoreLogic {
  /// Returns the clock for an item's trigger, on which times without a zone are those of the user.
  func wallClock(
    for content: Content, of user: UserID, in state: any StoreReading
  ) throws -> WallClock {
    guard content.trigger?.isFloating == true else { return environment.wallClock }
    return try wallClock(of: user, in: state)
  }

  /// Returns the clock for a user's items: in the zone of their settings, or else the store's own.
  func wallClock(of user: UserID, in state: any StoreReading) throws -> WallClock {
    guard let zone = try timeZone(of: user, in: state) else { return environment.wallClock }
    return environment.wallClock.inZone(zone)
  }

  /// Returns the zone in the user's settings; nil if none was set.
  func timeZone(of user: UserID, in state: any StoreReading) throws -> String? {
    try state.appState(AppSettings.everyApp, of: user)?.settings.timeZone
  }

  /// Returns an item as users and programs other than devices see it.
  ///
  /// With a trigger, registers count for its latest occurrence.
  func asAnswered(
    _ item: UserNotification, of user: UserID, in state: any StoreReading
  ) throws -> UserNotification {
    guard item.content.trigger != nil else { return item }
    return item.countingLatest(
      through: now, on: try wallClock(for: item.content, of: user, in: state))
  }
}
