import BellhopModel
import BellhopStoreMemory
import BellhopTestSupport
import Testing

@testable import BellhopStore

/// Two services over one storage, connected as two processes are.
///
/// ``StoreUnderTest/service`` is a third process, whose messages are lost.
private struct ConnectedServices: Sendable {
  let store: StoreUnderTest
  let channel: MemoryPeerChannel
  let first: StoreService
  let second: StoreService

  var user: UserID { store.user }

  init(_ kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let channel = MemoryPeerChannel()
    func open(_ channel: MemoryPeerChannel) async throws -> StoreService {
      try await StoreService.open(
        .joining, on: store.backend, environment: store.environment, limits: store.limits,
        peers: channel)
    }
    self.store = store
    self.channel = channel
    first = try await open(channel)
    second = try await open(channel.another())
  }

  /// Publishes an item in a process; in the first one if it is nil.
  @discardableResult
  func publish(_ title: String, in service: StoreService? = nil) async throws -> UserNotification {
    try await (service ?? first).publish(
      PublishRequest(Content(app: "x", visual: VisualContent(title: title))), for: user
    ).item
  }

  /// Opens a stream in the second process.
  func subscribe(
    _ receiver: SignalRecorder, to user: UserID? = nil, excluding device: DeviceID? = nil,
    with token: AccessTokenID? = nil, enclosesChanges: Bool = false
  ) async throws -> SignalSubscription {
    try await second.subscribe(
      receiver, to: user ?? self.user, excluding: device, with: token,
      enclosesChanges: enclosesChanges)
  }

  /// Runs `body` while the second process repairs what it missed, with a clock that the test moves.
  ///
  /// The repair at the start is over when `body` begins.
  func repairing(_ body: (ManualClock) async throws -> Void) async throws {
    let clock = ManualClock()
    let repair = Task { [second] in
      await second.followPeers { try await clock.sleep(for: $0) }
    }
    defer { repair.cancel() }
    // After losses, and between regular checks of sequences and of tokens.
    try await eventually("three pauses") { clock.sleeperCount == 3 }
    try await body(clock)
  }
}

@Suite("Several processes over one storage", .timeLimit(.minutes(10)))
struct PeerTests {
  private let laptop = DeviceID("laptop")

  @Test(
    "a change in one process signals the streams of both, once each",
    arguments: BackendKind.allCases)
  func signals(kind: BackendKind) async throws {
    let services = try await ConnectedServices(kind)
    let (here, there) = (SignalRecorder(), SignalRecorder())
    let streams = (
      try await services.first.subscribe(here, to: services.user),
      try await services.subscribe(there)
    )
    let item = try await services.publish("a")
    #expect(here.sequences == [0, 1] && there.sequences == [0, 1])
    #expect(there.signals.last?.epoch == services.first.epoch)
    try await services.second.delete(item.id, for: services.user)
    #expect(here.sequences == [0, 1, 2] && there.sequences == [0, 1, 2])
    // The comparison finds no missed change.
    #expect(try await services.second.compareSequences() == 0)
    #expect(there.sequences == [0, 1, 2])
    withExtendedLifetime(streams) {}
  }

  @Test(
    "a device gets no signal of its own change in another process, the others do",
    arguments: BackendKind.allCases)
  func ownDevice(kind: BackendKind) async throws {
    let services = try await ConnectedServices(kind)
    let item = try await services.publish("a")
    let (own, other) = (SignalRecorder(), SignalRecorder())
    let streams = (
      try await services.subscribe(own, excluding: laptop),
      try await services.subscribe(other, excluding: DeviceID("phone"))
    )
    _ = try await services.first.apply(
      OperationBatch(
        device: laptop, lineage: Lineage("l"),
        operations: [
          NumberedOperation(number: 1, operation: services.store.operation(.dismiss, item))
        ]), for: services.user)
    #expect(own.sequences == [1] && other.sequences == [1, 2])
    #expect(try await services.second.compareSequences() == 0)
    try await services.publish("b")
    #expect(own.sequences == [1, 3] && other.sequences == [1, 2, 3])
    withExtendedLifetime(streams) {}
  }

  @Test(
    "a signal from another process encloses the changes for those who want them",
    arguments: BackendKind.allCases)
  func enclosed(kind: BackendKind) async throws {
    let services = try await ConnectedServices(kind)
    let receiver = SignalRecorder()
    let stream = try await services.subscribe(receiver, enclosesChanges: true)
    let item = try await services.publish("a")
    try await eventually("a signal", last: "\(receiver.sequences)") {
      receiver.signals.last?.enclosed?.page.changes == [.item(item)]
    }
    withExtendedLifetime(stream) {}
  }

  /// The ways to lose access.
  enum Revocation: CaseIterable {
    case token, device, user, signIn
  }

  @Test(
    "a revocation in one process ends the streams in the other",
    arguments: BackendKind.allCases, Revocation.allCases)
  func revocations(kind: BackendKind, revocation: Revocation) async throws {
    let services = try await ConnectedServices(kind)
    let store = services.store
    let bob = try await services.first.addUser(named: "bob").id
    let (own, other) = (SignalRecorder(), SignalRecorder())
    let streams = (
      try await services.subscribe(own, excluding: laptop, with: store.token.token.id),
      try await services.subscribe(other, to: bob)
    )
    _ = services.second.changedUsers.take()
    switch revocation {
    case .token: try await services.first.revokeToken(store.token.token.id, of: store.user)
    case .device: try await services.first.revokeDevice(laptop, of: store.user)
    case .user: try await services.first.removeUser(named: "ada")
    case .signIn:
      _ = try await services.first.signIn(
        store.device.registration, named: "laptop", for: store.user)
    }
    #expect(own.hasEnded && !other.hasEnded)
    #expect(services.second.subscriberCount == 1)
    if revocation != .signIn {
      #expect(services.second.changedUsers.take().subscriptions == [store.user])
    }
    withExtendedLifetime(streams) {}
  }

  @Test("web hooks of another process learn of changes, and of subscriptions")
  func hooks() async throws {
    let services = try await ConnectedServices(.memory)
    let changed = services.second.changedUsers
    #expect(changed.take().items.isEmpty)
    try await services.publish("a")
    #expect(changed.take().items == [services.user])
    let token = services.store.token.token.id
    let subscription = try await services.first.subscribe(
      HookedStore.request(services.store), with: token, for: services.user)
    #expect(changed.take().subscriptions == [services.user])
    try await services.first.unsubscribe(subscription.id, of: services.user)
    #expect(changed.take().subscriptions == [services.user])
    services.second.receive(.mayHaveLost)
    try await services.repairing { _ in #expect(changed.take().isIncomplete) }
  }

  @Test("a publisher's wait in one process ends with the answer in the other")
  func response() async throws {
    let services = try await ConnectedServices(.memory)
    let (user, second) = (services.user, services.second)
    let token = try await services.first.mintToken(
      named: "ci", scope: .publish(.app("ci")), for: user
    ).token.id
    var content = Content(app: "ci", visual: VisualContent(title: "Deploy?"))
    let yes = ContentExtras.Action(id: "yes", title: "Yes")
    content.extras.actions = [yes]
    content.extras.awaitsResponse = true
    let item = try await services.first.publish(
      PublishRequest(content, publisher: token), for: user
    ).item
    async let answer = second.response(to: item.id, for: token, of: user, waiting: .seconds(60))
    try await eventually("a wait") { second.subscriberCount == 1 }
    let choice = StateChange(userActionState: .activated, choice: ActionChoice(yes, text: nil))
    let operation = Operation(
      id: services.store.newID(), target: .item(item.id), mutation: .set(choice),
      seen: item.state.contentSequence)
    _ = try await services.first.apply(
      OperationBatch(
        device: laptop, lineage: Lineage("l"),
        operations: [NumberedOperation(number: 1, operation: operation)]), for: user)
    guard case .answered(let found) = try await answer else {
      Issue.record("the wait did not end with the answer")
      return
    }
    #expect(found.action == "yes")
  }

  // MARK: - Lost messages

  @Test("a lost change is signalled at once after a notice, and regularly without one")
  func lostChange() async throws {
    let services = try await ConnectedServices(.memory)
    let receiver = SignalRecorder()
    let stream = try await services.subscribe(receiver)
    try await services.publish("a", in: services.store.service)
    #expect(receiver.sequences == [0])
    // A channel begins with a notice.
    try await services.repairing { clock in
      #expect(receiver.sequences == [0, 1])
      services.channel.losesMessages = true
      try await services.publish("b")
      #expect(receiver.sequences == [0, 1])
      clock.advance(by: .seconds(30))
      try await eventually("a comparison", last: "\(receiver.sequences)") {
        receiver.sequences == [0, 1, 2]
      }
    }
    services.channel.losesMessages = false
    try await services.publish("c")
    #expect(receiver.sequences == [0, 1, 2, 3])
    withExtendedLifetime(stream) {}
  }

  /// The ways in which a token ends without a message.
  enum SilentEnd: CaseIterable {
    case revoked, expired, removed
  }

  @Test(
    "a stream ends within seconds of a token's end that no message reports",
    arguments: SilentEnd.allCases)
  func lostRevocation(end: SilentEnd) async throws {
    let services = try await ConnectedServices(.memory)
    let store = services.store
    let token = try await store.service.mintToken(
      named: "short", scope: .device(nil), expires: store.clock.now.advanced(by: .seconds(60)),
      for: store.user
    ).token.id
    let (ending, other, anonymous) = (SignalRecorder(), SignalRecorder(), SignalRecorder())
    let streams = (
      try await services.subscribe(ending, with: token),
      try await services.subscribe(other, with: store.token.token.id),
      try await services.subscribe(anonymous, with: Principal.anonymousTokenID)
    )
    try await services.repairing { clock in
      #expect(!ending.hasEnded)
      switch end {
      case .revoked: try await store.service.revokeToken(token, of: store.user)
      case .expired: store.clock.advance(by: .seconds(60))
      case .removed: try await store.service.removeUser(named: "ada")
      }
      clock.advance(by: .seconds(5))
      try await eventually("the end of the stream") { ending.hasEnded }
      #expect(other.hasEnded == (end == .removed))
      #expect(!anonymous.hasEnded)
    }
    try await services.second.compareSequences()
    #expect(anonymous.hasEnded == (end == .removed))
    withExtendedLifetime(streams) {}
  }

  @Test("streams end whose user's data went back, and all when another life of it begins")
  func wentBack() async throws {
    let services = try await ConnectedServices(.memory)
    let backend = try #require(services.store.backend as? MemoryBackend)
    let bob = try await services.first.addUser(named: "bob").id
    let (own, other) = (SignalRecorder(), SignalRecorder())
    let before = backend.snapshot()
    try await services.publish("lost")
    let streams = (
      try await services.subscribe(own), try await services.subscribe(other, to: bob)
    )
    #expect(own.sequences == [1])
    backend.restore(before)
    try await services.second.compareSequences()
    #expect(own.hasEnded && !other.hasEnded)
    _ = try await services.store.restarted()
    _ = services.second.changedUsers.take()
    try await services.second.compareSequences()
    #expect(other.hasEnded)
    #expect(services.second.changedUsers.take().isIncomplete)
    withExtendedLifetime(streams) {}
  }

  @Test("a message of another life of the data is compared with the storage, and not believed")
  func otherLife() async throws {
    let services = try await ConnectedServices(.memory)
    let receiver = SignalRecorder()
    let stream = try await services.subscribe(receiver)
    try await services.publish("a", in: services.store.service)
    services.second.receive(
      .message(
        .items(
          ItemsChange(
            user: services.user, sequence: SequenceNumber(1000),
            life: DataLife(
              epoch: services.second.epoch, start: UniqueID<StoreStart>(high: 0, low: 0))))))
    #expect(receiver.sequences == [0])
    try await services.repairing { _ in #expect(receiver.sequences == [0, 1]) }
    withExtendedLifetime(stream) {}
  }

  @Test("messages of a life that a process has begun itself are believed at once")
  func ownLife() async throws {
    let backend = MemoryBackend(lifeKey: LifeKey("1"))
    let store = try await StoreUnderTest(.memory)
    let service = try await StoreService.open(
      .starting, on: backend, environment: store.environment, peers: MemoryPeerChannel())
    let user = try await service.addUser(named: "ada").id
    backend.restore(backend.snapshot(), lifeKey: LifeKey("2"))
    let content = Content(app: "x", visual: VisualContent(title: "a"))
    _ = try await service.publish(PublishRequest(content), for: user)
    let receiver = SignalRecorder()
    let stream = try await service.subscribe(receiver, to: user)
    let life = DataLife(epoch: service.epoch, start: service.start)
    service.receive(
      .message(.items(ItemsChange(user: user, sequence: SequenceNumber(9), life: life))))
    #expect(receiver.sequences == [1, 9])
    withExtendedLifetime(stream) {}
  }

  @Test("changes without any message let the channel connect again")
  func reconnect() async throws {
    let services = try await ConnectedServices(.memory)
    let receiver = SignalRecorder()
    let stream = try await services.subscribe(receiver)
    try await services.repairing { clock in
      _ = services.second.changedUsers.take()
      try await services.publish("a", in: services.store.service)
      clock.advance(by: .seconds(30))
      // The notice of the new connection lets hooks be checked.
      try await eventually("a notice") { services.second.changedUsers.take().isIncomplete }
      #expect(receiver.sequences == [0, 1])
    }
    withExtendedLifetime(stream) {}
  }

  @Test("a service without peers repairs nothing")
  func alone() async throws {
    let store = try await StoreUnderTest(.memory)
    #expect(!store.service.hasPeers)
    await store.service.followPeers { _ in Issue.record("it waits") }
    try await store.publish("a")
    #expect(!store.service.changedUsers.take().isIncomplete)
  }

  @Test(
    "the storage finds the sequences of users, and the tokens that hold",
    arguments: BackendKind.allCases)
  func reading(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let (user, clock) = (store.user, store.clock)
    let bob = try await store.service.addUser(named: "bob").id
    try await store.publish("a")
    let none = UserID(rawValue: 99)
    let sequences = try await store.service.inspect { try $0.sequences(of: [none, bob, user]) }
    #expect(sequences == [user: SequenceNumber(1), bob: .zero])
    #expect(try await store.service.inspect { try $0.sequences(of: []) }.isEmpty)

    func mint(_ life: Duration? = nil) async throws -> UserToken {
      let token = try await store.service.mintToken(
        named: "t", scope: .publish(.any), expires: life.map { clock.now.advanced(by: $0) },
        for: user)
      return UserToken(user: user, id: token.token.id)
    }
    let (holding, later) = (try await mint(), try await mint(.seconds(61)))
    let (expired, revoked) = (try await mint(.seconds(60)), try await mint())
    try await store.service.revokeToken(revoked.id, of: user)
    let others = [
      UserToken(user: bob, id: holding.id), UserToken(user: user, id: store.newID()),
    ]
    let all = [holding, later, expired, revoked] + others
    let now = clock.now.advanced(by: .seconds(60))
    let found = try await store.service.inspect { try $0.tokens(among: all, holdingAt: now) }
    #expect(found == [holding, later])
    #expect(try await store.service.inspect { try $0.tokens(among: [], holdingAt: now) }.isEmpty)
  }
}
