package import BellhopModel

extension StoreService {
  /// See ``StoreLogic/register(_:ofApp:appsMax:for:in:)``.
  package func register(
    _ category: Category, ofApp app: String, appsMax: Int? = nil, for user: UserID
  ) async throws(StoreError) -> (category: Category, isNew: Bool) {
    let registered = try await write(
      in: .user(user),
      { try $0.register(category, ofApp: app, appsMax: appsMax, for: user, in: $1) },
      committed: { [self] in raise($0.sequence, for: user) })
    return (registered.category, registered.isNew)
  }

  /// See ``StoreLogic/removeCategory(_:ofApp:for:in:)``.
  package func removeCategory(
    _ id: String, ofApp app: String, for user: UserID
  ) async throws(StoreError) {
    _ = try await write(
      in: .user(user), { try $0.removeCategory(id, ofApp: app, for: user, in: $1) },
      committed: { [self] in if let sequence = $0 { raise(sequence, for: user) } })
  }

  /// See ``StoreLogic/categories(ofApp:for:in:)``.
  package func categories(
    ofApp app: String, for user: UserID
  ) async throws(StoreError) -> [Category] {
    try await read { try $0.categories(ofApp: app, for: user, in: $1) }
  }
}
