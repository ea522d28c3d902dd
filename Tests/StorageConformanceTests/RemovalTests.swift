import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import Testing

@Suite("Removing a user")
struct RemovalTests {
  @Test(
    "all data of the user goes, in small transactions, and nothing of other users",
    arguments: BackendKind.allCases)
  func removal(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.removalRowsMax = 7
    let store = try await StoreUnderTest(kind, limits: limits)
    let other = try await store.service.addUser(named: "grace")
    let otherToken = try await store.service.mintToken(
      named: "grace's", scope: .device(nil), for: other.id)
    let kept = try await store.service.publish(
      PublishRequest(Content(app: "a", visual: VisualContent(title: "grace's"))), for: other.id)
    var first: UserNotification?
    for number in 0..<30 { first = try await store.publish("\(number)", appID: "\(number)").item }
    if let first { _ = try await store.send([store.operation(.dismiss, first)]) }
    let commits = (store.backend as? SQLiteBackend)?.commitCount ?? 0

    let count = try await store.service.removeUser(named: "ada")
    #expect(count >= 33)
    if let backend = store.backend as? SQLiteBackend {
      #expect(backend.commitCount - commits >= count / 7)
      for table in ["item", "access_token", "device", "outbox", "operation", "start_sequence"] {
        #expect(
          try await backend.inspect("SELECT count(*) FROM \(table) WHERE user = 1") == [["0"]],
          "\(table)")
      }
    }
    #expect(try await store.service.users() == [other])
    #expect(
      try await storeError { _ = try await store.service.authenticate(store.token.secret) }
        == .unauthenticated(reason: "the access token is unknown"))
    #expect(try await store.service.authenticate(otherToken.secret).user == other)
    #expect(try await store.service.item(kept.item.id, of: other.id) == kept.item)
    #expect(
      try await storeError { try await store.service.removeUser(named: "ada") }
        == .notFound(what: "user"))
    let again = try await store.service.addUser(named: "ada")
    #expect(again.id != store.user, "an id is never used again")
    #expect(try await store.service.list(rows: 10, for: again.id).items.isEmpty)
  }

  @Test("the user's streams of signals end at once", arguments: BackendKind.allCases)
  func streams(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    var signals = try await store.service.signals(for: store.user).makeAsyncIterator()
    #expect(await signals.next() != nil)
    try await store.service.removeUser(named: "ada")
    #expect(await signals.next() == nil)
    #expect(store.service.subscriberCount == 0)
  }
}

@Suite("Streams of signals are limited, and end with their token")
struct StreamLimitTests {
  @Test("streams per token and per user are limited", arguments: BackendKind.allCases)
  func limits(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.streamsPerTokenMax = 2
    limits.streamsPerUserMax = 3
    let store = try await StoreUnderTest(kind, limits: limits)
    let second = try await store.service.mintToken(
      named: "b", scope: .device(nil), for: store.user)
    func open(_ token: MintedToken) async throws -> AsyncStream<Signal> {
      try await store.service.signals(for: store.user, with: token.token.id)
    }
    var streams = [try await open(store.token), try await open(store.token)]
    #expect(try await storeError { _ = try await open(store.token) } == .tooManyStreams)
    streams.append(try await open(second))
    #expect(try await storeError { _ = try await open(second) } == .tooManyStreams)
    #expect(store.service.subscriberCount == 3)
    try await store.service.revokeToken(store.token.token.id, of: store.user)
    var ended = streams[0].makeAsyncIterator()
    while await ended.next() != nil {}
    #expect(store.service.subscriberCount == 1, "only the revoked token's streams end")
    streams.append(try await open(second))
  }

  @Test("a revoked device's streams end, whichever of its tokens opened them")
  func device() async throws {
    let store = try await StoreUnderTest(.memory)
    let other = try await store.service.mintToken(
      named: "b", scope: .device(store.device.id), for: store.user)
    let streams = [
      try await store.service.signals(
        for: store.user, excluding: store.device.id, with: store.token.token.id),
      try await store.service.signals(for: store.user, with: other.token.id),
    ]
    try await store.service.revokeDevice(store.device.id, of: store.user)
    for stream in streams {
      var signals = stream.makeAsyncIterator()
      while await signals.next() != nil {}
    }
    #expect(store.service.subscriberCount == 0)
  }
}
