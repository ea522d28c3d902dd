import BellhopModel
import Testing

@testable import BellhopStore

@Suite("The signal hub, between a change and the changes enclosed in its signal")
struct SignalHubTests {
  private let hub = SignalHub()
  private let user = UserID(rawValue: 1)
  private let device = DeviceID("laptop")
  private let receiver = SignalRecorder()

  private func signal(_ sequence: Int64) -> Signal {
    Signal(epoch: Epoch("e"), sequence: SequenceNumber(sequence))
  }

  /// Subscribes a reader that knows everything up to the first sequence.
  private func subscribe() throws -> SignalSubscription {
    let subscription = try hub.subscribe(
      receiver, to: user, excluding: device, with: nil, enclosesChanges: true,
      limits: StoreLimits())
    hub.send(signal(1), to: subscription)
    return subscription
  }

  /// Changes read up to `sequence`.
  private func enclosed(upTo sequence: Int64) -> EnclosedChanges {
    EnclosedChanges(
      since: DeltaToken("since"),
      page: DeltaPage(
        changes: [], end: .complete(DeltaToken("to")), started: nil,
        sequence: SequenceNumber(sequence), epoch: Epoch("e")))
  }

  @Test("a change made while earlier ones are read is signalled, though not enclosed")
  func newerThanEnclosed() throws {
    let subscription = try subscribe()
    #expect(hub.raise(signal(2), for: user))
    let start = try #require(hub.nextEnclosure(for: user))
    #expect(!hub.raise(signal(3), for: user), "the changes are being read already")
    hub.sendWaiting(for: user, enclosing: enclosed(upTo: 2), to: start)
    let last = try #require(receiver.signals.last)
    #expect(last.sequence == SequenceNumber(3) && last.enclosed == nil)
    withExtendedLifetime(subscription) {}
  }

  @Test("a change by the device itself does not hide a pending one by another device")
  func ownAfterOther() throws {
    let subscription = try subscribe()
    #expect(hub.raise(signal(2), for: user))
    #expect(!hub.raise(signal(3), for: user, by: device))
    let start = try #require(hub.nextEnclosure(for: user))
    #expect(start == SequenceNumber(1))
    hub.sendWaiting(for: user, enclosing: enclosed(upTo: 3), to: start)
    let last = try #require(receiver.signals.last)
    #expect(last.sequence == SequenceNumber(3) && last.enclosed != nil)
    withExtendedLifetime(subscription) {}
  }

  @Test("a signal of another process that comes late takes no place of a higher one")
  func late() throws {
    let subscription = try subscribe()
    #expect(hub.raise(signal(4), for: user))
    #expect(!hub.raise(signal(3), for: user))
    let start = try #require(hub.nextEnclosure(for: user))
    hub.sendWaiting(for: user, enclosing: nil, to: start)
    #expect(receiver.sequences == [1, 4])
    _ = hub.raise(signal(2), for: user)
    #expect(hub.nextEnclosure(for: user) == nil, "it was signalled already")
    withExtendedLifetime(subscription) {}
  }

  @Test("a user's subscribers know what they were signalled, and what they did themselves")
  func knownSequences() throws {
    let other = SignalRecorder()
    let first = try hub.subscribe(
      other, to: user, excluding: DeviceID("phone"), with: nil, limits: StoreLimits())
    #expect(hub.knownSequences.isEmpty, "it waits for its first signal")
    hub.send(signal(1), to: first)
    let second = try subscribe()
    #expect(hub.knownSequences == [user: SequenceNumber(1)...SequenceNumber(1)])
    // Known as soon as it is raised, although its changes are read first.
    #expect(hub.raise(signal(2), for: user, by: DeviceID("phone")))
    #expect(hub.knownSequences == [user: SequenceNumber(2)...SequenceNumber(2)])
    _ = hub.raise(signal(3), for: user, by: device)
    #expect(hub.knownSequences == [user: SequenceNumber(3)...SequenceNumber(3)])
    #expect(other.sequences == [1, 3])
    withExtendedLifetime((first, second)) {}
  }

  @Test("a sign-in ends the device's streams, except those of its new token")
  func signInAgain() throws {
    let tokens = (1...3).map { AccessTokenID(high: 0, low: $0) }
    let receivers = tokens.map { _ in SignalRecorder() }
    let subscriptions = try zip(tokens, receivers).map { token, receiver in
      try hub.subscribe(
        receiver, to: user, excluding: token == tokens[2] ? DeviceID("phone") : device,
        with: token, limits: StoreLimits())
    }
    #expect(Set(hub.openTokens) == Set(tokens.map { UserToken(user: user, id: $0) }))
    hub.disconnect(.device(device, of: user, keeping: tokens[1]))
    #expect(receivers.map(\.hasEnded) == [true, false, false])
    hub.disconnect(.device(device, of: user))
    #expect(receivers.map(\.hasEnded) == [true, true, false])
    withExtendedLifetime(subscriptions) {}
  }
}
