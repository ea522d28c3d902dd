import BellhopTestSupport
import Foundation
import Glibc
import Testing

@Suite("On a faulty machine", .realPrograms)
struct FaultTests {
  private static let day = 86_400

  @Test("clocks a day ahead and a day behind change neither trays nor snoozes")
  func clocks() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let devices = [
        try await scene.device("ahead", on: store, fault: .clock(seconds: Self.day)),
        try await scene.device("behind", on: store, fault: .clock(seconds: -Self.day)),
        try await scene.device("right", on: store),
      ]
      for (name, title) in [("passing", "One hour in the tray"), ("lasting", "To be dismissed")] {
        let answer = try await publisher.publishGraph(
          """
          { "targetHostName": "ci", "appNotificationId": "\(name)", "displayTimeToLive": "3600",
            "payload": { "visualContent": { "title": "\(title)" } } }
          """)
        #expect(answer.status == 201, "\(answer.body)")
      }
      for device in devices {
        try await device.succeed("sync")
        for title in ["One hour in the tray", "To be dismissed"] {
          #expect(try await device.item(titled: title)?.placement == "tray", "on \(device.name)")
        }
      }

      let passing = try #require(try await devices[0].item(titled: "One hour in the tray"))
      try await devices[0].succeed("snooze", passing.id, "--for", "2h", "--wait")
      try await devices[1].succeed("dismiss", "--wait", "#2")
      var ends: Set<String?> = []
      for device in devices {
        try await device.succeed("sync")
        let snoozed = try #require(try await device.item(titled: "One hour in the tray"))
        #expect(snoozed.placement == "snoozed", "on \(device.name)")
        ends.insert(snoozed.snoozedUntil)
        let dismissed = try #require(try await device.item(titled: "To be dismissed"))
        #expect(dismissed.action == "dismissed" && dismissed.handledBy == "behind")
        // By the store's clock, whatever the device's shows: ISO 8601 sorts as text.
        let handled = try #require(dismissed.handledAt)
        #expect(dismissed.created <= handled && handled < snoozed.snoozedUntil ?? "")
      }
      #expect(ends.count == 1 && ends != [nil])
    }
  }

  @Test("a screen whose disk can't sync reports it, and its changes are at the store")
  func unsyncedScreen() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let disk = try FaultyDisk(folder: scene.folder + "/desk/state")
      let desk = try await scene.device("desk", on: store, fault: .disk(disk))
      let other = try await scene.device("other", on: store)
      try await publisher.publish("Backup finished")
      let screen = try await scene.screen(on: desk, columns: 120)
      try await screen.wait(for: "Backup finished", "● live, all sent")

      try disk.fail(.syncs, with: EIO, from: 0)
      try await screen.type("d")
      try await screen.wait(for: "Done, but a power cut may lose changes that are not sent yet")
      #expect(try disk.failures > 0)
      try await screen.wait(for: "● live, all sent")
      try await other.succeed("sync")
      #expect(try await other.items().map(\.action) == ["dismissed"])
      try disk.heal()
      try await screen.type("u")
      try await screen.wait(for: "[1 Tray 1]", "● live, all sent")
    }
  }

  @Test("changes made on an offline screen are still there after a power cut")
  func powerCut() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let disk = try FaultyDisk(folder: scene.folder + "/desk/state", forgets: true)
      let desk = try await scene.device("desk", on: store, fault: .disk(disk))
      for title in ["First", "Second"] { try await publisher.publish("…", title: title) }
      try await desk.succeed("sync")
      let screen = try await scene.screen(on: desk, columns: 120)
      try await screen.wait(for: "First", "Second", "● live, all sent")
      try await store.crash()
      try await screen.wait(for: "○ offline")
      try await screen.type("ggd")
      try await screen.wait(for: "Dismissed “Second”", "1 waiting")
      // A screen syncs in the background; a command returns only after the disk has its change.
      try await eventually("the disk has what was done") { try disk.unsyncedBytes == 0 }
      try await desk.succeed("dismiss", "1")
      try await screen.kill(SIGKILL)
      var random = SeededRandom(seed: 1)
      try disk.losePower(.nothing, &random)

      for title in ["First", "Second"] {
        let item = try #require(try await desk.item(titled: title))
        #expect(item.action == "dismissed" && item.waiting, "\(title)")
      }
      try await store.start()
      try await desk.succeed("sync")
      for title in ["First", "Second"] {
        let item = try #require(try await desk.item(titled: title))
        #expect(item.action == "dismissed" && !item.waiting, "\(title)")
      }
    }
  }

  @Test("a store with a full disk refuses with the reason, and continues when there is space")
  func fullStore() async throws {
    try await Scene.play { scene in
      let disk = try FaultyDisk(folder: scene.folder + "/store/data")
      let store = try await scene.store(fault: .disk(disk))
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store)
      try await publisher.publish("…", title: "before")
      try await device.succeed("sync")

      try disk.fill()
      let refused = try await publisher.curl("/full", body: "Refused")
      #expect(refused.status == 507 && refused.body.contains("disk is full"), "\(refused.body)")
      let command = try await device.bellhop("publish", "Refused")
      #expect(command.exitCode == 69 && command.errors.contains("full"), "\(command.errors)")
      // Reading still works, and changes here are pending.
      let dismissed = try await device.bellhop("dismiss", "1")
      #expect(dismissed.exitCode == 0, "\(dismissed.errors)")
      #expect(try await device.item(titled: "before")?.waiting == true)
      #expect(try await publisher.curl("/health").status != 0)

      try disk.makeRoom()
      try await publisher.publish("…", title: "after")
      try await device.succeed("sync")
      let before = try #require(try await device.item(titled: "before"))
      #expect(before.action == "dismissed" && !before.waiting)
      #expect(try await device.item(titled: "after") != nil)
      #expect(try await device.items().count == 2)
    }
  }

  @Test("a store without free file descriptors reports it, serves its clients, and recovers")
  func openFiles() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let process = try #require(store.processID)
      let token = try await store.token(scope: "publish", "--any-app")
      let (port, first) = (store.port, Kept(StoreLine(port: store.port, token: token)))
      let item = #"{"targetHostName":"ci","payload":{"visualContent":{"title":"served"}}}"#
      @Sendable func publish(_ line: Kept) async -> Int? {
        await onThread {
          line.line?.ask("POST", "/v1.0/me/notifications", body: item)?.status
        }
      }
      #expect(await publish(first) == 201)

      func openFiles() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
      }
      let open = try openFiles()
      // Enough for files, and for no more connections.
      try await limitOpenFiles(of: process, to: open + 20, scene)
      let waiting = (1...20).map { _ in
        Task.besidePrograms { await publish(Kept(StoreLine(port: port, token: token))) }
      }
      try await eventually("the complaint") { store.log.contains("too many open files") }
      for _ in 1...50 { #expect(await publish(first) == 201) }
      #expect(try openFiles() < open + 20)

      try await limitOpenFiles(of: process, to: 1024, scene)
      for answer in waiting { #expect(try await answer.value == 201) }
      #expect(await publish(first) == 201)
      #expect(store.log.components(separatedBy: "too many open files").count == 2, "once")
      #expect(try await store.stop() == .exited(0))
    }
  }

  /// A connection passed between threads, used by one at a time.
  private final class Kept: @unchecked Sendable {
    let line: StoreLine?
    init(_ line: StoreLine?) { self.line = line }
  }

  /// Sets the soft limit of a running process.
  private func limitOpenFiles(of process: pid_t, to count: Int, _ scene: Scene) async throws {
    let child = try Child(
      "/usr/bin/prlimit", ["--pid", "\(process)", "--nofile=\(count):"],
      environment: ["PATH": "/usr/bin:/bin"], directory: "/", folder: scene.folder + "/prlimit")
    guard try await child.waitForEnd() == .exited(0) else {
      throw NotSeen("another limit", seen: child.errors)
    }
  }

  @Test("a device with a full disk changes nothing, reports it, and works again with space")
  func fullDevice() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let disk = try FaultyDisk(folder: scene.folder + "/desk/state")
      let device = try await scene.device("desk", on: store, fault: .disk(disk))
      try await publisher.publish("…", title: "one")
      try await device.succeed("sync")

      try disk.fill()
      let refused = try await device.bellhop("dismiss", "1")
      #expect(refused.exitCode == 74 && refused.errors.contains("full"), "\(refused.errors)")

      try disk.makeRoom()
      #expect(try await device.item(titled: "one")?.action == "noInteraction")
      try await device.succeed("dismiss", "1", "--wait")
      #expect(try await device.item(titled: "one")?.action == "dismissed")
    }
  }
}
