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
        try await store.service.polledTitles(of: store.user, every: .zero) {
          left.load(ordering: .acquiring) == 0
        }
      }
      return try await group.reduce(into: Set<String>()) { $0.formUnion($1) }
    }
    #expect(seen.count == writers * perWriter)
  }
}
