import BellhopTestSupport
import Foundation
import Glibc
import Testing

@Suite(
  "On a small disk",
  .enabled("This machine lets the tests mount nothing (user namespaces).") {
    await SmallDisk.isAllowed()
  }, .realPrograms)
struct SmallDiskTests {
  private struct Published: Decodable {
    let id: String
  }

  /// An item whose body is nearly as large as allowed.
  private static func item(_ number: Int) -> String {
    let body = String(repeating: "All work and no play. ", count: 700)
    return """
      {"targetHostName":"ci","payload":{"visualContent":{"title":"Item \(number)","body":"\(body)"}}}
      """
  }

  /// Publishes items until one is refused; returns ids by title, and the refusal.
  private static func publish(
    _ port: Int, _ token: String, from first: Int, to last: Int = 1000
  ) async -> (ids: [String: String], refusal: StoreLine.Answer?) {
    await onThread {
      var ids: [String: String] = [:]
      guard let line = StoreLine(port: port, token: token) else { return (ids, nil) }
      for number in first...last {
        guard let answer = line.ask("POST", "/v1.0/me/notifications", body: item(number)) else {
          break
        }
        guard answer.status == 201,
          let item = try? JSONDecoder().decode(Published.self, from: Data(answer.body))
        else { return (ids, answer) }
        ids["Item \(number)"] = item.id
      }
      return (ids, nil)
    }
  }

  @Test(
    "a store that fills its disk reports it, keeps what it acknowledged, and goes on with space")
  func store() async throws {
    try await Scene.play { scene in
      let disk = try await SmallDisk(folder: scene.folder + "/store/data", kilobytes: 3072, scene)
      let store = try await scene.store(fault: .small(disk))
      let token = try await store.token(scope: "publish", "--any-app")
      let device = try await scene.device("desk", on: store)
      var mirror = StoreMirror(token: try await store.token(scope: "device"))
      // The device registers once, which the store writes to the disk.
      try await device.succeed("sync")

      let (ids, refusal) = await Self.publish(store.port, token, from: 1)
      let answer = try #require(refusal)
      let words = String(decoding: answer.body, as: UTF8.self)
      #expect(answer.status == 507 && words.contains("disk is full"), "\(answer.status) \(words)")
      #expect(ids.count > 5)
      // Reading still works, and changes on devices are pending there.
      try mirror.pull(store.port)
      #expect(mirror.ids == ids.mapValues { [$0] })
      try await device.succeed("sync")
      let dismissed = try await device.bellhop("dismiss", "1")
      #expect(dismissed.exitCode == 0, "\(dismissed.errors)")

      try await disk.resize(kilobytes: 16_384)
      let (more, none) = await Self.publish(store.port, token, from: 1001, to: 1020)
      #expect(none == nil && more.count == 20)
      try await device.succeed("sync")
      try mirror.pull(store.port)
      #expect(mirror.ids == ids.merging(more) { $1 }.mapValues { [$0] })
      #expect(mirror.items[ids["Item 1"] ?? ""]?.action == "dismissed")
      #expect(try await store.administer(["check"]).exitCode == 0)

      // A store that starts on a full disk reports it, or serves.
      try await store.stop()
      try await disk.fill()
      let begun: Void? = try? await store.start()
      #expect(begun != nil || store.log.contains("full"), "\(store.log)")
      await store.end()
      try await disk.removeBallast()
      try await store.start()
      try mirror.pull(store.port)
      #expect(mirror.ids == ids.merging(more) { $1 }.mapValues { [$0] })
      try await Agreement.converge([device], mirror, store)
    }
  }

  @Test("a file that does not fit on the disk is refused, and none of it stays")
  func attachment() async throws {
    try await Scene.play { scene in
      let disk = try await SmallDisk(folder: scene.folder + "/store/data", kilobytes: 4096, scene)
      let store = try await scene.store(fault: .small(disk))
      let token = try await store.token(scope: "publish", "--any-app")
      func put(_ count: Int) async -> StoreLine.Answer? {
        await onThread {
          StoreLine(port: store.port, token: token)?.ask(
            "PUT", "/nas", headers: ["Filename: a.log"],
            body: String(repeating: "x", count: count))
        }
      }
      let refused = try #require(await put(6 << 20))
      let words = String(decoding: refused.body, as: UTF8.self)
      #expect(refused.status == 507 && words.contains("disk is full"), "\(words)")
      try await disk.waitUntilEmpty("files")
      let kept = try #require(await put(100_000))
      #expect(kept.status == 200, "\(String(decoding: kept.body, as: UTF8.self))")
      let checked = try await store.administer(["check"])
      #expect(checked.exitCode == 0, "\(checked.output)")
    }
  }

  @Test(
    "a device that fills its disk reports it, keeps what it confirmed, and catches up with space")
  func device() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let token = try await store.token(scope: "publish", "--any-app")
      let disk = try await SmallDisk(folder: scene.folder + "/desk/state", kilobytes: 3072, scene)
      let device = try await scene.device("desk", on: store, fault: .small(disk))
      let screen = try await scene.screen(on: device)
      _ = await Self.publish(store.port, token, from: 1, to: 3)
      try await screen.wait(for: "Item 3", "● live, all sent")
      try await device.succeed("dismiss", "1", "--wait")

      // More than fits on the disk.
      _ = await Self.publish(store.port, token, from: 4, to: 250)
      let refused = try await eventually("a refusal") {
        let outcome = try await device.bellhop("read", "2")
        return outcome.exitCode == 0 ? nil : outcome
      }
      #expect(refused.exitCode == 74 && refused.errors.contains("full"), "\(refused.errors)")
      // Keys still work: the screen shows the history and returns.
      try await screen.type("2")
      try await screen.wait(for: "[2 History")
      try await screen.type("1")
      try await screen.wait(for: "[1 Tray")

      try await disk.resize(kilobytes: 65_536)
      try await screen.type("R")
      try await screen.wait(for: "[1 Tray 249]", "all sent")
      var mirror = StoreMirror(token: try await store.token(scope: "device"))
      try mirror.pull(store.port)
      #expect(mirror.items.count == 250)
      #expect(mirror.items.values.first { $0.title == "Item 1" }?.action == "dismissed")
      try await Agreement.converge([device], mirror, store)
    }
  }
}
