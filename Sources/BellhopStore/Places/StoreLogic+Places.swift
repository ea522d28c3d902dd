internal import BellhopModel

extension StoreLogic {
  /// Returns places without the devices that are no longer registered.
  ///
  /// Such a device has left without crossing the boundary.
  func withoutUnknownDevices(
    _ places: [String: Place], of user: UserID, in state: any StoreReading
  ) throws -> [String: Place] {
    try places.mapValues { place in
      var place = place
      place.devices = try place.devices.filter { try state.device($0.key, of: user) != nil }
      return place
    }
  }

  /// Delivers the items that wait for a crossing.
  ///
  /// - Parameter time: The time at which a device noticed the crossing.
  func deliver(
    _ crossing: PlaceCrossing, at time: Timestamp, ledger: inout CounterUpdates,
    in transaction: any StoreTransaction
  ) throws {
    for item in try triggeredItems(of: ledger.user, in: transaction) {
      guard var changed = item.crossed(crossing, at: time) else { continue }
      changed.state.sequence = try ledger.nextSequence(identity.start, at: now, in: transaction)
      changed.state.changed = now
      try update(changed, ledger: &ledger, in: transaction)
    }
  }

  /// Checks that an item may wait for its place.
  ///
  /// - Parameter isDevice: Whether the user's own device publishes it, which needs no permission.
  /// - Throws: ``StoreError/accessDenied(reason:)`` for an app that may not use places, and
  ///   ``StoreError/invalid(field:expectation:)`` for an unknown place.
  func checkPlace(
    of content: Content, isDevice: Bool, for user: UserID, in state: any StoreReading
  ) throws {
    guard case .place(let crossing)? = content.trigger?.kind else { return }
    // Without the permission, a publisher does not learn which places there are.
    guard try isDevice || authorization(ofApp: content.app, for: user, in: state).usesPlaces else {
      throw StoreError.accessDenied(
        reason: "the user does not allow this app to wait for places")
    }
    let places = try state.appState(AppSettings.everyApp, of: user)?.settings.places ?? [:]
    guard places[crossing.place] == nil else { return }
    let names = places.keys.sorted().joined(separator: ", ")
    throw StoreError.invalid(
      field: "trigger.place.name",
      expectation: names.isEmpty
        ? "the name of one of the user's places, of which there are none"
        : "the name of one of the user's places: \(names)")
  }
}

extension AppRules {
  /// The most places of a user.
  private static let placesMax = 32

  /// Checks changes to places, which are part of the settings for all apps.
  ///
  /// - Parameter device: The device that makes the changes; nil for other clients.
  func check(
    places changes: [String: PlaceChange], giving settings: AppSettings, by device: DeviceID?
  ) throws {
    guard settings.areOfEveryApp else {
      throw StoreError.invalid(
        field: "places", expectation: "this member only for all apps (\(AppSettings.everyApp))")
    }
    for (name, change) in changes {
      switch change {
      case .add:
        guard Place.isName(name) else {
          throw StoreError.invalid(field: "places", expectation: "names with \(Place.nameForm)")
        }
      case .remove: break
      case .report:
        guard device != nil else {
          throw StoreError.invalid(
            field: "places.inside", expectation: "this member only in an operation of a device")
        }
      }
    }
    guard settings.places.count <= Self.placesMax else {
      throw StoreError.invalid(field: "places", expectation: "at most \(Self.placesMax) places")
    }
  }
}
