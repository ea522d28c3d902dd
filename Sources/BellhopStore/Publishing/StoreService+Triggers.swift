package import BellhopModel

extension StoreService {
  /// Returns the clock for the triggers of a user's items.
  package func wallClock(
    for items: [UserNotification], of user: UserID
  ) async throws(StoreError) -> WallClock {
    guard items.contains(where: { $0.content.trigger?.isFloating == true }) else {
      return environment.wallClock
    }
    return try await wallClock(of: user)
  }

  /// Returns the clock of a user: in the zone of their settings, or else the store's own.
  package func wallClock(of user: UserID) async throws(StoreError) -> WallClock {
    try await read { try $0.wallClock(of: user, in: $1) }
  }

  /// Returns the zone in the user's settings; nil if none was set.
  package func timeZone(of user: UserID) async throws(StoreError) -> String? {
    try await read { try $0.timeZone(of: user, in: $1) }
  }

  /// Returns the live items with a trigger that reach the reader, by short number.
  package func triggeredItems(
    of user: UserID, reader: RegistrationEnvironment = .production
  ) async throws(StoreError) -> [UserNotification] {
    try await read { try $0.triggeredItems(of: user, reader: reader, in: $1) }
  }
}
