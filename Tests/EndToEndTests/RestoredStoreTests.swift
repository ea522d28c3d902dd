import BellhopTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite("A backup restored under running clients", .realPrograms)
struct RestoredStoreTests {
  private struct Statistics: Decodable {
    let epoch: String
  }

  private func epoch(of store: StoreProcess) async throws -> String {
    let answer = try await store.administer(["stats", "--json"])
    return try JSONDecoder().decode(Statistics.self, from: Data(answer.outputBytes)).epoch
  }

  @Test("two screens notice, resend what they still have, and agree with the store")
  func twoScreens() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let devices = [
        try await scene.device("laptop", on: store), try await scene.device("desktop", on: store),
      ]
      let screens = [
        try await scene.screen(on: devices[0]), try await scene.screen(on: devices[1]),
      ]
      for number in 1...5 { try await publisher.publish("Item \(number)", app: "app\(number)") }
      for screen in screens { try await screen.wait(for: "app1", "app5", "● live, all sent") }

      try await devices[0].succeed("dismiss", "1", "--wait")
      let backup = scene.folder + "/backup.sqlite"
      #expect(try await store.administer(["backup", backup]).exitCode == 0)
      let before = try await epoch(of: store)
      // Changes made after the backup are not in it.
      try await publisher.publish("Lost", app: "lost")
      try await devices[1].succeed("dismiss", "2", "--wait")
      for device in devices {
        try await device.waitForItem(titled: "Lost", "there")
        try await device.waitForItem(titled: "Item 2", "dismissed") { $0.action == "dismissed" }
      }

      // Both have unsent changes when the store stops, one of them for an item that will be
      // unknown.
      try await store.stop()
      for screen in screens { try await screen.wait(for: "○ offline") }
      for (device, arguments) in [
        (devices[0], ["dismiss", "3"]), (devices[0], ["read", "6"]),
        (devices[1], ["dismiss", "4"]), (devices[1], ["read", "5"]),
        (devices[1], ["dismiss", "6"]),
      ] {
        #expect(try await device.run(program: Programs.bellhop, arguments).exitCode == 0)
      }
      #expect(try await store.administer(["restore", backup]).exitCode == 0)
      try await store.start()
      #expect(try await epoch(of: store) != before)
      for screen in screens {
        try await screen.type("R")
        try await screen.wait(for: "● live, all sent")
        try await screen.waitUntilGone("lost")
      }
      try await publisher.publish("Item 6", app: "app6")

      let wanted = [
        "Item 1": ["dismissed", "unread"], "Item 2": ["noInteraction", "unread"],
        "Item 3": ["dismissed", "unread"], "Item 4": ["dismissed", "unread"],
        "Item 5": ["noInteraction", "read"], "Item 6": ["noInteraction", "unread"],
      ]
      var mirror = StoreMirror(token: try await store.token(scope: "device"))
      try mirror.pull(store.port)
      let there = Dictionary(
        uniqueKeysWithValues: mirror.items.values.map { ($0.title, [$0.action, $0.read]) })
      #expect(there == wanted)
      for device in devices {
        var own: [String?: [String]] = [:]
        _ = try await eventually("\(device.name) to agree", last: "\(own)") { () -> Bool? in
          let items = try await device.items()
          own = Dictionary(
            uniqueKeysWithValues: items.map {
              ($0.title, [$0.action, $0.read ? "read" : "unread"])
            })
          return own == wanted && !items.contains { $0.waiting } ? true : nil
        }
      }
      for screen in screens { try await screen.wait(for: "app6", "● live, all sent") }
    }
  }
}
