import BellhopModel
import BellhopStore
import BellhopTestSupport
import Testing

/// Sequences become visible in order (SYNC-2).
@Suite(.timeLimit(.minutes(10))) struct OrderTests {
  @Test("a poller beside sixteen writers misses no row", arguments: BackendKind.allCases)
  func poller(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let writers = 16
    let perWriter = 12
    let seen = try await withThrowingTaskGroup(of: Set<String>.self) { group in
      for writer in 0..<writers {
        group.addTask {
          for number in 0..<perWriter { _ = try await store.publish("\(writer)/\(number)") }
          return []
        }
      }
      group.addTask {
        // Only ever asks for what is above the last sequence it saw: what becomes visible below it
        // later is never seen.
        var titles: Set<String> = []
        var start = DeltaStart.beginning
        try await eventually(
          "\(writers * perWriter) rows", every: .zero, last: "\(titles.count) rows"
        ) {
          let page = try await store.service.delta(from: start, rows: 50, for: store.user)
          for case .item(let item) in page.changes {
            titles.insert(item.content.visual?.title ?? "")
          }
          switch page.end {
          case .complete(let token): start = .since(token)
          case .next(let token): start = .page(token)
          }
          return titles.count >= writers * perWriter
        }
        return titles
      }
      return try await group.reduce(into: Set<String>()) { $0.formUnion($1) }
    }
    #expect(seen.count == writers * perWriter)
  }
}
