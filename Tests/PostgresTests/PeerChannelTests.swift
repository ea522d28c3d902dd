#if BELLHOP_POSTGRES
import BellhopModel
import BellhopStore
import BellhopStorePostgres
import BellhopTestSupport
import Foundation
import PostgresTestSupport
import Synchronization
import Testing

/// The events that a channel has delivered.
private final class EventRecorder: Sendable {
  private let state = Mutex<[PeerEvent]>([])

  var events: [PeerEvent] { state.withLock { $0 } }
  var messages: [PeerMessage] {
    events.compactMap { if case .message(let message) = $0 { message } else { nil } }
  }
  var lossCount: Int { events.count { $0 == .mayHaveLost } }
  /// The sequences of each user in the order in which they came.
  var sequences: [UserID: [Int64]] {
    messages.reduce(into: [:]) { found, message in
      guard case .items(let change) = message else { return }
      found[change.user, default: []].append(change.sequence.rawValue)
    }
  }

  func note(_ event: PeerEvent) { state.withLock { $0.append(event) } }
}

extension ServerTests {
  @Suite("The channel between processes")
  struct PeerChannelTests {
    private static let life = DataLife(
      epoch: Epoch("e"), start: UniqueID<StoreStart>(high: 1, low: 2))

    /// Opens a channel, and waits until it listens.
    private func open(
      _ name: String, settings: PostgresSettings? = nil, isListening: Bool = true
    ) async throws -> (channel: PostgresPeerChannel, recorder: EventRecorder) {
      let channel = try PostgresPeerChannel(
        settings ?? self.settings(name), channel: name, isListening: isListening,
        random: { UInt64.random(in: 0 ... .max) })
      let recorder = EventRecorder()
      channel.begin { recorder.note($0) }
      if isListening {
        try await eventually("a channel that listens") { recorder.lossCount == 1 }
      }
      return (channel, recorder)
    }

    /// The settings for the suite's server, with a name for the sessions.
    private func settings(_ name: String) throws -> PostgresSettings {
      var settings = try PostgresSettings(
        address: cluster().address() + "&application_name=\(name)")
      settings.connectTimeout = patience
      return settings
    }

    private func change(
      _ user: Int64, _ sequence: Int64, by device: DeviceID? = nil
    ) -> PeerMessage {
      .items(
        ItemsChange(
          user: UserID(rawValue: user), sequence: SequenceNumber(sequence), device: device,
          life: Self.life))
    }

    /// The sessions with a name whose last statement contains a text.
    private func sessions(_ name: String, _ text: String) throws -> [Int64] {
      try connect().run(
        """
        SELECT pid FROM pg_stat_activity
        WHERE application_name = $1 AND position($2 IN query) > 0
        """, .text(name), .text(text)
      ).map { try $0.value("pid") }
    }

    private func end(_ sessions: [Int64]) throws {
      let killer = try connect()
      for session in sessions {
        try killer.run("SELECT pg_terminate_backend($1::int4)", .integer(session))
      }
    }

    @Test("messages reach all other processes, and not their own or those of another channel")
    func delivery() async throws {
      let (first, own) = try await open("delivery")
      let (second, other) = try await open("delivery")
      let (third, stranger) = try await open("delivery_2")
      let sent: [PeerMessage] = [
        change(1, 7, by: DeviceID("laptop")), .subscriptions(UserID(rawValue: 1)),
        .ended(.token(AccessTokenID(high: 3, low: 4), of: UserID(rawValue: 1))),
      ]
      for message in sent { first.send(message) }
      try await eventually("the messages", last: "\(other.events)") { other.messages == sent }
      second.send(.ended(.user(UserID(rawValue: 2))))
      try await eventually("an answer", last: "\(own.events)") {
        own.messages == [.ended(.user(UserID(rawValue: 2)))]
      }
      #expect(own.lossCount == 1 && other.lossCount == 1)
      #expect(other.messages == sent && stranger.messages.isEmpty)
      for channel in [first, second, third] { await channel.close() }
    }

    @Test("a channel that does not listen sends, also at its end")
    func sending() async throws {
      let (listener, recorder) = try await open("sending")
      let (sender, own) = try await open("sending", isListening: false)
      sender.send(change(1, 1))
      await sender.close()
      try await eventually("the message") { recorder.messages == [change(1, 1)] }
      #expect(own.events.isEmpty)
      await listener.close()
    }

    @Test("changes of many users come in few payloads, and each user's last sequence arrives")
    func batches() async throws {
      let (sender, _) = try await open("batches")
      let (listener, recorder) = try await open("batches")
      let raw = try connect()
      try raw.listen(to: "batches")
      for sequence in Int64(1)...20 {
        for user in Int64(1)...3000 { sender.send(change(user, sequence)) }
      }
      try await eventually("the last sequences", last: "\(recorder.sequences.count)") {
        recorder.sequences.count == 3000
          && recorder.sequences.values.allSatisfy { $0.last == 20 }
      }
      for sequences in recorder.sequences.values { #expect(sequences == sequences.sorted()) }
      #expect(recorder.messages.count < 20 * 3000)
      // Their last sequences alone fill more payloads than this.
      for _ in 0..<5 {
        let found = try #require(try raw.nextNotification(until: .now + patience))
        #expect(found.payload.utf8.count < 8000)
      }
      await sender.close()
      await listener.close()
    }

    @Test("a listener that is killed connects again, reports the loss, and hears what follows")
    func killedListener() async throws {
      let (sender, _) = try await open("killed_listener", isListening: false)
      let (listener, recorder) = try await open("killed_listener")
      try end(sessions("killed_listener", "LISTEN"))
      try await eventually("another connection") { recorder.lossCount == 2 }
      sender.send(change(1, 1))
      try await eventually("the message") { recorder.messages == [change(1, 1)] }
      listener.reconnect()
      try await eventually("a third connection") { recorder.lossCount == 3 }
      await sender.close()
      await listener.close()
    }

    @Test("a sender that is killed loses no message")
    func killedSender() async throws {
      let (sender, _) = try await open("killed_sender")
      let (listener, recorder) = try await open("killed_sender")
      for sequence in 1...5 {
        sender.send(change(1, Int64(sequence)))
        try await eventually("message \(sequence)") {
          recorder.messages.last == change(1, Int64(sequence))
        }
        try end(sessions("killed_sender", "pg_notify"))
      }
      #expect(recorder.lossCount == 1)
      await sender.close()
      await listener.close()
    }

    @Test("messages wait while no server answers, as many as fit, and are sent once one does")
    func outage() async throws {
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let link = folder.path + "/server"
      let settings = try PostgresSettings(
        address: "postgres://postgres@/postgres?host=\(link)&port=5432")
      let (listener, recorder) = try await open("outage")
      let (few, _) = try await open("outage", settings: settings, isListening: false)
      let (many, _) = try await open("outage", settings: settings, isListening: false)
      few.send(change(1, 1))
      few.send(change(1, 2))
      for user in 0...Int64(PendingPeerMessages.countMax) { many.send(change(user, 1)) }
      #expect(recorder.messages.isEmpty && recorder.lossCount == 1)
      try FileManager.default.createSymbolicLink(
        atPath: link, withDestinationPath: cluster().folder)
      try await eventually("the message and the notice", last: "\(recorder.events)") {
        recorder.messages.contains(change(1, 2)) && recorder.lossCount == 2
      }
      for channel in [listener, few, many] { await channel.close() }
    }

    @Test("an unreadable payload counts as a loss")
    func unreadable() async throws {
      let (listener, recorder) = try await open("unreadable")
      let raw = try connect()
      try raw.run("SELECT pg_notify('unreadable', 'x')")
      try raw.run("SELECT pg_notify('unreadable', '2000')")
      try await eventually("two notices") { recorder.lossCount == 3 }
      #expect(recorder.messages.isEmpty)
      await listener.close()
    }

    @Test("closing ends both connections, and also attempts to connect")
    func closing() async throws {
      let (channel, _) = try await open("closing")
      channel.send(change(1, 1))
      await channel.close()
      channel.send(change(1, 2))
      try await eventually("the end of the sessions") {
        try sessions("closing", "").isEmpty
      }
      let (lost, _) = try await open(
        "closing",
        settings: PostgresSettings(address: "postgres://postgres@/postgres?host=/nowhere"),
        isListening: false)
      lost.send(change(1, 1))
      await lost.close()
      let unused = try PostgresPeerChannel(
        cluster().settings(), random: { UInt64.random(in: 0 ... .max) })
      await unused.close()
    }
  }
}
#endif
