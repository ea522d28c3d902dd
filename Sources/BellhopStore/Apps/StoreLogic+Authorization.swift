package import BellhopModel

extension StoreLogic {
  /// Returns the settings that decide whether an app may notify.
  ///
  /// An app that the store does not know has the authorization of new apps.
  package func authorization(
    ofApp name: String, for user: UserID, in state: any StoreReading
  ) throws -> AppSettings {
    let app = try self.app(named: name, of: user, in: state)
    if let known = try state.appState(app, of: user)?.settings { return known }
    return AppSettings(app: app, authorization: try newAppAuthorization(of: user, in: state))
  }

  /// Returns the authorization that an app has at first.
  func newAppAuthorization(of user: UserID, in state: any StoreReading) throws -> AppAuthorization {
    try state.appState(AppSettings.everyApp, of: user)?.settings.authorization ?? .authorized
  }

  /// Checks that the user accepts what an app publishes.
  func checkAuthorization(
    ofApp app: String, ledger: inout CounterUpdates, in state: any StoreReading
  ) throws {
    guard try ledger.app(app, in: state).authorization == .denied,
      !Mutant.deniedAppPublishes.isOn
    else { return }
    throw StoreError.accessDenied(
      reason: "the user does not accept notifications of this app")
  }

  /// Stores what a publication changes in the settings of its app: the authorization of a new app,
  /// and the badge.
  func noteApp(
    publishing content: Content, ledger: inout CounterUpdates, in transaction: any StoreTransaction
  ) throws {
    let isNew =
      try !ledger.knows(content.app, in: transaction) && !Mutant.newAppAuthorized.isOn
    guard isNew || content.extras.badge != nil else { return }
    let known = try authorization(ofApp: content.app, for: ledger.user, in: transaction)
    var settings = known
    settings.badge = content.extras.badge ?? known.badge
    guard settings != known || isNew && settings.authorization != .authorized else { return }
    try store(&settings, ledger: &ledger, in: transaction)
  }

  /// Sets the number that an app shows as its badge (`setBadgeCount`); zero for none.
  ///
  /// - Returns: the user's sequence afterwards.
  /// - Throws: ``StoreError/accessDenied(reason:)`` for a denied app,
  ///   ``StoreError/notFound(what:)`` for one that the store does not know.
  package func setBadge(
    _ badge: Int, ofApp name: String, for user: UserID, in transaction: any StoreTransaction
  ) throws -> SequenceNumber {
    guard (0...Self.badgeMax).contains(badge) else {
      throw StoreError.invalid(field: "badge", expectation: "a number from 0 to \(Self.badgeMax)")
    }
    var settings = try appState(named: name, of: user, in: transaction).settings
    var ledger = try CounterUpdates(user, in: transaction)
    try checkAuthorization(ofApp: settings.app, ledger: &ledger, in: transaction)
    guard settings.badge ?? 0 != badge else { return ledger.counters.sequence }
    settings.badge = badge
    try store(&settings, ledger: &ledger, in: transaction)
    try ledger.close(in: transaction)
    return settings.sequence
  }

  private static let badgeMax = Int(Int32.max)
}
