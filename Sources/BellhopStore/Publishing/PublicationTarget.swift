internal import BellhopModel

/// The item to which a publication goes.
enum PublicationTarget {
  /// A new item. An expired one with the same app notification id becomes a tombstone.
  case new(removing: UserNotification?)
  /// The live item with the same app notification id.
  case replacement(of: UserNotification)
  /// The live item that the publication repeats. An expired one with the same app notification id
  /// becomes a tombstone.
  case repetition(of: UserNotification, removing: UserNotification?)

  /// The live item whose content the publication replaces; nil for a new item.
  var live: UserNotification? {
    switch self {
    case .new: nil
    case .replacement(let live), .repetition(let live, _): live
    }
  }

  /// The expired item that the publication turns into a tombstone.
  var expired: UserNotification? {
    switch self {
    case .new(let expired), .repetition(_, let expired): expired
    case .replacement: nil
    }
  }
}

extension StoreLogic {
  /// Returns the target of a publication. Reads only.
  ///
  /// The live item with the same app notification id comes first, and then the one that the
  /// publication repeats (SYNC-19).
  ///
  /// - Parameter search: the search for repeats; nil if the publication cannot be one.
  /// - Throws: ``StoreError/invalid(field:expectation:)`` for another environment than the live item's,
  ///   ``StoreError/alreadyExists(what:)`` for a device's publication whose id is taken.
  func target(
    of request: PublishRequest, after search: RepeatSearch?, ledger: inout CounterUpdates,
    in state: any StoreReading
  ) throws -> PublicationTarget {
    let content = request.content
    let repeated = search?.repeated(by: content, at: expiryNow)
    if let repeated, Mutant.collapseBeforeReplacement.isOn {
      return .repetition(of: repeated, removing: nil)
    }
    var expired: UserNotification?
    if let known = try namedItem(of: content, ledger: &ledger, in: state) {
      if !known.hasExpired(at: expiryNow) {
        try checkEnvironment(of: content, replacing: known.content)
        return .replacement(of: known)
      }
      expired = known
    }
    if let repeated { return .repetition(of: repeated, removing: expired) }
    if let id = request.delayed?.id, try state.row(id, of: ledger.user) != nil {
      throw StoreError.alreadyExists(what: "an item with the same id")
    }
    return .new(removing: expired)
  }

  /// Returns the live item with the app notification id of the content, expired or not.
  private func namedItem(
    of content: Content, ledger: inout CounterUpdates, in state: any StoreReading
  ) throws -> UserNotification? {
    guard let id = content.appNotificationID else { return nil }
    // Only an app that is configured, or a rule, lets an item have several ids.
    let isConfigured = try ledger.app(content.app, in: state).isConfigured
    return isConfigured || ledger.counters.rules > .zero
      ? try item(app: content.app, named: id, of: ledger.user, in: state)
      : try state.item(app: content.app, appNotificationID: id, of: ledger.user)
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
