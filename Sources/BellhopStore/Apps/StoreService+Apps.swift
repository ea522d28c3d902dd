package import BellhopModel

extension StoreService {
  /// See ``StoreLogic/configure(_:_:profile:ifMatch:for:in:)``.
  ///
  /// - Parameter device: the requesting device, which needs no signal of its own change.
  package func configure(
    _ app: String, _ change: AppSettingsChange, profile: AppProfile = AppProfile(),
    ifMatch match: Set<SequenceNumber>? = nil, from device: DeviceID? = nil, for user: UserID
  ) async throws(StoreError) -> AppState {
    try await write(
      in: .user(user),
      { try $0.configure(app, change, profile: profile, ifMatch: match, for: user, in: $1) },
      committed: { [self] in raise($0.settings.sequence, for: user, by: device) })
  }

  /// Returns the profile of the app that receives a publication for `name`.
  package func profile(
    ofApp name: String, for user: UserID
  ) async throws(StoreError) -> AppProfile {
    try await read { logic, state in
      let app = try logic.app(named: name, of: user, in: state)
      return try state.profile(ofApp: app, of: user) ?? AppProfile()
    }
  }

  /// Returns the profiles of the user's apps, keyed by app.
  package func profiles(of user: UserID) async throws(StoreError) -> [String: AppProfile] {
    try await read { try $1.profiles(of: user) }
  }

  /// Removes the profile of an app; its settings stay.
  package func removeProfile(ofApp app: String, of user: UserID) async throws(StoreError) {
    try await write(in: .user(user)) { try $1.put(AppProfile(), ofApp: app, of: user) }
  }

  /// Returns the user's apps by name: those with items, and those that were configured.
  package func apps(of user: UserID) async throws(StoreError) -> [AppState] {
    try await read { try $1.appStates(of: user) }
  }

  /// Returns one app, by its name or an alias.
  package func app(named name: String, of user: UserID) async throws(StoreError) -> AppState {
    try await read { try $0.appState(named: name, of: user, in: $1) }
  }

  /// Returns the app that receives a publication for `name`.
  package func appName(of name: String, for user: UserID) async throws(StoreError) -> String {
    try await read { try $0.app(named: name, of: user, in: $1) }
  }

  /// Returns when an item that is not pinned leaves the store: by its expiration or its app's
  /// retention.
  package func leavingTime(
    of item: UserNotification, for user: UserID
  ) async throws(StoreError) -> Timestamp {
    try await read { logic, state in
      let app = item.content.app
      return logic.endOfStay(
        of: item, in: try state.app(app, of: user) ?? AppRecord(app: app),
        on: try logic.wallClock(for: item.content, of: user, in: state))
    }
  }
}
