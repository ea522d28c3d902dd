import BellhopModel
import BellhopTestSupport
import Testing

@testable import BellhopStore

@Suite("Tokens accepted from memory")
struct TokenCacheTests {
  /// A service that assumes it is the only writer to the store's storage.
  private func soleWriter(_ store: StoreUnderTest) async throws -> StoreService {
    try await StoreService.open(
      .joining, on: store.backend, environment: store.environment, limits: store.limits,
      isSoleWriter: true)
  }

  @Test(
    "a sole writer reads a token from the storage once, any other service each time",
    arguments: BackendKind.allCases)
  func asksOnce(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let service = try await soleWriter(store)
    // The first use is recorded, and a recorded token is read again.
    _ = try await service.authenticate(store.token.secret)
    let known = try await service.authenticate(store.token.secret)
    try await store.service.revokeToken(store.token.token.id, of: store.user)
    #expect(try await service.authenticate(store.token.secret) == known)
    #expect(
      try await storeError { _ = try await store.service.authenticate(store.token.secret) }
        == .revoked(Revocation(at: store.clock.now)))
  }

  /// The changes that affect whether a token is accepted, and for whom.
  enum Change: CaseIterable {
    case revokeToken, revokeDevice, removeUser, revokeOther, rename, bind, expire
  }

  @Test(
    "any change of a token, its device or its user applies at once",
    arguments: BackendKind.allCases, Change.allCases)
  func changes(kind: BackendKind, change: Change) async throws {
    let store = try await StoreUnderTest(kind)
    let service = try await soleWriter(store)
    let unbound = try await service.mintToken(
      named: "unbound", scope: .device(nil),
      expires: store.clock.now.advanced(by: .seconds(60)), for: store.user)
    for secret in [store.token.secret, unbound.secret] {
      for _ in 0..<3 { _ = try await service.authenticate(secret) }
    }
    let laptop = DeviceID("laptop")
    func register(_ id: DeviceID, _ name: String, _ token: AccessTokenID) async throws {
      _ = try await service.register(
        DeviceRegistration(id: id, name: name, platform: "linux", channel: .polling),
        with: token, for: store.user)
    }
    switch change {
    case .revokeToken:
      try await service.revokeToken(store.token.token.id, of: store.user, by: "Desk")
    case .revokeDevice: try await service.revokeDevice(laptop, of: store.user, by: "Desk")
    case .removeUser: try await service.removeUser(named: "ada")
    case .revokeOther: try await service.revokeToken(unbound.token.id, of: store.user)
    case .rename: try await register(laptop, "Other name", store.token.token.id)
    case .bind: try await register(DeviceID("phone"), "Phone", unbound.token.id)
    case .expire: store.clock.advance(by: .seconds(60))
    }
    for secret in [store.token.secret, unbound.secret] {
      // A separate service has nothing in memory.
      let fresh = try await outcome(secret, store.service)
      #expect(try await outcome(secret, service) == fresh)
      #expect(try await outcome(secret, service) == fresh)
    }
  }

  private func outcome(
    _ secret: AccessTokenSecret, _ service: StoreService
  ) async throws -> Result<Principal, StoreError> {
    do throws(StoreError) {
      return .success(try await service.authenticate(secret))
    } catch {
      return .failure(error)
    }
  }

  @Test("a token revoked between being read and being remembered is refused")
  func revokedBetween() async throws {
    let store = try await StoreUnderTest(.memory)
    let known = TokenCache()
    let principal = try await store.service.authenticate(store.token.secret)
    let hash = store.token.secret.hash
    known.remember(principal, hash: hash, readAt: known.mark)
    #expect(known.principal(hash: hash) == principal)
    let mark = known.mark
    known.forget([store.user])
    known.remember(principal, hash: hash, readAt: mark)
    #expect(known.principal(hash: hash) == nil)
  }

  @Test("revocations apply while the token is in constant use")
  func race() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let service = try await soleWriter(store)
    for _ in 0..<20 {
      let token = try await service.mintToken(
        named: "ci", scope: .publish(.any), for: store.user)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            try await eventually("the refusal of a revoked token", every: .zero) {
              (try? await service.authenticate(token.secret)) == nil
            }
          }
        }
        group.addTask { try await service.revokeToken(token.token.id, of: store.user) }
        try await group.waitForAll()
      }
      #expect(try await storeError { _ = try await service.authenticate(token.secret) } != nil)
    }
  }
}
