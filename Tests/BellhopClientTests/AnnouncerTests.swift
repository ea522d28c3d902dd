import BellhopCache
import BellhopInbox
import BellhopModel
import BellhopTestSupport
import BellhopText
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import BellhopClient
@testable import BellhopSync

@Suite("Announcing new items")
struct AnnouncerTests {
  private static let now = Timestamp(milliseconds: 1_800_000_000_000)

  /// The announcements so far, in order.
  private final class Told: Sendable {
    private let news = Mutex<[(titles: [String], isReturn: Bool)]>([])
    let isMore = DispatchSemaphore(value: 0)

    func take(_ announcements: [Announcement], _ isReturn: Bool) {
      news.withLock { $0.append((announcements.map(\.title.string), isReturn)) }
      isMore.signal()
    }

    var titles: [[String]] { news.withLock { $0.map(\.titles) } }
    var areReturns: [Bool] { news.withLock { $0.map(\.isReturn) } }
  }

  /// Completes a first synchronisation with an empty store.
  private static func begin(_ cache: SQLiteCache) throws {
    let end = ChangeChunk.End.page(next: nil, start: DeltaToken("t"), startSequence: .zero)
    try apply([], .page(nil), end, to: cache)
    let close = ChangeChunk.End.delta(DeltaToken("t0"), at: .zero, isCaughtUp: true)
    try apply([], .delta(since: DeltaToken("t")), close, to: cache)
  }

  /// Applies an item as a pull would.
  ///
  /// - Parameter count: The occurrences that have collapsed into it; 1 for an item without repeats.
  private static func arrive(
    _ index: Int64, repeated count: Int = 1, in cache: SQLiteCache
  ) throws {
    let sequence = SequenceNumber(index)
    var item = UserNotification(
      id: .version7(at: now, random: (UInt64(index), 1)), shortNumber: index, created: now,
      arrival: now,
      content: Content(app: "nas", visual: VisualContent(title: "item \(index)")),
      state: ItemState(sequence: sequence, contentSequence: sequence, changed: now))
    if count > 1 {
      item.repeats = (1..<count).reduce(Repeats(firstAt: now)) { repeats, _ in
        repeats.repeated(at: now)
      }
    }
    let end = ChangeChunk.End.delta(DeltaToken("t\(index)"), at: sequence, isCaughtUp: true)
    try apply([.item(item)], .delta(since: DeltaToken("t\(index - 1)")), end, to: cache)
  }

  private static func apply(
    _ changes: [Change], _ request: ChangeChunk.Request, _ end: ChangeChunk.End,
    to cache: SQLiteCache
  ) throws {
    let generation = try cache.syncState().generation
    for chunk in ChangeChunk.chunks(
      of: changes, request: request, generation: generation, end: end)
    {
      #expect(try cache.apply(chunk, now: now).isCurrent)
    }
  }

  private static func access(in folder: String) throws -> CacheAccess {
    let directories = Directories(root: folder)
    try Directories.make(directories.account(AccountName("home")))
    let context = try ClientContext(
      directories: directories, environment: [:], account: nil, usesPolling: nil)
    return CacheAccess(
      context,
      account: Account(
        name: AccountName("home"), url: "http://127.0.0.1:1", device: DeviceID("desk"),
        deviceName: "desk", isPrivate: false))
  }

  @Test("the title of an item into which repeats collapse has their number")
  func repeats() throws {
    try TemporaryFolder.with { folder in
      let access = try Self.access(in: folder)
      let cache = try access.storage()
      try Self.begin(cache)
      try Self.arrive(1, in: cache)
      try Self.arrive(2, repeated: 1000, in: cache)
      let news = try Announcer.claim(access, now: Self.now)
      #expect(Set(news.map(\.title.string)) == ["item 1", "item 2 ×1,000"])
    }
  }

  @Test("an item after the first synchronisation is new, even if an earlier check is pending")
  func newsAfterReturn() throws {
    try TemporaryFolder.with { folder in
      let access = try Self.access(in: folder)
      let told = Told()
      let announcer = Announcer(
        access: access, now: { Self.now }, tell: { told.take($0, $1) })
      let cache = try access.storage()
      try Self.begin(cache)
      try Self.arrive(1, in: cache)
      announcer.take(.dataChanged)
      announcer.take(.status(EngineStatus(connection: .live)))
      try Self.arrive(2, in: cache)
      announcer.take(.dataChanged)
      for _ in 1...2 { #expect(told.isMore.wait(timeout: .now() + 60) == .success) }
      #expect(told.titles == [["item 1"], ["item 2"]])
      #expect(told.areReturns == [true, false])
    }
  }
}
