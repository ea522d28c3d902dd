import BellhopModel
import BellhopStore
import BellhopTestSupport
import Synchronization
import Testing

/// Sequences become visible in order (SYNC-2).
@Suite(.timeLimit(.minutes(10))) struct OrderTests {
  @Test("a poller beside sixteen writers misses no row", arguments: BackendKind.allCases)
  func poller(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let writers = 16
    let perWriter = 12
    let left = Atomic<Int>(writers)
    let seen = try await withThrowingTaskGroup(of: Set<String>.self) { group in
      for writer in 0..<writers {
        group.addTask { @Sendable in
          for number in 0..<perWriter { _ = try await store.publish("\(writer)/\(number)") }
          left.subtract(1, ordering: .releasing)
          return []
        }
      }
      group.addTask { @Sendable in
        // The poller only asks for rows above the last sequence it saw, so it never sees rows that
        // become visible below it later.
        var titles: Set<String> = []
        var start = DeltaStart.beginning
        // A delta has all rows if it began after the writers had ended. A first synchronisation
        // leaves to it the rows written meanwhile.
        var isLast = false
        try await eventually(
          "the end of the writers", every: .zero, last: "\(titles.count) rows"
        ) {
          if case .since = start { isLast = left.load(ordering: .acquiring) == 0 }
          let page = try await store.service.delta(from: start, rows: 50, for: store.user)
          for case .item(let item) in page.changes {
            titles.insert(item.content.visual?.title ?? "")
          }
          switch page.end {
          case .complete(let token):
            start = .since(token)
            return isLast
          case .next(let token):
            start = .page(token)
            return false
          }
        }
        return titles
      }
      return try await group.reduce(into: Set<String>()) { $0.formUnion($1) }
    }
    #expect(seen.count == writers * perWriter)
  }
}
