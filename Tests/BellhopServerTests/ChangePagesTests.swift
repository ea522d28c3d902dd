import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import BellhopServer

@Suite("Changes for many readers are read once", .timeLimit(.minutes(15)))
struct ChangePagesTests {
  private static let user = UserID(rawValue: 1)

  /// Reads that wait until they are released, and their positions.
  private final class Shelf: Sendable {
    let asked = Mutex<[SequenceNumber]>([])
    let through = Mutex(SequenceNumber(rawValue: 1))
    let fails = Mutex(false)

    struct Failed: Error {}

    func pages() -> ChangePages {
      ChangePages { [self] after, _ in
        asked.withLock { $0.append(after) }
        if fails.withLock({ $0 }) { throw Failed() }
        return ChangePages.Page(rows: [], through: through.withLock { $0 })
      }
    }
  }

  private func number(_ value: Int64) -> SequenceNumber { SequenceNumber(rawValue: value) }

  @Test("readers at one position share one read, unless they know of a later change")
  func shared() async throws {
    let shelf = Shelf()
    let pages = shelf.pages()
    for _ in 0..<100 {
      _ = try await pages.page(after: number(1), knowing: number(5), of: Self.user)
    }
    _ = try await pages.page(after: number(1), knowing: number(4), of: Self.user)
    #expect(pages.reads == 1)
    _ = try await pages.page(after: number(1), knowing: number(6), of: Self.user)
    #expect(pages.reads == 2)
    _ = try await pages.page(after: number(2), knowing: number(6), of: Self.user)
    _ = try await pages.page(after: number(2), knowing: number(6), of: UserID(rawValue: 2))
    #expect(pages.reads == 4)
  }

  @Test("a page read before the data went back is not used afterwards")
  func wentBack() async throws {
    let starts = Mutex(UniqueID<StoreStart>(high: 1, low: 1))
    let page = ChangePages.Page(rows: [], through: SequenceNumber(rawValue: 9))
    let pages = ChangePages(start: { starts.withLock { $0 } }, { _, _ in page })
    for _ in 0..<2 {
      _ = try await pages.page(after: number(1), knowing: number(2), of: Self.user)
    }
    #expect(pages.reads == 1)
    starts.withLock { $0 = UniqueID(high: 1, low: 2) }
    _ = try await pages.page(after: number(1), knowing: number(2), of: Self.user)
    #expect(pages.reads == 2)
  }

  @Test("a failed read is repeated by the next reader")
  func failing() async throws {
    let shelf = Shelf()
    let pages = shelf.pages()
    shelf.fails.withLock { $0 = true }
    await #expect(throws: Shelf.Failed.self) {
      try await pages.page(after: number(1), knowing: number(1), of: Self.user)
    }
    shelf.fails.withLock { $0 = false }
    _ = try await pages.page(after: number(1), knowing: number(1), of: Self.user)
    #expect(pages.reads == 2)
  }

  @Test("texts beyond the limit are not cached, and still sent")
  func room() throws {
    let texts = SharedTexts()
    let item = NotificationID(high: 1, low: 2)
    let text = String(repeating: "a", count: 1000)
    for round in 1...2 {
      for number in 0..<200 {
        let key = SharedTexts.Key(item: item, event: "message", base: "\(number)")
        #expect(texts.text(key) { text + "\(number)" } == text + "\(number)")
      }
      #expect(texts.byteCount <= 64 << 10 && texts.byteCount > 60 << 10)
      #expect(round == 1 ? texts.writes == 200 : texts.writes > 300 && texts.writes < 400)
    }
  }

  @Test("a thousand signals to a slow reader become one, with the last position")
  func signals() async throws {
    let channel = EmbeddedChannel()
    // Without a connection's pace marks it would end at once.
    try channel.pipeline.syncOperations.addHandler(PaceMarks())
    let stream = TopicStream(secret: nil, device: nil, channel: channel)
    channel.embeddedEventLoop.run()
    let epoch = try await InProcessStore().service.epoch
    for value in 1...1000 {
      stream.receive(Signal(epoch: epoch, sequence: number(Int64(value))))
    }
    let wake = await stream.next()
    #expect(wake?.isChanged == true && wake?.known == number(1000))
    stream.end(.ended)
    #expect(await stream.next() == nil)
  }

  private func head(_ path: String, _ token: String, isSocket: Bool) -> String {
    let upgrade =
      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    return "GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
      + (isSocket ? upgrade : "") + "\r\n"
  }

  @Test("a message is read once for all readers of a user, whatever their form")
  func crowd() async throws {
    var limits = StoreLimits()
    limits.streamsPerTokenMax = 1_000
    limits.streamsPerUserMax = 1_000
    let store = try await InProcessStore(limits: limits)
    try await withRunningServer(store.server) { addresses, _ in
      guard case .tcp(_, let port)? = addresses.first else { return }
      let token = try await store.deviceToken()
      var readers: [RawConnection] = []
      for number in 0..<60 {
        let path = ["/nas/json", "/nas,ci/json", "/nas/ws", "/stream"][number % 4]
        let reader = try RawConnection(port: port)
        reader.write(self.head(path, token, isSocket: number % 4 > 1))
        let mark = number % 4 == 3 ? "\r\n\r\n" : "\"open\""
        #expect(try await reader.read(until: mark).contains(mark))
        readers.append(reader)
      }
      // A Gotify listener is connected when its first message comes.
      _ = try await store.send(.post, "/nas", token: token, text: "first.")
      for reader in readers { #expect(try await reader.read(until: "first.").hasSuffix("first.")) }
      let before = store.server.pages.reads
      let count = 20
      for number in 1...count {
        let text = "message \(number)."
        _ = try await store.send(.post, "/nas", token: token, text: text)
        for reader in readers { #expect(try await reader.read(until: text).hasSuffix(text)) }
      }
      let reads = store.server.pages.reads - before
      // And perhaps once for the signal of the first, which some had read before it came.
      #expect(
        reads >= count && reads <= count + 2,
        "\(reads) readings for \(count) messages to \(readers.count) readers")
    }
  }
}
