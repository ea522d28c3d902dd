import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import Testing

extension DeviceGrantOpening {
  fileprivate var opened: OpenedDeviceGrant? {
    if case .opened(let opened) = self { opened } else { nil }
  }

  fileprivate var wait: Duration? { if case .refused(let wait) = self { wait } else { nil } }
}

extension DeviceGrantLookup {
  fileprivate var grant: DeviceGrant? { if case .found(let grant, _) = self { grant } else { nil } }
  fileprivate var isUnknown: Bool { if case .unknown = self { true } else { false } }
  fileprivate var wait: Duration? { if case .refused(let wait) = self { wait } else { nil } }
}

/// A request of a device in a network of its own, unless a test names one.
func grantRequest(
  network: String = "n", site: String? = nil, device: String? = "desk"
) -> DeviceGrantRequest {
  DeviceGrantRequest(
    client: "bellhop",
    registration: device.map {
      DeviceRegistration(id: DeviceID($0), name: "The \($0)", platform: "test", channel: .signal)
    }, address: "203.0.113.7", network: network, site: site ?? network)
}

extension StoreUnderTest {
  /// Opens the storage as another process does.
  func otherProcess() async throws -> StoreService {
    let shared: any StorageBackend =
      try kind == .sqlite ? SQLiteBackend(path: directory.file("store.sqlite")) : backend
    return try await StoreService.open(
      .joining, on: shared, environment: environment, limits: limits)
  }

  /// The number of remembered grants.
  func grantCount() async throws -> Int { try await backend.read { try $0.deviceGrantCount() } }
}

extension StoreService {
  fileprivate func opened(
    _ request: DeviceGrantRequest = grantRequest(), within limits: SignInLimits = SignInLimits()
  ) async throws -> OpenedDeviceGrant {
    try #require(try await openDeviceGrant(request, within: limits).opened)
  }

  fileprivate func approve(_ opened: OpenedDeviceGrant, by user: UserID) async throws {
    let lookup = try await decideDeviceGrant(
      opened.userCode, isApproved: true, by: user, within: SignInLimits())
    #expect(lookup.grant?.state == .approved && lookup.grant?.decider == user)
  }
}

@Suite("Device grants")
struct DeviceGrantTests {
  private let limits = SignInLimits()
  /// A code that no device has.
  private let wrongCode = UserCode("BCDF-GHJK")

  @Test(
    "a device requests codes at one process, a user approves at another, and a third redeems once",
    arguments: BackendKind.allCases)
  func acrossProcesses(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let (second, third) = (try await store.otherProcess(), try await store.otherProcess())
    let opened = try await store.service.opened()
    #expect(opened.grant.expires == store.clock.now.advanced(by: .seconds(600)))
    #expect(try await third.deviceGrant(deviceCode: opened.deviceCode) == opened.grant)
    #expect(try await third.deviceGrant(deviceCode: "unknown") == nil)
    let early = try await third.redeemDeviceGrant(
      deviceCode: opened.deviceCode, for: store.user)
    #expect(early == nil, "it was not approved yet")

    let seen = try await second.findDeviceGrant(opened.userCode, for: store.user, within: limits)
    #expect(seen.grant == opened.grant)
    try await second.approve(opened, by: store.user)
    // Repeating a decision, or deciding otherwise, changes nothing.
    let again = try await store.service.decideDeviceGrant(
      opened.userCode, isApproved: false, by: store.user, within: limits)
    #expect(again.grant?.state == .approved)

    let signedIn = try #require(
      try await third.redeemDeviceGrant(deviceCode: opened.deviceCode, for: store.user))
    #expect(signedIn.device?.id == DeviceID("desk") && signedIn.user.id == store.user)
    let principal = try await store.service.authenticate(signedIn.minted.secret)
    #expect(principal.device?.registration.name == "The desk")
    let twice = try await store.service.redeemDeviceGrant(
      deviceCode: opened.deviceCode, for: store.user)
    #expect(twice == nil, "the code was used")
    let state = try await second.deviceGrant(deviceCode: opened.deviceCode)?.state
    #expect(state == .redeemed)
  }

  @Test(
    "of two redemptions at the same time one signs in the device (SECURITY-8)",
    arguments: BackendKind.allCases)
  func redeemedOnce(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let (service, user) = (store.service, store.user)
    let other = try await store.otherProcess()
    for number in 0..<10 {
      let opened = try await service.opened(grantRequest(network: "\(number)"))
      try await other.approve(opened, by: user)
      async let first = service.redeemDeviceGrant(deviceCode: opened.deviceCode, for: user)
      async let second = other.redeemDeviceGrant(deviceCode: opened.deviceCode, for: user)
      let results = try await [first, second]
      #expect(results.count { $0 != nil } == 1)
    }
    // Each one ended the token of the one before.
    let valid = try await service.accessTokens(of: user).filter { $0.revoked == nil }
    #expect(valid.count { $0.scope == .device(DeviceID("desk")) } == 1)
  }

  @Test(
    "of two users who decide at the same time one decides", arguments: BackendKind.allCases)
  func decidedOnce(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let other = try await store.otherProcess()
    let limits = limits
    let grace = try await store.service.addUser(named: "grace").id
    for number in 0..<10 {
      let code = try await store.service.opened(grantRequest(network: "\(number)")).userCode
      async let first = store.service.decideDeviceGrant(
        code, isApproved: true, by: store.user, within: limits)
      async let second = other.decideDeviceGrant(
        code, isApproved: false, by: grace, within: limits)
      let results = try await [first, second]
      #expect(results.count { $0.grant != nil } == 1 && results.count { $0.isUnknown } == 1)
    }
  }

  @Test("if storing the token fails, the grant stays approved", arguments: BackendKind.allCases)
  func putBack(kind: BackendKind) async throws {
    var storeLimits = StoreLimits()
    storeLimits.tokensPerUserMax = 1
    let store = try await StoreUnderTest(kind, limits: storeLimits)
    let opened = try await store.service.opened()
    try await store.service.approve(opened, by: store.user)
    let error = try await storeError {
      _ = try await store.service.redeemDeviceGrant(
        deviceCode: opened.deviceCode, for: store.user)
    }
    guard case .accessDenied? = error else {
      Issue.record("a token beyond the limit was created")
      return
    }
    try await store.service.revokeToken(store.token.token.id, of: store.user)
    let signedIn = try await store.service.redeemDeviceGrant(
      deviceCode: opened.deviceCode, for: store.user)
    #expect(signedIn?.user.id == store.user)
  }

  @Test(
    "wrong codes at one process count at the others, also after a restart (SECURITY-8)",
    arguments: BackendKind.allCases)
  func wrongCodes(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let other = try await store.otherProcess()
    let grace = try await store.service.addUser(named: "grace").id
    let opened = try await store.service.opened()
    for number in 0..<limits.wrongCodesMax {
      let service = number.isMultiple(of: 2) ? store.service : other
      let code = number == 0 ? nil : wrongCode
      let lookup =
        try await number.isMultiple(of: 3)
        ? service.findDeviceGrant(code, for: store.user, within: limits)
        : service.decideDeviceGrant(code, isApproved: true, by: store.user, within: limits)
      #expect(lookup.isUnknown)
    }
    for service in [store.service, other, try await store.restarted()] {
      let lookup = try await service.findDeviceGrant(
        opened.userCode, for: store.user, within: limits)
      #expect(lookup.wait == .seconds(60), "even the right code has to wait")
    }
    let found = try await other.findDeviceGrant(opened.userCode, for: grace, within: limits)
    #expect(found.grant != nil, "another user does not wait")
    store.clock.advance(by: .seconds(60))
    let next = try await other.findDeviceGrant(wrongCode, for: store.user, within: limits)
    #expect(next.isUnknown)
    let last = try await store.service.findDeviceGrant(
      wrongCode, for: store.user, within: limits)
    #expect(last.wait == .seconds(60))
  }

  @Test("guesses that are made at the same time are all counted", arguments: BackendKind.allCases)
  func guesses(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let services = [store.service, try await store.otherProcess()]
    let (user, code, limits) = (store.user, wrongCode, limits)
    let unknown = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<30 {
        group.addTask {
          try await services[number % 2].findDeviceGrant(code, for: user, within: limits).isUnknown
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(unknown == limits.wrongCodesMax)
  }

  @Test("requests for codes count at all processes", arguments: BackendKind.allCases)
  func asks(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let services = [store.service, try await store.otherProcess()]
    for number in 0..<limits.asksPerMinuteMax { _ = try await services[number % 2].opened() }
    for service in services {
      let opening = try await service.openDeviceGrant(grantRequest(), within: limits)
      #expect(opening.wait == .seconds(6))
    }
    _ = try await store.service.opened(grantRequest(network: "other"))
    store.clock.advance(by: .seconds(6))
    _ = try await store.service.opened()
    let opening = try await services[1].openDeviceGrant(grantRequest(), within: limits)
    #expect(opening.wait == .seconds(6))
    // A clock that is set back by a day does not make a network wait for a day.
    store.clock.advance(by: .seconds(-86_400))
    let back = try await services[1].openDeviceGrant(grantRequest(), within: limits)
    #expect(back.wait == .seconds(6))
  }

  @Test(
    "all networks of one household share the limits of one site", arguments: BackendKind.allCases)
  func sites(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    var limits = SignInLimits()
    limits.siteAsksPerMinuteMax = 15
    limits.grantsPerSiteMax = 18
    func ask(_ number: Int, site: String = "home") async throws -> DeviceGrantOpening {
      try await store.service.openDeviceGrant(
        grantRequest(network: "\(site) \(number)", site: site), within: limits)
    }
    for number in 0..<15 { #expect(try await ask(number).opened != nil) }
    #expect(try await ask(99).wait == .seconds(4))
    #expect(try await ask(1, site: "other").opened != nil)
    store.clock.advance(by: .seconds(60))
    for number in 15..<18 { #expect(try await ask(number).opened != nil) }
    #expect(try await ask(99).wait == .seconds(540))
  }

  @Test(
    "at the limit, the most crowded site loses its oldest grant, and new requests are accepted",
    arguments: BackendKind.allCases)
  func crowd(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    var limits = SignInLimits()
    limits.grantsMax = 20
    let first = try await store.service.opened(within: limits)
    // One household with five networks of 64 bits.
    var crowd: [OpenedDeviceGrant] = []
    for number in 2...20 {
      let request = grantRequest(network: "home \(number % 5)", site: "home")
      crowd.append(try await store.service.opened(request, within: limits))
    }
    try await store.service.approve(crowd[0], by: store.user)
    for number in 21...30 {
      let request = grantRequest(network: "other \(number)")
      let other = try await store.service.opened(request, within: limits)
      #expect(try await store.service.deviceGrant(deviceCode: other.deviceCode) != nil)
      #expect(try await store.grantCount() == 20)
    }
    #expect(try await store.service.deviceGrant(deviceCode: first.deviceCode) != nil)
    // The approved one stays; the ten oldest of the others are gone.
    var kept: [Int] = []
    for (index, grant) in crowd.enumerated() {
      let known = try await store.service.deviceGrant(deviceCode: grant.deviceCode)
      if known != nil { kept.append(index + 2) }
    }
    #expect(kept == [2] + (13...20))
    let gone = try await store.service.findDeviceGrant(
      crowd[1].userCode, for: store.user, within: limits)
    #expect(gone.isUnknown)
  }

  @Test(
    "a grant expires for users and devices, and is forgotten after twice its life",
    arguments: BackendKind.allCases)
  func expiry(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let approved = try await store.service.opened()
    let pending = try await store.service.opened()
    try await store.service.approve(approved, by: store.user)
    store.clock.advance(by: limits.life)
    let late = try await store.service.redeemDeviceGrant(
      deviceCode: approved.deviceCode, for: store.user)
    #expect(late == nil)
    let lookup = try await store.service.decideDeviceGrant(
      pending.userCode, isApproved: true, by: store.user, within: limits)
    #expect(lookup.isUnknown)
    #expect(try await store.service.deviceGrant(deviceCode: pending.deviceCode) != nil)
    store.clock.advance(by: limits.life)
    try await store.service.sweep()
    #expect(try await store.grantCount() == 0)
    let attempts = try await store.backend.read { state in
      try [AttemptKind.ask, .siteAsk].compactMap { try state.attempts($0, by: "n") }
    }
    #expect(attempts.isEmpty)
  }

  @Test(
    "grants survive a restart, and no code survives a restore (SECURITY-8)",
    arguments: BackendKind.allCases)
  func restarts(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let opened = try await store.service.opened()
    let second = try await store.service.opened()
    let restarted = try await store.restarted()
    try await restarted.approve(opened, by: store.user)
    let signedIn = try await store.restarted().redeemDeviceGrant(
      deviceCode: opened.deviceCode, for: store.user)
    #expect(signedIn != nil)
    try await restarted.beginEpoch()
    #expect(try await restarted.deviceGrant(deviceCode: second.deviceCode) == nil)
    #expect(try await store.grantCount() == 0)
  }

  @Test(
    "the grants that a user decided on leave with the user", arguments: BackendKind.allCases)
  func removedUser(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let approved = try await store.service.opened()
    let pending = try await store.service.opened()
    try await store.service.approve(approved, by: store.user)
    try await store.service.removeUser(named: "ada")
    #expect(try await store.service.deviceGrant(deviceCode: approved.deviceCode) == nil)
    #expect(try await store.service.deviceGrant(deviceCode: pending.deviceCode) == pending.grant)
    let error = try await storeError {
      _ = try await store.service.decideDeviceGrant(
        pending.userCode, isApproved: true, by: store.user, within: limits)
    }
    #expect(error == .notFound(what: "user"))
  }
}
