internal import BellhopModel
internal import BellhopStore

/// Devices and access tokens.
extension MemoryTransaction {
  func device(_ id: DeviceID, of user: UserID) -> Device? { partition(user).devices[id] }

  func devices(of user: UserID) -> [Device] {
    partition(user).devices.values.sorted { ($0.registered, $0.id) < ($1.registered, $1.id) }
  }

  func put(_ device: Device, of user: UserID) {
    noteAccess(user)
    set(\.devices[device.id], of: user, to: device)
  }

  func removeDevice(_ id: DeviceID, of user: UserID) {
    noteAccess(user)
    set(\.devices[id], of: user, to: nil)
    for outbox in partition(user).numbers.keys where outbox.device == id {
      set(\.numbers[outbox], of: user, to: nil)
    }
    set(\.outboxes, of: user, to: partition(user).outboxes.filter { $0.device != id })
    for key in partition(user).numbered.keys where key.outbox.device == id {
      set(\.numbered[key], of: user, to: nil)
    }
  }

  func accessTokens(hashedLike hash: [UInt8]) -> [(token: AccessToken, hash: [UInt8])] {
    state.tokens.values.filter { $0.hash.starts(with: hash.prefix(8)) }
  }

  func accessToken(_ id: AccessTokenID, of user: UserID) -> AccessToken? {
    guard let token = state.tokens[id]?.token, token.user == user else { return nil }
    return token
  }

  func accessTokens(of user: UserID) -> [AccessToken] {
    state.tokens.values.map(\.token).filter { $0.user == user }.sorted { $0.id < $1.id }
  }

  func insert(_ token: AccessToken, hash: [UInt8]) {
    noteAccess(token.user)
    set(\.tokens[token.id], to: (token: token, hash: hash))
  }

  func update(_ token: AccessToken) {
    noteAccess(token.user)
    guard let hash = state.tokens[token.id]?.hash else { return }
    set(\.tokens[token.id], to: (token: token, hash: hash))
  }

  func unrevokedTokens(of user: UserID) -> [AccessToken] {
    accessTokens(of: user).filter { $0.revoked == nil }
  }

  func tokenCount(of user: UserID, holdingAt now: Timestamp) -> Int {
    accessTokens(of: user).count { $0.end.map { $0 > now } ?? true }
  }

  func forgottenTokens(of user: UserID) -> [AccessTokenID] { partition(user).forgottenTokens }

  func removeEndedTokens(before time: Timestamp, limit: Int) -> Int {
    let ended = state.tokens.values.map(\.token).filter { token in
      token.end.map { $0 < time } ?? false && !isOfSignIn(token)
    }
    return ofAnyUser { remove(ended.sorted { $0.id < $1.id }.prefix(limit)) }
  }

  func removeEndedTokens(of user: UserID, by now: Timestamp, keeping count: Int, limit: Int) {
    let ended = accessTokens(of: user).filter { token in token.end.map { $0 <= now } ?? false }
      .sorted { ($0.end ?? now, $0.id) > ($1.end ?? now, $1.id) }
    remove(ended.dropFirst(count).filter { !isOfSignIn($0) }.suffix(limit))
  }

  private func isOfSignIn(_ token: AccessToken) -> Bool {
    partition(token.user).signIns.contains { $0.token == token.id }
  }

  @discardableResult
  private func remove(_ tokens: some Collection<AccessToken>) -> Int {
    for token in tokens {
      noteAccess(token.user)
      set(\.tokens[token.id], to: nil)
      guard token.revoked != nil else { continue }
      let forgotten = partition(token.user).forgottenTokens + [token.id]
      set(
        \.forgottenTokens, of: token.user,
        to: forgotten.sorted().suffix(AccessToken.forgottenMax))
    }
    return tokens.count
  }
}
