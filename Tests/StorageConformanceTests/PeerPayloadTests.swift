import BellhopModel
import BellhopTestSupport
import Testing

@testable import BellhopStore

@Suite("Messages between processes")
struct PeerPayloadTests {
  private static let life = DataLife(
    epoch: Epoch("epoch"), start: UniqueID<StoreStart>(high: 1, low: 2))

  private func change(
    _ user: Int64, _ sequence: Int64, by device: String? = nil,
    in life: DataLife = PeerPayloadTests.life
  ) -> PeerMessage {
    .items(
      ItemsChange(
        user: UserID(rawValue: user), sequence: SequenceNumber(sequence),
        device: device.map { DeviceID($0) }, life: life))
  }

  /// Returns a message with values that no message of a store needs to have.
  private func message(_ random: inout SeededRandom) -> PeerMessage {
    let user = UserID(rawValue: .random(in: Int64.min...Int64.max, using: &random))
    let token = AccessTokenID(high: random.next(), low: random.next())
    let text = ["", "laptop", "a b\nc*", "ë\u{0}"].randomElement(using: &random) ?? ""
    let device: DeviceID? = Bool.random(using: &random) ? DeviceID(text) : nil
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      var life = Self.life
      if Bool.random(using: &random) { life.epoch = Epoch(text) }
      let sequence = Int64.random(in: 0...Int64.max, using: &random)
      return change(user.rawValue, sequence, by: text, in: life)
    case 1: return .subscriptions(user)
    case 2: return .ended(.user(user))
    case 3: return .ended(.token(token, of: user, device: device))
    default:
      let kept = Bool.random(using: &random) ? token : nil
      return .ended(.device(DeviceID(text), of: user, keeping: kept))
    }
  }

  @Test("every message is read as it was written, in payloads within the limit", arguments: 1...50)
  func roundTrip(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let count = Int.random(in: 0...1000, using: &random)
    let messages = (0..<count).map { _ in message(&random) }
    let sender = random.next() >> UInt64.random(in: 0..<64, using: &random)
    var read: [PeerMessage] = []
    for text in PeerPayload.encode(.messages(messages), from: sender) {
      #expect(text.utf8.count <= PeerPayload.bytesMax, "seed \(seed)")
      #expect(text.utf8.allSatisfy { $0 < 0x7f && ($0 >= 0x20 || $0 == 0x0a) }, "seed \(seed)")
      let payload = try #require(PeerPayload(text), "seed \(seed)")
      #expect(payload.sender == sender, "seed \(seed)")
      guard case .messages(let more) = payload.batch else {
        Issue.record("seed \(seed): everything")
        return
      }
      read += more
    }
    #expect(read == messages, "seed \(seed)")
  }

  @Test("many users share a payload, and more of them need several")
  func sizes() {
    func payloads(_ count: Int64) -> Int {
      let messages = (1...count).map { change($0, 1_000_000 + $0) }
      return PeerPayload.encode(.messages(messages), from: 1).count
    }
    #expect(payloads(1) == 1)
    #expect(payloads(300) == 1)
    #expect((2...10).contains(payloads(3000)))
    #expect(PeerPayload.encode(.messages([]), from: 1).isEmpty)
  }

  @Test("everything is a payload of its own, also for a name that is too long for one")
  func everything() throws {
    let long = change(1, 2, by: String(repeating: "x", count: 8000))
    for batch in [PeerBatch.everything, .messages([change(3, 4), long])] {
      let payloads = PeerPayload.encode(batch, from: 7)
      #expect(payloads.count == 1)
      let payload = try #require(PeerPayload(payloads[0]))
      #expect(payload.sender == 7 && payload.batch == .everything)
    }
  }

  @Test("a payload that is damaged, or of another version, is refused", arguments: 1...20)
  func garbage(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let messages = (0..<8).map { _ in message(&random) }
    let text = try #require(PeerPayload.encode(.messages(messages), from: 1).first)
    #expect(PeerPayload("2" + text.dropFirst()) == nil)
    for _ in 0..<500 {
      var bytes = Array(text.utf8)
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes[place] = .random(in: 0...255, using: &random)
      case 1: bytes.removeSubrange(place...)
      default: bytes.insert(.random(in: 0...255, using: &random), at: place)
      }
      // It may still be a payload, but reading it ends.
      _ = PeerPayload(String(decoding: bytes, as: UTF8.self))
    }
  }

  @Test(
    "texts that are no payload are refused",
    arguments: [
      "", "1", "*", "10000000000000001 x", "1000000000000000g", "10000000000000001\n",
      "10000000000000001\ni 1 2", "10000000000000001\n*\n*", "10000000000000001\ns",
      "10000000000000001\ns x", "10000000000000001\nu 1 2", "10000000000000001\nx 1",
      "10000000000000001\nt 1 2", "10000000000000001\nd 1 !", "10000000000000001\ne a b",
      "10000000000000001\ne YQ 00000000-0000-0001-0000-000000000002\ni 1 -2",
    ])
  func refused(text: String) {
    #expect(PeerPayload(text) == nil)
  }

  // MARK: - Waiting messages

  @Test("a user's changes become one, by a device only if it made all of them")
  func coalescing() {
    var pending = PendingPeerMessages()
    #expect(pending.isEmpty)
    for message in [
      change(2, 7, by: "laptop"), change(1, 4, by: "phone"), .subscriptions(UserID(rawValue: 1)),
      change(2, 5, by: "laptop"), change(1, 5), .subscriptions(UserID(rawValue: 1)),
      .ended(.user(UserID(rawValue: 3))),
    ] { pending.add(message) }
    #expect(
      pending.take()
        == .messages([
          change(1, 5), change(2, 7, by: "laptop"), .subscriptions(UserID(rawValue: 1)),
          .ended(.user(UserID(rawValue: 3))),
        ]))
    #expect(pending.isEmpty && pending.take() == .messages([]))
  }

  @Test("too many messages, and changes in two lives of the data, become everything")
  func bounds() {
    var pending = PendingPeerMessages()
    for user in 0...Int64(PendingPeerMessages.countMax) { pending.add(change(user, 1)) }
    pending.add(.subscriptions(UserID(rawValue: 1)))
    #expect(pending.take() == .everything)
    #expect(pending.isEmpty)

    let other = DataLife(epoch: Self.life.epoch, start: UniqueID<StoreStart>(high: 3, low: 4))
    pending.add(change(1, 1))
    pending.add(.messages([change(1, 1, in: other)]))
    #expect(pending.take() == .everything)
    pending.add(change(1, 1))
    pending.add(.everything)
    #expect(pending.take() == .everything)
  }
}
