import BellhopTestSupport
import FoundationEssentials
import Testing

@Suite("A damaged or newer cache", .realPrograms)
struct DamagedCacheTests {
  private func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
  }

  private func overwrite(_ path: String, at position: Int, with new: [UInt8]) throws {
    var all = try bytes(path)
    all.replaceSubrange(position..<(position + new.count), with: new)
    try Data(all).write(to: URL(filePath: path))
  }

  @Test("a damaged cache is set aside, unsent operations are rescued, the rest is fetched again")
  func damaged() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      for number in 1...3 { try await device.succeed("publish", "Item \(number)") }
      try await device.succeed("sync")
      try await store.stop()
      try await device.succeed("dismiss", "2")

      let file = try device.cacheFile()
      try overwrite(file, at: 0, with: [UInt8](repeating: 0x5A, count: 4096))
      let told = try await device.bellhop("list")
      #expect(told.exitCode == 0, "\(told.errors)")
      #expect(told.errors.contains("The cache was damaged."), "\(told.errors)")
      let folder = URL(filePath: file).deletingLastPathComponent().path
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(names.contains { $0.hasPrefix("cache.sqlite.damaged") }, "\(names)")

      try await store.start()
      try await device.succeed("sync")
      let items = try await device.items()
      #expect(items.map(\.title) == ["Item 3", "Item 2", "Item 1"])
      #expect(items.map(\.action) == ["noInteraction", "dismissed", "noInteraction"])
      #expect(items.allSatisfy { !$0.waiting })
    }
  }

  @Test("a cache of a newer version is not touched: exit 78")
  func newer() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      try await device.succeed("publish", "Hello")
      try await device.succeed("sync")
      let file = try device.cacheFile()
      // SQLite's user_version is at byte 60 of the header.
      try overwrite(file, at: 60, with: [0, 0, 0x7F, 0xFF])
      let before = try bytes(file)
      for arguments in [["list"], ["sync"], ["dismiss", "1"]] {
        let outcome = try await device.run(program: Programs.bellhop, arguments)
        #expect(outcome.exitCode == 78, "\(arguments): \(outcome.errors)")
        #expect(outcome.errors.contains("newer version"))
      }
      let screen = try await scene.screen(on: device)
      #expect(try await screen.waitForEnd() == 78)
      #expect(try bytes(file) == before)
    }
  }
}
