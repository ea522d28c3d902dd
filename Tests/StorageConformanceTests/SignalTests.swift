import BellhopModel
import BellhopStore
import Testing

@Suite("Signals")
struct SignalTests {
  @Test(
    "subscribing gives the current sequence at once, and then each change",
    arguments: BackendKind.allCases)
  func subscribe(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("a")
    var signals = try await store.service.signals(for: store.user).makeAsyncIterator()
    let first = await signals.next()
    #expect(first == Signal(epoch: store.service.epoch, sequence: SequenceNumber(1)))
    let item = try await store.publish("b").item
    #expect(await signals.next()?.sequence == item.state.sequence)
    try await store.service.delete(item.id, for: store.user)
    #expect(await signals.next()?.sequence == SequenceNumber(3))
  }

  @Test(
    "unread signals become one signal, of the last change",
    arguments: BackendKind.allCases)
  func coalesced(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    var signals = try await store.service.signals(for: store.user).makeAsyncIterator()
    for number in 0..<10 { try await store.publish("\(number)") }
    #expect(await signals.next()?.sequence == SequenceNumber(10))
  }

  @Test(
    "a device gets no signal for its own changes, the others do",
    arguments: BackendKind.allCases)
  func otherDevices(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    var own = try await store.service.signals(for: store.user, excluding: DeviceID("laptop"))
      .makeAsyncIterator()
    var other = try await store.service.signals(for: store.user, excluding: DeviceID("phone"))
      .makeAsyncIterator()
    _ = await (own.next(), other.next())
    let answer = try await store.send([store.operation(.dismiss, item)])
    #expect(await other.next()?.sequence == answer.sequence)
    let published = try await store.publish("b").item
    #expect(await own.next()?.sequence == published.state.sequence)
  }

  @Test(
    "a signal encloses the changes since the one before, for clients that request it",
    arguments: BackendKind.allCases)
  func enclosed(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("before")
    var plain = try await store.service.signals(for: store.user).makeAsyncIterator()
    var rich = try await store.service.signals(for: store.user, enclosesChanges: true)
      .makeAsyncIterator()
    let first = await (plain.next(), rich.next())
    #expect(first.1 == Signal(epoch: store.service.epoch, sequence: SequenceNumber(1)))
    let start = try await store.service.delta(from: .beginning, rows: 10, for: store.user)
    let item = try await store.publish("a").item
    #expect(await plain.next()?.enclosed == nil)
    let published = try #require(await rich.next())
    let brought = try #require(published.enclosed)
    #expect(published.sequence == item.state.sequence)
    #expect(.complete(brought.since) == start.end, "as a device asks that knows what was before")
    #expect(
      try await store.service.delta(from: .since(brought.since), rows: 10, for: store.user)
        == brought.page)
    #expect(brought.page.changes == [.item(item)])
    _ = try await store.service.change(
      item.id, StateChange(readState: .read), by: Author(kind: .publisher, id: "p", name: "p"),
      for: store.user)
    let read = try #require(await rich.next()?.enclosed)
    #expect(.complete(read.since) == brought.page.end, "one goes on where the one before ended")
    guard case .state(item.id, _)? = read.page.changes.first else {
      Issue.record("its content is known: \(read.page.changes)")
      return
    }
  }

  @Test(
    "after its own change a device gets only later ones, and large changes are not enclosed",
    arguments: BackendKind.allCases)
  func enclosedToWhoKnows(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.enclosedRowsMax = 2
    let store = try await StoreUnderTest(kind, limits: limits)
    let item = try await store.publish("a").item
    var signals = try await store.service.signals(
      for: store.user, excluding: DeviceID("laptop"), enclosesChanges: true
    ).makeAsyncIterator()
    _ = await signals.next()
    let answer = try await store.send([store.operation(.dismiss, item)])
    let known = try await store.service.delta(from: .beginning, rows: 10, for: store.user)
    let next = try await store.publish("b").item
    let brought = try #require(await signals.next()?.enclosed)
    #expect(.complete(brought.since) == known.end)
    #expect(brought.page.changes == [.item(next)], "not what it did up to \(answer.sequence)")
    let many = (0..<3).map { PublishRequest(Content(app: "x", visual: .init(title: "\($0)"))) }
    _ = try await store.service.publish(many, for: store.user)
    let signal = try #require(await signals.next())
    #expect(signal.enclosed == nil)
    #expect(signal.sequence == SequenceNumber(next.state.sequence.rawValue + 3))
  }

  @Test(
    "another user's changes, refused requests and repeats raise no signal",
    arguments: BackendKind.allCases)
  func silent(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let bob = try await store.service.addUser(named: "bob").id
    let item = try await store.publish("a").item
    let operation = store.operation(.read, item)
    let sent = try await store.send([operation])
    var signals = try await store.service.signals(for: store.user).makeAsyncIterator()
    #expect(await signals.next()?.sequence == sent.sequence)
    _ = try await store.service.publish(
      PublishRequest(Content(app: "x", visual: VisualContent(title: "b"))), for: bob)
    _ = try await storeError { try await store.publish("") }
    _ = try await store.send([operation])
    let last = try await store.publish("c").item
    #expect(await signals.next()?.sequence == last.state.sequence)
  }

  @Test(
    "a stream without its reader is removed, and closing the store ends all",
    arguments: BackendKind.allCases)
  func forgotten(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    do {
      let stream = try await store.service.signals(for: store.user)
      #expect(store.service.subscriberCount == 1)
      _ = stream
    }
    #expect(store.service.subscriberCount == 0)
    let stream = try await store.service.signals(for: store.user)
    await store.service.close()
    for await _ in stream {}
    #expect(store.service.subscriberCount == 0)
  }
}
