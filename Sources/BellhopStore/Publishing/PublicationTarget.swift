internal import BellhopModel

/// The item to which a publication goes.
enum PublicationTarget {
  /// A new item. An expired one with the same app notification id becomes a tombstone.
  case new(removing: UserNotification?)
  /// The live item with the same app notification id.
  case replacement(of: UserNotification)

  /// The live item whose content the publication replaces; nil for a new item.
  var live: UserNotification? {
    switch self {
    case .new: nil
    case .replacement(let live): live
    }
  }

  /// The expired item that the publication turns into a tombstone.
  var expired: UserNotification? {
    switch self {
    case .new(let expired): expired
    case .replacement: nil
    }
  }
}

extension StoreLogic {
  /// Returns the target of a publication. Reads only.
  ///
  /// - Throws: ``StoreError/invalid(field:expectation:)`` for another environment than the live item's,
  ///   ``StoreError/alreadyExists(what:)`` for a device's publication whose id is taken.
  func target(
    of request: PublishRequest, for user: UserID, in state: any StoreReading
  ) throws -> PublicationTarget {
    let content = request.content
    var expired: UserNotification?
    if let appID = content.appNotificationID,
      let known = try state.item(app: content.app, appNotificationID: appID, of: user)
    {
      if !known.hasExpired(at: expiryNow) {
        try checkEnvironment(of: content, replacing: known.content)
        return .replacement(of: known)
      }
      expired = known
    }
    if let id = request.delayed?.id, try state.row(id, of: user) != nil {
      throw StoreError.alreadyExists(what: "an item with the same id")
    }
    return .new(removing: expired)
  }

  /// Checks that a replacement is for the environment of the live item.
  ///
  /// Otherwise the item would have to disappear from devices, or appear on others as an old one.
  private func checkEnvironment(of content: Content, replacing live: Content) throws {
    guard content.extras.environment != live.extras.environment else { return }
    let own = live.extras.environment ?? .production
    throw StoreError.invalid(
      field: "environment",
      expectation:
        "\(own.rawValue), because a live item keeps its environment; to change it, withdraw the "
        + "item first")
  }
}
