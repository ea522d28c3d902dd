import BellhopTestSupport
import Testing

@Suite("Changing the time of a delivery", .realPrograms)
struct RequestEditTests {
  @Test("it takes effect without the store, reaches the other device later, and can be undone")
  func offline() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let wire = try FaultyWire(to: store.port)
      scene.atEnd { wire.cut() }
      let home = try await scene.device("home", on: store)
      let away = try await scene.device("away", on: store, url: wire.url)
      try await home.succeed("publish", "Stand-up", "--app", "team", "--in", "2d")
      try await home.succeed("publish", "Water", "--app", "home", "--every", "tue 8:00")
      for device in [home, away] { try await device.succeed("sync") }
      let before = try await home.succeed("requests")
      #expect(before.contains("Stand-up") && before.contains("Tue at 08:00"), "\(before)")

      wire.cut()
      let once = try await away.bellhop("requests", "edit", "1", "--in", "5d")
      #expect(once.exitCode == 0, "\(once.errors)")
      #expect(once.errors.contains("Changed the time of #1"), "\(once.errors)")
      #expect(once.errors.contains("Not sent yet"), "\(once.errors)")
      try await away.succeed("requests", "edit", "2", "--every", "mon 9:00")
      let ahead = try await away.succeed("requests", "--offline")
      #expect(ahead.contains("Stand-up") && ahead.contains("Mon at 09:00"), "\(ahead)")
      let lines = before.split(separator: "\n")
      #expect(ahead.split(separator: "\n").allSatisfy { !lines.contains($0) }, "\(ahead)")
      try await home.succeed("sync")
      #expect(try await home.succeed("requests") == before)

      try wire.restore()
      for device in [away, home] { try await device.succeed("sync") }
      #expect(try await home.succeed("requests") == ahead)
      for _ in 1...2 { try await away.succeed("undo") }
      for device in [away, home] { try await device.succeed("sync") }
      #expect(try await home.succeed("requests") == before)
    }
  }

  @Test(
    "options that do not suit the item are refused, and change nothing",
    arguments: [
      (["1", "--every", "2h"], "is delivered once"), (["1"], "The new time is missing"),
      (["1", "--at", "2001-01-01T00:00:00Z"], "is in the past"),
      (["2", "--in", "2h"], "is delivered every 2 h"),
      (["2", "--every", "1s"], "is not a valid --every"),
      (["3", "--in", "2h"], "has been delivered"),
    ])
  func refused(options: [String], words: String) async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("home", on: store)
      try await device.succeed("publish", "Stand-up", "--app", "team", "--in", "2d")
      try await device.succeed("publish", "Water", "--app", "home", "--every", "2h")
      try await device.succeed("publish", "Hello", "--app", "home")
      try await device.succeed("sync")
      let before = try await device.succeed("requests")
      let answer = try await device.run(
        program: Programs.bellhop, ["requests", "edit"] + options)
      #expect(answer.exitCode == 64)
      #expect(answer.errors.contains(words), "\(answer.errors)")
      #expect(try await device.succeed("requests") == before)
    }
  }
}
