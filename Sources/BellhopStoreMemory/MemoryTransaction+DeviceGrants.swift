internal import BellhopModel
internal import BellhopStore

/// Device grants, and the attempts that are counted with them.
extension MemoryTransaction {
  func deviceGrant(deviceCodeHash hash: [UInt8]) -> DeviceGrant? {
    state.deviceGrants.values.first { $0.deviceCodeHash == hash }
  }

  func deviceGrant(userCodeHash hash: [UInt8]) -> DeviceGrant? {
    state.deviceGrants.values.first { $0.userCodeHash == hash }
  }

  func deviceGrantCount() -> Int { state.deviceGrants.count }

  func pendingDeviceGrants(ofSite site: String, at now: Timestamp) -> [DeviceGrant] {
    state.deviceGrants.values.filter {
      $0.request.site == site && $0.state == .pending && $0.expires > now
    }.sorted { $0.id < $1.id }
  }

  func replaceableDeviceGrant() -> DeviceGrantID? {
    let bySite = Dictionary(grouping: state.deviceGrants.values, by: \.request.site)
    let most = bySite.values.map(\.count).max() ?? 0
    let candidates = bySite.values.filter { $0.count == most }.joined()
    let unapproved = candidates.filter { $0.state != .approved }.map(\.id)
    return unapproved.min() ?? candidates.map(\.id).min()
  }

  func insert(_ grant: DeviceGrant) { set(\.deviceGrants[grant.id], to: grant) }

  func changeDeviceGrant(
    _ id: DeviceGrantID, from expected: DeviceGrant.State, to state: DeviceGrant.State,
    by user: UserID
  ) -> Bool {
    guard var grant = self.state.deviceGrants[id], grant.state == expected,
      grant.decider == nil || grant.decider == user
    else { return false }
    grant.state = state
    grant.decider = user
    set(\.deviceGrants[id], to: grant)
    return true
  }

  func raiseInterval(ofDeviceGrant id: DeviceGrantID, to interval: Duration) {
    guard var grant = state.deviceGrants[id], grant.interval < interval else { return }
    grant.interval = interval
    set(\.deviceGrants[id], to: grant)
  }

  func removeDeviceGrant(_ id: DeviceGrantID) { set(\.deviceGrants[id], to: nil) }

  func removeDeviceGrants(forgottenBy now: Timestamp, limit: Int) -> Int {
    let forgotten = state.deviceGrants.values.filter { $0.forgotten <= now }
      .sorted { ($0.forgotten, $0.id) < ($1.forgotten, $1.id) }.prefix(limit)
    for grant in forgotten { removeDeviceGrant(grant.id) }
    return forgotten.count
  }

  func attempts(_ kind: AttemptKind, by key: String) -> Attempts? {
    state.attempts[.init(kind: kind, key: key)]
  }

  func put(_ attempts: Attempts, keeping count: Int) {
    let key = MemoryState.AttemptKey(kind: attempts.kind, key: attempts.key)
    let others = state.attempts.values.filter { $0.kind == key.kind && $0.key != key.key }
      .sorted { ($0.forgotten, $0.key) < ($1.forgotten, $1.key) }
    for other in others.dropLast(max(0, count - 1)) { remove(other) }
    set(\.attempts[key], to: attempts)
  }

  func removeAttempts(_ kind: AttemptKind, forgottenBy now: Timestamp, limit: Int) -> Int {
    let forgotten = state.attempts.values.filter { $0.kind == kind && $0.forgotten <= now }
      .sorted { ($0.forgotten, $0.key) < ($1.forgotten, $1.key) }.prefix(limit)
    for attempts in forgotten { remove(attempts) }
    return forgotten.count
  }

  private func remove(_ attempts: Attempts) {
    set(\.attempts[.init(kind: attempts.kind, key: attempts.key)], to: nil)
  }
}
