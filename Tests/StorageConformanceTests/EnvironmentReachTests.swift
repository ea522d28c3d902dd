import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import Testing

@Suite("Items for development")
struct EnvironmentReachTests {
  private func publish(
    _ title: String, _ store: StoreUnderTest, app: String = "backups", appID: String? = nil,
    for environment: RegistrationEnvironment? = .development
  ) async throws -> UserNotification {
    try await store.publish(title, app: app, appID: appID) { $0.extras.environment = environment }
      .item
  }

  /// A device that is registered for development.
  private func developer(_ store: StoreUnderTest) async throws -> DeviceID {
    let id = DeviceID("desk")
    let token = try await store.service.mintToken(
      named: "desk", scope: .device(id), for: store.user)
    let registration = DeviceRegistration(
      id: id, name: "Desk", platform: "linux", channel: .signal, environment: .development)
    return try await store.service.register(
      registration, with: token.token.id, for: store.user
    ).id
  }

  private func pull(
    _ store: StoreUnderTest, from start: DeltaStart, as reader: RegistrationEnvironment
  ) async throws -> (changes: [Change], token: DeltaToken) {
    let page = try await store.service.delta(
      from: start, rows: 100, for: store.user, reader: reader)
    guard case .complete(let token) = page.end else {
      throw StoreError.notFound(what: "end of the delta")
    }
    return (page.changes, token)
  }

  // MARK: - Synchronisation

  @Test(
    "a first synchronisation and a delta leave it out for a device in production",
    arguments: BackendKind.allCases)
  func delta(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let user = try await pull(store, from: .beginning, as: .production).token
    let developer = try await pull(store, from: .beginning, as: .development).token
    let plain = try await publish("plain", store, for: nil)
    let test = try await publish("test", store)
    let seen = try await pull(store, from: .since(user), as: .production)
    #expect(seen.changes == [.item(plain)])
    #expect(try await pull(store, from: .since(seen.token), as: .production).changes.isEmpty)
    let tested = try await pull(store, from: .since(developer), as: .development)
    #expect(tested.changes == [.item(plain), .item(test)])
    let first = try await pull(store, from: .beginning, as: .production).changes
    #expect(first.compactMap(\.id) == [plain.id])
    let whole = try await pull(store, from: .beginning, as: .development).changes
    #expect(whole.compactMap(\.id) == [test.id, plain.id])
    // The id of a deleted item says nothing about it.
    try await store.service.delete(test.id, for: store.user, reader: .development)
    let removed = try await pull(store, from: .since(seen.token), as: .production).changes
    #expect(removed.compactMap(\.id) == [test.id])
  }

  @Test(
    "pages of a delta that has only such items go on to its end",
    arguments: BackendKind.allCases)
  func pages(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let token = try await store.pull(from: .beginning).token
    for number in 0..<5 { _ = try await publish("\(number)", store) }
    let plain = try await publish("plain", store, for: nil)
    #expect(try await store.pull(from: .since(token), rows: 2).changes == [.item(plain)])
    #expect(try await store.pull(from: .beginning, rows: 2).changes.compactMap(\.id) == [plain.id])
  }

  @Test(
    "a device that was registered in another environment starts again",
    arguments: BackendKind.allCases)
  func otherEnvironment(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    for (before, after) in [
      (RegistrationEnvironment.production, RegistrationEnvironment.development),
      (.development, .production),
    ] {
      let token = try await pull(store, from: .beginning, as: before).token
      #expect(try await pull(store, from: .since(token), as: before).changes.isEmpty)
      let refusal = try await storeError {
        _ = try await pull(store, from: .since(token), as: after)
      }
      guard case .resyncRequired? = refusal else {
        Issue.record("\(before) to \(after): \(String(describing: refusal))")
        continue
      }
    }
  }

  @Test(
    "a signal encloses no changes that have such an item, and those of others as ever",
    arguments: BackendKind.allCases)
  func signals(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    var signals = try await store.service.signals(for: store.user, enclosesChanges: true)
      .makeAsyncIterator()
    _ = await signals.next()
    let test = try await publish("test", store)
    let first = try #require(await signals.next())
    #expect(first.sequence == test.state.sequence)
    #expect(first.enclosed == nil)
    let plain = try await publish("plain", store, for: nil)
    let second = try #require(await signals.next()?.enclosed)
    #expect(second.page.changes == [.item(plain)])
  }

  // MARK: - Lists and single items

  @Test(
    "lists, searches, counts and single items show it to a reader in development only",
    arguments: BackendKind.allCases)
  func lists(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    _ = try await publish("plain", store, for: nil)
    let test = try await publish("test", store)
    for (reader, titles) in [
      (RegistrationEnvironment.production, ["plain"]), (.development, ["test", "plain"]),
    ] {
      let app = ItemFilter.test(.compare(.targetHostName, .equal, .text("backups")))
      for filter in [nil, app] {
        let request = ListRequest(filter: filter, rows: 10, isCounted: true, reader: reader)
        let page = try await store.service.list(request, for: store.user)
        #expect(page.items.map { $0.content.visual?.title ?? "" } == titles)
        #expect(page.count == titles.count)
      }
      let search = ListRequest(search: "test", rows: 10, isCounted: true, reader: reader)
      let found = try await store.service.list(search, for: store.user)
      #expect(found.items.map(\.id) == (reader == .development ? [test.id] : []))
      #expect(found.count == found.items.count)
    }
    #expect(
      try await store.service.item(test.id, of: store.user, reader: .development) == test)
    #expect(
      try await storeError { _ = try await store.service.item(test.id, of: store.user) }
        == .notFound(what: "item"))
    #expect(
      try await storeError {
        _ = try await store.service.item(number: test.shortNumber, of: store.user)
      } == .notFound(what: "item"))
  }

  @Test("its publisher sees its pending requests", arguments: BackendKind.allCases)
  func pending(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let later = store.clock.now.advanced(by: .seconds(3600))
    let delayed = try await store.publish("delayed") {
      $0.extras.environment = .development
      $0.deliverAt = later
    }.item
    let hourly = try Trigger(.interval(seconds: 7200), repeats: true)
    let repeated = try await store.publish("repeated") {
      $0.extras.environment = .development
      $0.trigger = hourly
    }.item
    let own = try await store.service.pendingRequests(
      of: nil, rows: 10, for: store.user, reader: .development)
    #expect(own.requests.map(\.item.id) == [delayed.id, repeated.id])
    let user = try await store.service.pendingRequests(of: nil, rows: 10, for: store.user)
    #expect(user.requests.isEmpty)
    #expect(try await store.service.triggeredItems(of: store.user).isEmpty)
  }

  @Test("a hook of a device in production is not called for it", arguments: BackendKind.allCases)
  func hooks(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind)
    let store = hooked.store
    let hourly = try Trigger(.interval(seconds: 3600), repeats: true)
    _ = try await publish("test", store)
    try await store.publish("hourly") {
      $0.extras.environment = .development
      $0.trigger = hourly
    }
    #expect(try await hooked.tellAll().isEmpty)
    _ = try await publish("plain", store, for: nil)
    #expect(try await hooked.tellAll() == [["created 3"]])
    store.clock.advance(by: .seconds(3600))
    #expect(try await hooked.tellAll().isEmpty)
    // From now on, the device of the hook's token receives it.
    var registration = store.device.registration
    registration.environment = .development
    _ = try await store.service.register(
      registration, with: store.token.token.id, for: store.user)
    let test = try await publish("test", store)
    store.clock.advance(by: .seconds(1))
    let message = try await hooked.message()
    guard case .changes(let changes) = message.content else {
      Issue.record("\(message.content)")
      return
    }
    #expect(changes.map(\.id).contains(test.id))
  }

  // MARK: - Changes

  @Test(
    "for a device in production it is gone, and its bulk operations leave it out",
    arguments: BackendKind.allCases)
  func operations(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let developer = try await developer(store)
    let plain = try await publish("plain", store, for: nil)
    let test = try await publish("test", store)
    func current(_ item: UserNotification) async throws -> UserActionState {
      try await store.service.item(item.id, of: store.user, reader: .development).state
        .userActionState.value
    }
    func dismissAll() async throws -> BellhopModel.Operation {
      Operation(
        id: store.newID(),
        target: .matching(
          Predicate(), through: try await store.service.position(of: store.user).sequence),
        mutation: ItemCommand.dismiss.mutation)
    }
    #expect(try await store.send([store.operation(.dismiss, test)]).results == [.gone])
    #expect(try await store.send([dismissAll()], from: 2).results == [.applied])
    #expect(try await current(plain) == .dismissed)
    #expect(try await current(test) == .noInteraction)
    let all = try await dismissAll()
    #expect(try await store.send([all], device: developer).results == [.applied])
    #expect(try await current(test) == .dismissed)
    let undo = Operation(
      id: store.newID(), target: .setBy(all.id), mutation: .restorePrevious)
    _ = try await store.send([undo], from: 3)
    #expect(try await current(test) == .dismissed)
    #expect(
      try await storeError {
        _ = try await store.change(test, StateChange(readState: .read))
      } == .notFound(what: "item"))
    #expect(try await !store.service.delete(test.id, for: store.user))
    #expect(try await store.service.delete(test.id, for: store.user, reader: .development))
  }

  @Test(
    "a live item keeps its environment, and its publisher replaces and withdraws it",
    arguments: BackendKind.allCases)
  func replacement(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let test = try await publish("test", store, appID: "a")
    _ = try await publish("plain", store, appID: "b", for: nil)
    for (appID, environment) in [
      ("a", nil), ("b", RegistrationEnvironment.development),
    ] as [(String, RegistrationEnvironment?)] {
      let before = try await store.service.position(of: store.user)
      let refusal = try await storeError {
        _ = try await publish("other", store, appID: appID, for: environment)
      }
      guard case .invalid("environment", let expectation)? = refusal else {
        Issue.record("\(appID): \(String(describing: refusal))")
        continue
      }
      #expect(expectation.contains("a live item keeps its environment"))
      #expect(try await store.service.position(of: store.user) == before)
    }
    let revision = try await storeError {
      _ = try await store.service.revise(
        app: "backups", appNotificationID: "a", isQuiet: false, for: store.user
      ) { content throws(StoreError) in
        var content = content
        content.extras.environment = nil
        return content
      }
    }
    guard case .invalid("environment", _)? = revision else {
      Issue.record("\(String(describing: revision))")
      return
    }
    let again = try await publish("again", store, appID: "a")
    #expect(again.id == test.id)
    #expect(
      try await store.service.withdraw(
        app: "backups", appNotificationID: "a", for: store.user))
    #expect(try await publish("new", store, appID: "a", for: nil).id != test.id)
  }

  // MARK: - Devices

  @Test("a device keeps its environment until it registers again", arguments: BackendKind.allCases)
  func devices(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    #expect(store.device.registration.environment == .production)
    let id = try await developer(store)
    let stored = try await store.service.device(id, of: store.user)
    #expect(stored.registration.environment == .development)
    let token = try await store.service.mintToken(
      named: "desk", scope: .device(id), for: store.user)
    #expect(try await store.service.authenticate(token.secret).environment == .development)
    var registration = stored.registration
    registration.environment = .production
    _ = try await store.service.register(registration, with: token.token.id, for: store.user)
    #expect(try await store.service.authenticate(token.secret).environment == .production)
  }

  @Test("a device and an item of an earlier version are in production")
  func earlierVersion() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let backend = try #require(store.backend as? SQLiteBackend)
    _ = try await publish("plain", store, for: nil)
    #expect(try await backend.inspect("SELECT environment FROM device") == [["NULL"]])
    #expect(try await backend.inspect("SELECT environment FROM item") == [["NULL"]])
    let known = try await store.service.device(store.device.id, of: store.user)
    #expect(known.registration.environment == .production)
  }
}
