internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import Dispatch
internal import Synchronization

/// A counter of a list that has no counters in the cache, such as a search, beside the event loop.
///
/// A new order ends the current one.
final class ListCounter: Sendable {
  /// The number of items counted before the first report.
  static let firstMax = 1_000

  private let readers: LateReaders
  private let box: MessageQueue
  private let queue = DispatchQueue(label: "bellhop.cache.count")
  private let wanted = Mutex<Int?>(nil)

  init(sessions: [Session], box: MessageQueue) {
    readers = LateReaders(sessions)
    self.box = box
  }

  func run(_ order: ListCountOrder) {
    want(order.serial)
    queue.async { [self] in
      guard isWanted(order) else { return }
      do {
        try count(order)
      } catch CacheError.interrupted {
        // Another count, or none, has been requested.
      } catch {
        post(ListCount(), order)
      }
    }
  }

  /// Suggests a similar text with results: of all accounts' suggestions, the one with the most.
  func suggest(for text: String, serial: Int, of account: AccountName?) {
    want(serial)
    queue.async { [self] in
      guard wanted.withLock({ $0 == serial }) else { return }
      let found = try? readers.merged().chosen(account).compactMap {
        try $0.cache.suggestion(for: text)
      }
      let best = found?.max { $0.matches < $1.matches }?.text
      box.post(
        .slow(.suggestion(for: text, best.map { BellhopInbox.SearchSuggestion(text: $0) })))
    }
  }

  func cancel() { want(nil) }

  private func want(_ serial: Int?) {
    wanted.withLock { $0 = serial }
    readers.interruptSearch()
  }

  private func isWanted(_ order: ListCountOrder) -> Bool {
    wanted.withLock { $0 == order.serial }
  }

  private func count(_ order: ListCountOrder) throws {
    let reader = try readers.merged()
    let above = try order.above.map { position in
      try reader.count(of: order.query, of: order.account, above: position, by: order.order)
    }
    guard order.wantsTotal else { return post(ListCount(above: above), order) }
    if let known = try reader.count(of: order.query, of: order.account) {
      return post(ListCount(total: MatchCount(known), above: above), order)
    }
    let begun = try reader.count(of: order.query, of: order.account, limit: Self.firstMax + 1)
    if begun <= Self.firstMax {
      return post(ListCount(total: MatchCount(begun), above: above), order)
    }
    post(ListCount(total: MatchCount(Self.firstMax, isExact: false), above: above), order)
    guard isWanted(order) else { return }
    let all = try reader.count(of: order.query, of: order.account, limit: .max)
    post(ListCount(total: MatchCount(all), above: above), order)
  }

  private func post(_ count: ListCount, _ order: ListCountOrder) {
    guard isWanted(order) else { return }
    box.post(.slow(.list(serial: order.serial, count)))
  }
}

extension MergedReader {
  /// Returns the number of items in a list, of one account or of all together, if that is cheap.
  func count(of query: ListQuery, of account: AccountName?) throws(CacheError) -> Int? {
    if case .search = query { return nil }
    var (whole, filter) = (query, ListFilter())
    if case .narrowed(let base, let narrowing) = query { (whole, filter) = (base, narrowing) }
    var sum = 0
    for reader in chosen(account) {
      let count = try reader.cache.count(
        of: filter, in: CacheList(whole), scanning: ListReader.viewItemsMax)
      guard let count else { return nil }
      sum += count
    }
    return sum
  }

  /// Counts the items of a list one by one, up to `limit`.
  func count(
    of query: ListQuery, of account: AccountName?, limit: Int
  ) throws(CacheError) -> Int {
    try count(
      of: query, of: account, in: ArrivalKey(rawValue: .min)...ArrivalKey(rawValue: .max),
      limit: limit)
  }

  /// Counts the items above a position of an ordered list one by one.
  func count(
    of query: ListQuery, of account: AccountName?, above position: RowPosition, by order: ListOrder
  ) throws(CacheError) -> Int {
    let list = ListReader.list(query, by: order)
    let here = ListReader.position(position, in: list)
    var sum = 0
    for reader in chosen(account) {
      sum += try reader.cache.count(of: list, above: here, limit: .max)
    }
    return sum
  }

  func count(
    of query: ListQuery, of account: AccountName?, in keys: ClosedRange<ArrivalKey>,
    limit: Int = .max
  ) throws(CacheError) -> Int {
    var sum = 0
    for reader in chosen(account) where sum < limit {
      sum += try reader.cache.count(of: CacheList(query), in: keys, limit: limit - sum)
    }
    return sum
  }
}
