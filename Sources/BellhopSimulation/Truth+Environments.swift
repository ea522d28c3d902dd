import BellhopModel

extension UserNotification {
  /// Whether only devices that are registered for development receive the item.
  var isForDevelopment: Bool { content.extras.environment != nil }
}

extension Truth {
  /// Returns the item if it is live and reaches devices in this environment.
  func live(_ id: NotificationID, for environment: RegistrationEnvironment) -> UserNotification? {
    guard let item = live(id) else { return nil }
    return environment == .development || !item.isForDevelopment ? item : nil
  }

  /// Returns whether the author of the last commit may select the item.
  func reachesAuthor(_ item: UserNotification) -> Bool { isByDeveloper || !item.isForDevelopment }
}
