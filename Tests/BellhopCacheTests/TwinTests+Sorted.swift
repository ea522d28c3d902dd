import BellhopCache
import BellhopModel
import Testing

extension TwinTests {
  /// The lists that can be sorted, and some of the narrowed ones, in both orders.
  func sorted(_ narrowed: [CacheList]) -> [CacheList] {
    let some = narrowed.enumerated().filter { $0.offset % 5 == 0 && !$0.element.isByDueTime }
    let lists = [.tray, .handled, .history] + some.map(\.element)
    return lists.flatMap { list in SectionOrder.allCases.map { list.sorted(by: $0) } }
  }

  /// Checks that a sorted list or a group has its items in sections, however it is walked.
  func walk(_ list: CacheList, _ all: [CachedRow], _ reader: any CacheReading) throws {
    let plain: [CachedRow]
    switch list {
    case .sorted(let base, _): plain = try reader.rows(of: base, .first, limit: 1000)
    case .trayGroup(let group):
      plain = try reader.rows(of: .tray, .first, limit: 1000)
        .filter { $0.app == group.app && $0.group == group.name }
    case .tray, .handled, .history, .later, .search, .narrowed: return
    }
    switch list.sections {
    case nil: Issue.record("no sections: \(list)")
    case .level:
      let levels = Priority.allCases.reversed()
      #expect(all == levels.flatMap { level in plain.filter { $0.priority == level } }, "\(list)")
    case .app:
      let apps = Set(plain.map(\.app)).sorted()
      #expect(all == apps.flatMap { app in plain.filter { $0.app == app } }, "\(list)")
    }
    var (down, window) = ([CachedRow](), ListWindow.first)
    while down.count < all.count {
      let rows = try reader.rows(of: list, window, limit: 3)
      guard let last = rows.last else { break }
      down += rows
      window = .below(last.position(in: list))
    }
    #expect(down == all, "\(list)")
    var up: [CachedRow] = []
    window = .last
    while up.count < all.count {
      let rows = try reader.rows(of: list, window, limit: 3)
      guard let first = rows.first else { break }
      up = rows + up
      window = .above(first.position(in: list))
    }
    #expect(up == all, "\(list)")
  }
  /// Checks that both caches count the rows above a position, as far as they count.
  func countAbove(
    _ position: ListPosition, _ above: Int, in list: CacheList, _ reader: any CacheReading
  ) throws {
    for limit in [1000, 2] {
      let known = try reader.countAbove(position, in: list, limit: limit)
      #expect(known ?? min(limit, above) == min(limit, above), "\(list)")
      guard !list.isByDueTime else { continue }
      let counted = try reader.count(of: list, above: position, limit: limit)
      #expect(counted == min(limit, above), "\(list)")
    }
  }
}
