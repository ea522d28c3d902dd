import BellhopTestSupport
import Glibc
import Testing

@Suite("Killed at any moment", .realPrograms)
struct CrashTests {
  @Test("a client killed after counting a change as waiting has lost nothing")
  func client() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store)
      let other = try await scene.device("other", on: store)
      let count = 4
      for number in 1...count { try await publisher.publish("Item \(number)") }
      try await device.succeed("sync")
      try await store.stop()
      for number in (1...count).reversed() {
        let screen = try await scene.screen(on: device)
        try await screen.wait(for: "Item \(number)")
        try await screen.type("ggd")
        // The row disappears before the change is on the disk; the count appears after.
        try await screen.wait(for: "\(count - number + 1) waiting")
        try await screen.kill(SIGKILL)
        let item = try await device.item(titled: "Item \(number)")
        #expect(item?.action == "dismissed" && item?.waiting == true)
      }
      try await store.start()
      try await device.succeed("sync")
      try await other.succeed("sync")
      for device in [device, other] {
        let items = try await device.items()
        #expect(items.count == count)
        #expect(items.allSatisfy { $0.action == "dismissed" && $0.handledBy == "desk" })
      }
    }
  }

  @Test("a store killed under load has everything that it acknowledged")
  func store() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let reader = try await store.reader()
      for _ in 1...2 {
        let before = Set(try await reader.storedItems().map(\.id))
        let answered = try await withThrowingTaskGroup(of: [String].self) { group in
          for worker in 1...4 {
            group.addTask {
              var ids: [String] = []
              for number in 1... {
                let answer = try await publisher.curl("/app\(worker)", body: "Item \(number)")
                guard answer.status == 200 else { break }
                ids.append(try answer.decoded(as: Publisher.Published.self).id)
              }
              return ids
            }
          }
          try await eventually("a good number of publications") {
            try await reader.storedItems().count >= before.count + 40
          }
          try await store.crash()
          return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(answered.count >= 36)
        try await store.start()
        let kept = try await reader.storedItems().map(\.id)
        #expect(Set(kept).isSuperset(of: answered))
        #expect(Set(kept).isSuperset(of: before))
        #expect(Set(kept).count == kept.count)
      }
    }
  }
}
