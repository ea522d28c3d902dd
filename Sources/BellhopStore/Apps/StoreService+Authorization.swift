package import BellhopModel

extension StoreService {
  /// See ``StoreLogic/authorization(ofApp:for:in:)``.
  package func authorization(
    ofApp app: String, for user: UserID
  ) async throws(StoreError) -> AppSettings {
    try await read { try $0.authorization(ofApp: app, for: user, in: $1) }
  }

  /// See ``StoreLogic/setBadge(_:ofApp:for:in:)``.
  package func setBadge(
    _ badge: Int, ofApp app: String, for user: UserID
  ) async throws(StoreError) {
    _ = try await write(
      in: .user(user), { try $0.setBadge(badge, ofApp: app, for: user, in: $1) },
      committed: { [self] in raise($0, for: user) })
  }
}
