package import BellhopModel

extension StoreService {
  /// Returns the user's rules in the order in which they act.
  package func rules(of user: UserID) async throws(StoreError) -> [Rule] {
    try await read { try $0.rules(of: user, in: $1) }
  }

  /// See ``StoreLogic/change(_:_:expecting:for:in:)``.
  ///
  /// - Parameter device: the requesting device, which needs no signal of its own change.
  package func change(
    _ id: RuleID, _ change: RuleChange, expecting expected: OperationID? = nil,
    from device: DeviceID? = nil, for user: UserID
  ) async throws(StoreError) -> Rule {
    try await write(
      in: .user(user), { try $0.change(id, change, expecting: expected, for: user, in: $1) },
      committed: { [self] in raise($0.sequence, for: user, by: device) })
  }
}
