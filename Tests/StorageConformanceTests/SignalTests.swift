import BellhopModel
import BellhopStore
import Testing

@Suite("Signals")
struct SignalTests {
  @Test(
    "subscribing gives the present sequence at once, and then each change",
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
    "signals that nobody reads are one signal, of the last change",
    arguments: BackendKind.allCases)
  func coalesced(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    var signals = try await store.service.signals(for: store.user).makeAsyncIterator()
    for number in 0..<10 { try await store.publish("\(number)") }
    #expect(await signals.next()?.sequence == SequenceNumber(10))
  }

  @Test(
    "a device is not signalled its own changes, the others are",
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
    "a stream whose reader went away is forgotten, and closing the store ends all",
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
