#if BELLHOP_POSTGRES
import BellhopStorePostgres
import BellhopTestSupport
import Testing

extension ServerTests {
  @Suite("Notifications")
  struct NotificationTests {
    private var soon: ContinuousClock.Instant { .now + patience }

    @Test(
      "a listener gets what others send, in order, with its payload",
      arguments: ["plain", "a \"b\""])
    func delivery(channel: String) throws {
      let listener = try connect()
      try listener.listen(to: channel)
      let sender = try connect { $0.session["synchronous_commit"] = "off" }
      for payload in ["one", "", String(repeating: "é", count: 3900)] {
        try sender.run("SELECT pg_notify($1, $2)", .text(channel), .text(payload))
        let notification = try listener.nextNotification(until: soon)
        #expect(notification?.channel == channel)
        #expect(notification?.payload == payload)
        #expect(notification?.processID == sender.processID)
      }
    }

    @Test("without a notification the wait ends at its deadline")
    func deadline() throws {
      let listener = try connect()
      try listener.listen(to: "silence")
      let start = ContinuousClock.now
      #expect(try listener.nextNotification(until: start + .milliseconds(100)) == nil)
      #expect(start.duration(to: .now) >= .milliseconds(100))
      #expect(try listener.nextNotification(until: start) == nil)
    }

    @Test("a notification that comes with an answer is kept")
    func besideAnswer() throws {
      let listener = try connect()
      try listener.listen(to: "beside")
      try listener.run("SELECT pg_notify('beside', 'own')")
      #expect(try listener.nextNotification(until: .now)?.payload == "own")
      #expect(try listener.nextNotification(until: .now) == nil)
    }

    @Test("the end of the listener's session is an error")
    func killed() throws {
      let listener = try connect()
      try listener.listen(to: "killed")
      try connect().run(
        "SELECT pg_terminate_backend($1::int4)", .integer(Int64(listener.processID)))
      let error = #expect(throws: PostgresError.self) {
        try listener.nextNotification(until: soon)
      }
      #expect(error?.remedy == .retry)
      #expect(!listener.isUsable)
    }
  }
}
#endif
