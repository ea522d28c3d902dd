import BellhopKit
import BellhopModel
import BellhopTestSupport
import Synchronization
import Testing

@Suite("An app's own handler", .timeLimit(.minutes(15)))
struct DelegateTests {
  /// A delegate that records its calls, and answers arrivals by their titles.
  private final class Handler: UserNotificationDelegate {
    private let calls = Mutex<[String]>([])
    let (news, told) = AsyncStream<String>.makeStream()

    var all: [String] { calls.withLock { $0 } }

    private func note(_ call: String) {
      calls.withLock { $0.append(call) }
      told.yield(call)
    }

    func willPresent(_ notification: FeedNotification) async -> NotificationPresentation {
      let title = notification.notification.content.visual?.title ?? ""
      note("present " + title)
      return title == "quiet" ? .quiet : title == "handled" ? .handled : .show
    }

    func didReceive(_ response: NotificationResponse) async {
      let word =
        switch response.kind {
        case .opened: "opened"
        case .dismissed: "dismissed"
        case .action(let id, let text): id + " " + (text ?? "-")
        }
      note(word + " by " + response.by.name)
    }

    func didReceive(silent notification: FeedNotification) async {
      note("silent " + (notification.notification.content.raw ?? ""))
    }

    /// Ends every wait.
    func end() { told.finish() }

    /// Waits until this many calls were made, or the delivery ended.
    func wait(for count: Int) async {
      if all.count >= count { return }
      for await _ in news where all.count >= count { return }
    }
  }

  @Test("arrivals, silent ones too, and the responses of every device reach the app's handler once")
  func delivers() async throws {
    let house = try await FeedHouse()
    let (a, b) = (
      UserDataFeed(try await house.parts("a")), UserDataFeed(try await house.parts("b"))
    )
    for feed in [a, b] { try await feed.start() }
    for feed in [a, b] { try await feed.exchange() }
    let handler = Handler()
    let saved = Mutex<ReaderPosition?>(nil)
    let start = try await a.channel.makeReader().position
    let delivering = Task {
      defer { handler.end() }
      try await a.channel.deliver(ofApp: "ci", to: handler, from: start) { position in
        saved.withLock { $0 = position }
      }
    }
    let why = ContentExtras.Action(id: "why", title: "Why?", kind: .reply)
    let shown = try await house.publish("shown") { $0.extras.actions = [why] }
    try await house.publish("of another app", app: "nas")
    let quiet = try await house.publish("quiet")
    let handled = try await house.publish("handled")
    try await house.publish("") {
      $0.visual = nil
      $0.raw = "data"
    }
    for feed in [a, b] { try await feed.exchange() }
    await handler.wait(for: 4)
    #expect(
      handler.all == ["present shown", "present quiet", "present handled", "silent data"])

    try await b.channel.choose(why, text: "no rush", of: shown.id)
    for feed in [b, a, b] { try await feed.exchange() }
    await handler.wait(for: 5)
    #expect(handler.all.last == "why no rush by b")
    // The program's own answers reach the other device.
    #expect(try b.channel.notification(quiet.id)?.notification.state.readState.value == .read)
    #expect(try b.channel.notification(quiet.id)?.placement == .tray)
    #expect(try b.channel.notification(handled.id)?.placement == .handled)
    #expect(handler.all.count == 5, "nothing twice, and not its own answers: \(handler.all)")
    for feed in [a, b] { _ = await feed.stop() }
    try await delivering.value
    #expect(saved.withLock { $0 } != nil)
  }
}
