import BellhopModel
import BellhopStore
import Testing

/// The rows of device grants and attempts.
@Suite("Rows of device grants")
struct DeviceGrantRecordTests {
  private func grant(
    _ number: UInt64, site: String = "s", state: DeviceGrant.State = .pending,
    by user: UserID? = nil, at time: Timestamp, _ registration: DeviceRegistration? = nil
  ) -> DeviceGrant {
    DeviceGrant(
      id: DeviceGrantID(high: 0, low: number), deviceCodeHash: [1, UInt8(number)],
      userCodeHash: [2, UInt8(number)],
      request: DeviceGrantRequest(
        client: "bellhop", registration: registration, address: "this machine", network: "n",
        site: site),
      requested: time, expires: time.advanced(by: .seconds(10)),
      forgotten: time.advanced(by: .seconds(20)), interval: .seconds(5), state: state,
      decider: user)
  }

  private func write<Value: Sendable>(
    _ store: StoreUnderTest, in scope: WriteScope = .store,
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try await store.backend.write(in: scope, body, committed: { _ in })
  }

  @Test(
    "a grant is found by either hash, with all of its values", arguments: BackendKind.allCases)
  func values(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let time = store.clock.now
    let registration = DeviceRegistration(
      id: DeviceID("desk"), name: "Ö's desk", platform: "", channel: .polling,
      environment: .development)
    var grants = [
      grant(1, at: time, registration), grant(2, state: .denied, by: store.user, at: time),
    ]
    let stored = grants
    try await write(store) { transaction in
      for one in stored { try transaction.insert(one) }
      try transaction.raiseInterval(ofDeviceGrant: stored[0].id, to: .seconds(10))
      try transaction.raiseInterval(ofDeviceGrant: stored[0].id, to: .seconds(7))
    }
    grants[0].interval = .seconds(10)
    #expect(try await store.grantCount() == 2)
    for one in grants {
      let found = try await store.backend.read { state in
        [
          try state.deviceGrant(deviceCodeHash: one.deviceCodeHash),
          try state.deviceGrant(userCodeHash: one.userCodeHash),
          try state.deviceGrant(userCodeHash: one.deviceCodeHash),
        ]
      }
      #expect(found == [one, one, nil])
    }
    try await write(store) { try $0.removeDeviceGrant(stored[0].id) }
    let gone = try await store.backend.read { try $0.deviceGrant(deviceCodeHash: [1, 1]) }
    #expect(gone == nil)
  }

  @Test("a grant changes its state under its condition only", arguments: BackendKind.allCases)
  func conditions(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let (ada, grace) = (store.user, try await store.service.addUser(named: "grace").id)
    let only = grant(1, at: store.clock.now)
    try await write(store) { try $0.insert(only) }
    let results = try await write(store) { transaction in
      func change(
        _ from: DeviceGrant.State, _ to: DeviceGrant.State, _ user: UserID
      ) throws -> Bool {
        try transaction.changeDeviceGrant(only.id, from: from, to: to, by: user)
      }
      return [
        try change(.approved, .redeemed, ada), try change(.pending, .approved, ada),
        try change(.pending, .denied, grace), try change(.approved, .redeemed, grace),
        try change(.approved, .redeemed, ada), try change(.approved, .redeemed, ada),
        try transaction.changeDeviceGrant(
          DeviceGrantID(high: 0, low: 9), from: .pending, to: .approved, by: ada),
      ]
    }
    #expect(results == [false, true, false, false, true, false, false])
    let last = try await store.backend.read { try $0.deviceGrant(deviceCodeHash: [1, 1]) }
    #expect(last?.state == .redeemed && last?.decider == ada)
  }

  @Test(
    "the grant to replace is the oldest of the most crowded site, and approved ones are last",
    arguments: BackendKind.allCases)
  func replacement(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let (user, time) = (store.user, store.clock.now)
    let grants = [
      grant(1, site: "a", at: time), grant(2, site: "b", state: .approved, by: user, at: time),
      grant(3, site: "b", state: .denied, by: user, at: time), grant(4, site: "b", at: time),
      grant(5, site: "c", at: time), grant(6, site: "c", at: time), grant(7, site: "c", at: time),
    ]
    #expect(try await write(store) { try $0.replaceableDeviceGrant() } == nil)
    let order = try await write(store) { transaction in
      for one in grants.reversed() { try transaction.insert(one) }
      var order: [UInt64] = []
      while let id = try transaction.replaceableDeviceGrant() {
        order.append(id.low)
        try transaction.removeDeviceGrant(id)
      }
      return order
    }
    #expect(order == [3, 5, 4, 6, 1, 7, 2])
  }

  @Test(
    "pending grants of a site are found until they expire, and removed when they are forgotten",
    arguments: BackendKind.allCases)
  func times(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let (user, time) = (store.user, store.clock.now)
    let grants = [
      grant(1, at: time), grant(2, at: time.advanced(by: .seconds(5))),
      grant(3, site: "other", at: time), grant(4, state: .approved, by: user, at: time),
    ]
    try await write(store) { transaction in
      for one in grants { try transaction.insert(one) }
    }
    func pending(after seconds: Int) async throws -> [UInt64] {
      let now = time.advanced(by: .seconds(seconds))
      return try await store.backend.read { state in
        try state.pendingDeviceGrants(ofSite: "s", at: now).map(\.id.low)
      }
    }
    #expect(try await pending(after: 9) == [1, 2])
    #expect(try await pending(after: 10) == [2])
    #expect(try await pending(after: 15) == [])
    func remove(after seconds: Int, limit: Int) async throws -> Int {
      let now = time.advanced(by: .seconds(seconds))
      return try await write(store, in: .users) {
        try $0.removeDeviceGrants(forgottenBy: now, limit: limit)
      }
    }
    #expect(try await remove(after: 19, limit: 9) == 0)
    #expect(try await remove(after: 20, limit: 2) == 2)
    #expect(try await remove(after: 20, limit: 9) == 1)
    #expect(try await remove(after: 25, limit: 9) == 1)
  }

  @Test(
    "beyond the limit of keys, the attempts that are forgotten first leave",
    arguments: BackendKind.allCases)
  func attempts(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let time = store.clock.now
    func put(_ key: String, _ seconds: Int, _ kind: AttemptKind = .ask) async throws {
      let attempts = Attempts(
        kind: kind, key: key, forgotten: time.advanced(by: .seconds(seconds)))
      try await write(store) { try $0.put(attempts, keeping: 3) }
    }
    func known(_ kind: AttemptKind = .ask) async throws -> [String] {
      try await store.backend.read { state in
        try ["a", "b", "c", "d", "e"].filter { try state.attempts(kind, by: $0) != nil }
      }
    }
    try await put("a", 5, .wrongCode)
    for (key, seconds) in [("a", 50), ("b", 40), ("c", 30)] { try await put(key, seconds) }
    #expect(try await known() == ["a", "b", "c"])
    // A new key stays, although it says the least.
    try await put("d", 10)
    #expect(try await known() == ["a", "b", "d"])
    try await put("d", 45)
    try await put("e", 20)
    #expect(try await known() == ["a", "d", "e"])
    #expect(try await known(.wrongCode) == ["a"])
    let renewed = try await store.backend.read { try $0.attempts(.ask, by: "d") }
    #expect(renewed?.forgotten == time.advanced(by: .seconds(45)))
    let counts = try await write(store, in: .users) { transaction in
      try [(20, 1), (60, 1), (60, 9)].map { seconds, limit in
        try transaction.removeAttempts(
          .ask, forgottenBy: time.advanced(by: .seconds(seconds)), limit: limit)
      }
    }
    #expect(counts == [1, 1, 1])
    #expect(try await known().isEmpty)
    #expect(try await known(.wrongCode) == ["a"])
  }

  @Test(
    "grants and attempts belong to no user, and are written in every scope",
    arguments: BackendKind.allCases)
  func scopes(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let (user, time) = (store.user, store.clock.now)
    for (number, scope) in [WriteScope.user(UserID(rawValue: 99)), .users, .store].enumerated() {
      let pending = grant(UInt64(number), at: time)
      try await write(store, in: scope) { transaction in
        try transaction.insert(pending)
        _ = try transaction.changeDeviceGrant(pending.id, from: .pending, to: .approved, by: user)
        try transaction.put(
          Attempts(kind: .ask, key: "\(number)", forgotten: time), keeping: 10)
        try transaction.removeDeviceGrant(pending.id)
      }
    }
    #expect(try await store.grantCount() == 0)
  }

  @Test("a write that fails leaves no grant and no attempt", arguments: BackendKind.allCases)
  func rollback(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let time = store.clock.now
    let (kept, lost) = (grant(1, at: time), grant(2, at: time))
    try await write(store) { try $0.insert(kept) }
    let user = store.user
    let error = try await storeError {
      try await write(store) { transaction in
        try transaction.insert(lost)
        _ = try transaction.changeDeviceGrant(kept.id, from: .pending, to: .denied, by: user)
        try transaction.raiseInterval(ofDeviceGrant: kept.id, to: .seconds(60))
        try transaction.put(Attempts(kind: .ask, key: "k", forgotten: time), keeping: 10)
        throw StoreError.busy
      }
    }
    #expect(error == .busy)
    let found = try await store.backend.read { state in
      (try state.deviceGrant(deviceCodeHash: [1, 1]), try state.attempts(.ask, by: "k"))
    }
    #expect(found.0 == kept && found.1 == nil)
    #expect(try await store.grantCount() == 1)
  }
}
