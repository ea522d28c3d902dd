import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import BellhopTestSupport
import Dispatch
import Synchronization
import Testing

@Suite("Slow reads")
struct DeadlineTests {
  private let clock = JumpingUptime()

  private func store(
    _ kind: BackendKind, limits: StoreLimits = StoreLimits(), items: Int = 0
  ) async throws -> StoreUnderTest {
    let store = try await StoreUnderTest(kind, limits: limits, workUptime: { [clock] in clock.now })
    for number in 0..<items {
      try await store.publish("item \(number)", app: number % 2 == 0 ? "even" : "odd") {
        $0.priority = Priority.allCases[number % Priority.allCases.count]
        $0.group = number == 0 ? "first" : nil
      }
    }
    return store
  }

  private func filter(_ text: String) throws -> ItemFilter {
    try ItemFilter(parsing: text, limits: StoreLimits())
  }

  /// The ids of each page.
  private func pages(
    _ request: ListRequest, _ store: StoreUnderTest
  ) async throws -> [[NotificationID]] {
    var (pages, request) = ([[NotificationID]](), request)
    repeat {
      let page = try await store.service.list(request, for: store.user)
      pages.append(page.items.map(\.id))
      request.page = page.next
      try #require(pages.count < 1000, "A page does not get further.")
    } while request.page != nil
    return pages
  }

  @Test(
    "a page of a list ends at its deadline, at least one item further, and the next continues",
    arguments: BackendKind.allCases,
    ["arrivalDateTime", "createdDateTime", "lastModifiedDateTime", "priority"])
  func lists(kind: BackendKind, key: String) async throws {
    let store = try await store(kind, items: 12)
    for direction in ["asc", "desc"] {
      for filter in [nil, try filter("contains(payload/visualContent/title, '1')")] {
        let request = ListRequest(
          filter: filter, order: try OrderByClause(parsing: "\(key) \(direction)"), rows: 100)
        clock.jump(by: .zero)
        let whole = try await pages(request, store)
        #expect(whole.count == 1 && whole[0].count == (filter == nil ? 12 : 3))
        clock.jump(by: .seconds(10))
        let short = try await pages(request, store)
        #expect(Array(short.joined()) == whole[0], "\(key) \(direction)")
        #expect(short.count >= 12 && short.allSatisfy { $0.count <= 1 })
      }
    }
  }

  @Test(
    "a page of a search ends at its deadline, too, with the index and while it is built",
    arguments: BackendKind.allCases, [false, true])
  func searches(kind: BackendKind, isIndexed: Bool) async throws {
    let store = try await store(kind, items: 12)
    if isIndexed { while try await store.service.catchUp() != .done {} }
    try await store.publish("item, not indexed yet")
    for direction in ["asc", "desc"] {
      for filter in [nil, try filter("targetHostName eq 'even'")] {
        let request = ListRequest(
          filter: filter, search: "item",
          order: try OrderByClause(parsing: "arrivalDateTime \(direction)"), rows: 100)
        clock.jump(by: .zero)
        let whole = try await pages(request, store)
        #expect(whole.count == 1 && whole[0].count == (filter == nil ? 13 : 6))
        clock.jump(by: .seconds(10))
        let short = try await pages(request, store)
        #expect(Array(short.joined()) == whole[0])
        #expect(short.count >= whole[0].count && short.allSatisfy { $0.count <= 1 })
      }
    }
  }

  @Test(
    "a search without results ends its pages at their deadline, too",
    arguments: BackendKind.allCases)
  func searchesWithoutHits(kind: BackendKind) async throws {
    let store = try await store(kind, items: 12)
    while try await store.service.catchUp() != .done {}
    // Every item has the words, and none has them in this order.
    for (text, pagesMin) in [("\"even item\"", 6), ("nothing", 1)] {
      clock.jump(by: .zero)
      #expect(try await pages(ListRequest(search: text, rows: 100), store) == [[]])
      clock.jump(by: .seconds(10))
      let short = try await pages(ListRequest(search: text, rows: 100), store)
      #expect(short.count >= pagesMin && short.allSatisfy(\.isEmpty), "\(text): \(short.count)")
    }
  }

  @Test("a search of long texts ends before its first hit, and each page gets further")
  func searchesOfLongTexts() async throws {
    let store = try await store(.sqlite)
    for number in 0..<500 {
      try await store.publish("\(number)") {
        // The index reads all positions of both words, and no item has both.
        $0.visual?.body = String(repeating: number % 2 == 0 ? "alpha " : "beta ", count: 2700)
      }
    }
    while try await store.service.catchUp() != .done {}
    clock.jump(by: .seconds(10))
    let pages = try await pages(ListRequest(search: "alpha beta", rows: 100), store)
    #expect(pages.count > 10 && pages.allSatisfy(\.isEmpty), "\(pages.count)")
  }

  @Test("phrases that repeat one word are searched as one word, and checked item by item")
  func repeatedWords() async throws {
    let store = try await store(.sqlite)
    for _ in 0..<20 {
      try await store.publish("x") { $0.visual?.body = String(repeating: "a b ", count: 4000) }
    }
    try await store.publish("y") {
      $0.visual?.body = "a b c"
    }
    while try await store.service.catchUp() != .done {}
    let phrase = "\"" + String(repeating: "a b ", count: 15) + "b\""
    let text = Array(repeating: phrase, count: 16).joined(separator: " ")
    clock.jump(by: .milliseconds(1))
    #expect(try await pages(ListRequest(search: text, rows: 100), store).joined().isEmpty)
    clock.jump(by: .seconds(10))
    let pages = try await pages(ListRequest(search: text, rows: 100), store)
    #expect(pages.count > 10 && pages.allSatisfy(\.isEmpty), "\(pages.count)")
    clock.jump(by: .zero)
    #expect(
      try await self.pages(ListRequest(search: "\"b c\"", rows: 100), store).joined().count == 1)
  }

  @Test(
    "a count past its deadline is not supported: of a filter, a search and of everything",
    arguments: BackendKind.allCases)
  func counts(kind: BackendKind) async throws {
    let store = try await store(kind, items: 600)
    let requests = [
      ListRequest(filter: try filter("kept"), rows: 1, isCounted: true),
      ListRequest(search: "item", rows: 1, isCounted: true),
    ]
    for request in requests {
      clock.jump(by: .zero)
      #expect(try await store.service.list(request, for: store.user).count != nil)
      clock.jump(by: .seconds(10))
      let error = try await storeError {
        _ = try await store.service.list(request, for: store.user)
      }
      guard case .notSupported(let what)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(what.contains("1000 ms") && what.contains("$count"))
    }
  }

  @Test("a read whose task is cancelled ends within its statement")
  func cancelled() async throws {
    let store = try await store(.sqlite, items: 600)
    let request = ListRequest(
      filter: try filter("contains(payload/visualContent/title, 'nothing')"), rows: 10,
      isCounted: true)
    let (service, user) = (store.service, store.user)
    #expect(try await service.list(request, for: user).count == 0)
    let holder = TaskHolder()
    // The read itself reads the clock.
    clock.after(20) { holder.cancel() }
    let task = Task { try await service.list(request, for: user) }
    holder.hold(task)
    let error = try await storeError { _ = try await task.value }
    guard case .unavailable? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    // The reader serves the next one.
    #expect(try await service.list(request, for: user).count == 0)
  }

  // MARK: - Bulk operations

  private func bulk(
    _ command: ItemCommand, _ store: StoreUnderTest, adjust: (inout Predicate) -> Void = { _ in }
  ) async throws -> BellhopModel.Operation {
    var predicate = Predicate()
    adjust(&predicate)
    return Operation(
      id: store.newID(),
      target: .matching(
        predicate, through: try await store.service.position(of: store.user).sequence),
      mutation: command.mutation)
  }

  /// All items, however many of them a page may hold.
  private func items(_ store: StoreUnderTest) async throws -> [UserNotification] {
    clock.jump(by: .zero)
    var (items, request) = ([UserNotification](), ListRequest(rows: 1000))
    repeat {
      let page = try await store.service.list(request, for: store.user)
      items += page.items
      request.page = page.next
    } while request.page != nil
    return items
  }

  private func unread(_ store: StoreUnderTest) async throws -> Int {
    try await items(store).count { $0.state.readState.value == .unread }
  }

  @Test(
    "a transaction of a bulk operation ends at its deadline, and the next one continues",
    arguments: BackendKind.allCases)
  func bulkWork(kind: BackendKind) async throws {
    let store = try await store(kind, items: 10)
    let read = try await bulk(.read, store)
    let commits = (store.backend as? SQLiteBackend)?.commitCount ?? 0
    clock.jump(by: .seconds(10))
    #expect(try await store.send([read]).results == [.applied])
    #expect(try await unread(store) == 0)
    if let sqlite = store.backend as? SQLiteBackend { #expect(sqlite.commitCount - commits >= 10) }
    let undo = Operation(id: store.newID(), target: .setBy(read.id), mutation: .restorePrevious)
    clock.jump(by: .seconds(10))
    #expect(try await store.send([undo], from: 2).results == [.applied])
    #expect(try await unread(store) == 10)
  }

  @Test(
    "the items of a bulk operation are found however far back they are",
    arguments: BackendKind.allCases, [false, true])
  func farBack(kind: BackendKind, isSlow: Bool) async throws {
    var limits = StoreLimits()
    limits.listScanMax = isSlow ? 10_000 : 3
    let store = try await store(kind, limits: limits, items: 11)
    if isSlow { clock.jump(by: .seconds(10)) }
    let first = try await bulk(.read, store) { $0.group = "first" }
    #expect(try await store.send([first]).results == [.applied])
    #expect(try await unread(store) == 10)
    if isSlow { clock.jump(by: .seconds(10)) }
    // No item matches, and nothing changes.
    let position = try await store.service.position(of: store.user)
    let none = try await bulk(.read, store) { $0.group = "none" }
    #expect(try await store.send([none], from: 2).results == [.applied])
    #expect(try await store.service.position(of: store.user) == position)
    let odd = try await bulk(.dismiss, store) { $0.app = "odd" }
    #expect(try await store.send([odd], from: 3).results == [.applied])
    #expect(
      try await items(store).count { $0.state.userActionState.value == .dismissed } == 5)
  }

  @Test("a transaction of a bulk operation ends when its items are large")
  func bulkBytes() async throws {
    var limits = StoreLimits()
    limits.pageBytesMax = 10_000
    let store = try await store(.sqlite, limits: limits)
    for number in 0..<9 {
      try await store.publish("\(number)") { $0.raw = String(repeating: "x", count: 4000) }
    }
    let backend = try #require(store.backend as? SQLiteBackend)
    let read = try await bulk(.read, store)
    let commits = backend.commitCount
    #expect(try await store.send([read]).results == [.applied])
    #expect(backend.commitCount - commits == 3)
    #expect(try await store.pull(from: .beginning).changes.count == 9)
  }
}

/// A task that something within it cancels.
private final class TaskHolder: Sendable {
  private let task = Mutex<Task<ListPage, any Error>?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  func hold(_ task: Task<ListPage, any Error>) {
    self.task.withLock { $0 = task }
    isThere.signal()
  }

  func cancel() {
    // The read may have begun before its task is known here.
    _ = isThere.wait(timeout: .now() + .seconds(60))
    task.withLock { $0?.cancel() }
  }
}
