import BellhopClient
import BellhopInbox
import BellhopModel
import BellhopTestSupport
import Synchronization
import Testing

@testable import BellhopShell

@Suite("Messages for the screen")
struct MessageQueueTests {
  /// A box with a clock and a count of wake-ups.
  final class Desk: Sendable {
    let time = Mutex(Duration.zero)
    let wakes = Mutex(0)

    func box() -> MessageQueue {
      MessageQueue(
        elapsed: { self.time.withLock { $0 } }, wake: { self.wakes.withLock { $0 += 1 } })
    }

    func pass(_ duration: Duration) { time.withLock { $0 += duration } }
    var count: Int { wakes.withLock { $0 } }
  }

  /// The number of messages that report changed data.
  private func news(_ box: MessageQueue) -> Int {
    box.drain().filter { if case .dataChanged = $0 { true } else { false } }.count
  }

  private static let items = [
    ItemKey(account: AccountName("me"), id: NotificationID(high: 0, low: 1))
  ]

  @Test("changes after a pause are delivered at once, and wake the loop")
  func atOnce() {
    let desk = Desk()
    let box = desk.box()
    box.post(.dataChanged)
    box.post(.dataChanged)
    #expect(desk.count == 1)
    #expect(box.wait == .zero)
    #expect(news(box) == 1)
    #expect(box.wait == nil)
    desk.pass(MessageQueue.readingInterval)
    box.post(.dataChanged)
    #expect(desk.count == 2)
    #expect(news(box) == 1)
  }

  @Test("the first change after a pause does not delay the next, that one does")
  func second() {
    let desk = Desk()
    let box = desk.box()
    for _ in 0..<2 {
      for _ in 0..<2 {
        box.post(.dataChanged)
        #expect(box.wait == .zero)
        #expect(news(box) == 1)
        desk.pass(.milliseconds(5))
      }
      box.post(.dataChanged)
      #expect(box.wait == MessageQueue.readingInterval - .milliseconds(5))
      desk.pass(MessageQueue.readingInterval)
      #expect(news(box) == 1)
      desk.pass(MessageQueue.readingInterval * 3)
    }
  }

  @Test(
    "during a stream of changes the lists are read once per interval, and after the last change")
  func stream() {
    let desk = Desk()
    let box = desk.box()
    var readings = 0
    for number in 0..<590 {
      // Changes of either kind.
      if number % 3 == 0 { box.postChange(of: Self.items) } else { box.post(.dataChanged) }
      readings += news(box)
      desk.pass(.milliseconds(1))
    }
    // At 1 and 2 ms, then every 60 ms.
    #expect(readings == 11)
    // Once for each read, once for the items' own rows, and once for the pending change.
    #expect(desk.count == readings + 2)
    let wait = box.wait
    #expect(wait.map { $0 > .zero && $0 <= MessageQueue.readingInterval } == true)
    desk.pass(wait ?? .zero)
    #expect(news(box) == 1)
    #expect(box.wait == nil)
  }

  @Test("a message is delivered at once, whatever is pending", arguments: 0..<4)
  func urgent(waiting: Int) {
    let desk = Desk()
    let box = desk.box()
    for _ in 0..<2 {
      box.post(.dataChanged)
      #expect(news(box) == 1)
    }
    switch waiting {
    case 0: box.post(.dataChanged)
    case 1: box.postChange(of: Self.items)
    case 2: box.postConfirmation(.change(.performed([])))
    default: box.postStatus(ConnectionStatus(.live, waiting: 1), of: nil, isMinor: true)
    }
    #expect(box.drain().isEmpty)
    let (wakes, wait) = (desk.count, box.wait)
    #expect(wait != nil)
    box.post(.resumed)
    #expect(desk.count == wakes + 1)
    #expect(box.drain().count == 1)
    #expect(box.wait == wait)
  }

  @Test("the user's action is confirmed a moment later, together with the change that it caused")
  func confirmations() {
    let desk = Desk()
    let box = desk.box()
    box.postConfirmation(.change(.performed([])))
    #expect(desk.count == 1)
    #expect(box.wait == MessageQueue.gatheringTime)
    desk.pass(.milliseconds(10))
    box.postConfirmation(.change(.performed([])))
    box.post(.dataChanged)
    box.postChange(of: Self.items)
    #expect(box.drain().isEmpty)
    desk.pass(MessageQueue.gatheringTime - .milliseconds(10))
    #expect(box.wait == .zero)
    let given = box.drain()
    #expect(given.count == 2)
    #expect(!given.contains { if case .dataChanged = $0 { true } else { false } })
    #expect(box.wait == nil)
    // The next change waits for the interval.
    box.post(.dataChanged)
    #expect(box.wait == MessageQueue.readingInterval)
  }

  @Test("a confirmation takes pending changes with it, and confirmations never delay each other")
  func newsBeforeConfirmation() {
    let desk = Desk()
    let box = desk.box()
    box.post(.dataChanged)
    var given = 0
    for _ in 0..<Int(MessageQueue.gatheringTime / .milliseconds(1)) {
      box.postConfirmation(.change(.performed([])))
      given += box.drain().count
      desk.pass(.milliseconds(1))
    }
    #expect(given == 0)
    let confirmed = box.drain()
    #expect(confirmed.count == 40)
    #expect(!confirmed.contains { if case .dataChanged = $0 { true } else { false } })
    #expect(box.wait == nil)
  }

  @Test("unsent changes are reported after a while, if there still are any; all else at once")
  func standing() {
    let desk = Desk()
    let box = desk.box()
    func minorStatuses() -> [ConnectionStatus] {
      box.drain().compactMap {
        if case .account(.connection(let status, _)) = $0 { status } else { nil }
      }
    }
    box.postStatus(ConnectionStatus(.live, waiting: 1), of: nil, isMinor: true)
    #expect(desk.count == 1, "the loop's wait has to end in time")
    #expect(minorStatuses().isEmpty)
    #expect(box.wait == MessageQueue.gatheringTime)
    desk.pass(.milliseconds(10))
    box.postStatus(ConnectionStatus(.live), of: nil, isMinor: true)
    #expect(box.wait == MessageQueue.gatheringTime - .milliseconds(10))
    desk.pass(MessageQueue.gatheringTime)
    #expect(minorStatuses() == [ConnectionStatus(.live)], "the newest, once")
    #expect(box.wait == nil)
    box.postStatus(ConnectionStatus(.live, waiting: 2), of: nil, isMinor: true)
    box.postStatus(ConnectionStatus(.offline(since: nil), waiting: 2), of: nil, isMinor: false)
    #expect(minorStatuses() == [ConnectionStatus(.offline(since: nil), waiting: 2)])
    #expect(box.wait == nil, "what waited is older")
  }

  @Test("a pending count does not delay changes")
  func newsBesideStanding() {
    let desk = Desk()
    let box = desk.box()
    box.postStatus(ConnectionStatus(.live, waiting: 1), of: nil, isMinor: true)
    box.post(.dataChanged)
    #expect(desk.count == 2)
    #expect(box.wait == .zero)
    #expect(news(box) == 1)
    #expect(box.wait == nil)
  }

  @Test("items that changed elsewhere are delivered at once, and as a change a moment later")
  func changedItems() {
    let desk = Desk()
    let box = desk.box()
    func lines() -> Int {
      box.drain().filter { if case .itemsChanged(Self.items) = $0 { true } else { false } }.count
    }
    box.postChange(of: Self.items)
    #expect(desk.count == 1)
    #expect(lines() == 1)
    #expect(box.wait == MessageQueue.gatheringTime)
    // A change soon after is an ordinary one, which covers both.
    desk.pass(.milliseconds(1))
    box.postChange(of: Self.items)
    #expect(box.wait == .zero)
    #expect(news(box) == 1)
    #expect(box.wait == nil)

    desk.pass(MessageQueue.readingInterval * 3)
    box.postChange(of: Self.items)
    #expect(lines() == 1)
    desk.pass(MessageQueue.gatheringTime)
    #expect(box.wait == .zero)
    #expect(news(box) == 1)
    #expect(box.wait == nil)
  }

  @Test("received items are read before the status that says the account is live")
  func newsBeforeStatus() {
    let desk = Desk()
    let box = desk.box()
    box.postChange(of: Self.items)
    #expect(box.drain().count == 1)
    box.postStatus(ConnectionStatus(.live), of: nil, isMinor: false)
    let given = box.drain()
    guard given.count == 2, case .dataChanged = given[0],
      case .account(.connection(ConnectionStatus(.live), _)) = given[1]
    else {
      Issue.record("given out: \(given)")
      return
    }
  }

  @Test("a status that takes the changes with it wakes a loop that is about to sleep")
  func statusBeforeSleep() {
    let desk = Desk()
    let box = desk.box()
    for _ in 0..<2 {
      box.post(.dataChanged)
      #expect(news(box) == 1)
    }
    box.post(.dataChanged)
    #expect(box.drain().isEmpty, "their time has not come")
    let wakes = desk.count
    // The loop has drained the box, and has not yet asked how long it may sleep.
    box.postStatus(ConnectionStatus(.live), of: nil, isMinor: false)
    #expect(desk.count == wakes + 1)
    #expect(box.drain().count == 2)
  }

  /// An event loop: it drains the box, asks how long it may sleep, and sleeps.
  private struct Loop {
    enum Step { case looks, asks, sleeps }

    let desk: Desk
    let box: MessageQueue
    private(set) var step = Step.looks
    private(set) var given: [Message] = []
    private var seenWakes = 0
    private var end: Duration?

    init(_ desk: Desk, _ box: MessageQueue) { (self.desk, self.box) = (desk, box) }

    /// Advances by one step, unless it still has to sleep.
    mutating func go() {
      switch step {
      case .looks:
        given += box.drain()
        step = .asks
      case .asks:
        let now = desk.time.withLock { $0 }
        end = box.wait.map { now + $0 }
        step = .sleeps
      case .sleeps:
        let now = desk.time.withLock { $0 }
        guard desk.count > seenWakes || end.map({ $0 <= now }) == true else { return }
        seenWakes = desk.count
        step = .looks
      }
    }
  }

  @Test("whatever is posted in whichever order, the loop has all of it soon after")
  func allGivenOut() {
    for seed in 1...5000 as ClosedRange<UInt64> { releaseWaiting(seed: seed) }
  }

  private func releaseWaiting(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let desk = Desk()
    let box = desk.box()
    var loop = Loop(desk, box)
    var standing: ConnectionStatus?
    // The number of messages that the loop had at the last change.
    var changed: Int?
    var others = 0
    for number in 0..<Int(random.next() % 12) {
      for _ in 0..<random.next() % 4 { loop.go() }
      switch random.next() % 6 {
      case 0: desk.pass(.milliseconds(Int64(random.next() % 80)))
      case 1:
        box.post(.dataChanged)
        changed = loop.given.count
      case 2:
        box.postChange(of: Self.items)
        changed = loop.given.count
      case 3:
        box.post(.resumed)
        others += 1
      case 4:
        box.postConfirmation(.change(.performed([])))
        others += 1
      default:
        let status = ConnectionStatus(.live, waiting: number)
        box.postStatus(status, of: nil, isMinor: random.next() % 2 == 0)
        standing = status
      }
    }
    // Longer than any message may wait.
    for _ in 0..<400 {
      loop.go()
      desk.pass(.milliseconds(1))
    }
    var seen: ConnectionStatus?
    var (lastReading, seenOthers) = (-1, 0)
    for (index, message) in loop.given.enumerated() {
      switch message {
      case .account(.connection(let status, _)): seen = status
      case .dataChanged: lastReading = index
      case .resumed: seenOthers += 1
      case .change(.performed):
        // A confirmation makes the screen read the lists, too.
        (seenOthers, lastReading) = (seenOthers + 1, index)
      default: break
      }
    }
    #expect(seen == standing, "seed \(seed)")
    #expect(seenOthers == others, "seed \(seed)")
    #expect(changed.map { lastReading >= $0 } ?? true, "seed \(seed)")
    #expect(box.wait == nil, "seed \(seed)")
  }
}
