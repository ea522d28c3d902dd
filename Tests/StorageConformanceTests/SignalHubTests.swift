import BellhopModel
import Synchronization
import Testing

@testable import BellhopStore

@Suite("The signal hub, between a change and the changes enclosed in its signal")
struct SignalHubTests {
  private final class Receiver: SignalReceiver {
    private let state = Mutex<[Signal]>([])

    var signals: [Signal] { state.withLock { $0 } }

    func receive(_ signal: Signal) { state.withLock { $0.append(signal) } }
    func signalsEnded() {}
  }

  private let hub = SignalHub()
  private let user = UserID(rawValue: 1)
  private let device = DeviceID("laptop")
  private let receiver = Receiver()

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
}
