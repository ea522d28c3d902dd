import BellhopTestSupport
import Testing

@Suite("Publishing without a connection", .realPrograms)
struct OfflinePublishingTests {
  @Test("an item is listed and handled before it is sent, and is then published exactly once")
  func offline() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let wire = try FaultyWire(to: store.port)
      scene.atEnd { wire.cut() }
      let home = try await scene.device("home", on: store)
      let away = try await scene.device("away", on: store, url: wire.url)
      try await away.succeed("sync")

      wire.cut()
      let published = try await away.bellhop("publish", "Water the plants", "--app", "home")
      #expect(published.exitCode == 0, "\(published.errors)")
      #expect(published.errors.contains("Not sent yet: "), "\(published.errors)")
      #expect(
        published.errors.contains("It is sent with the next synchronisation."),
        "\(published.errors)")
      let id = published.line
      #expect(id.count == 36)
      let list = try await away.succeed("list", "--offline")
      #expect(list.contains("#–") && list.contains("Water the plants"), "\(list)")
      #expect(try await away.succeed("show", id, "--offline").contains("Water the plants"))
      let outbox = try await away.succeed("outbox")
      #expect(outbox.contains("publish #– 'Water the plants'"), "\(outbox)")
      let json = try await away.succeed("list", "--offline", "--json")
      #expect(!json.contains(#""number""#) && json.contains(id), "\(json)")
      let dismissed = try await away.bellhop("dismiss", id)
      #expect(dismissed.exitCode == 0, "\(dismissed.errors)")
      #expect(
        dismissed.errors.contains("Dismissed \(id.prefix(8)) \"Water the plants\" (home)"),
        "\(dismissed.errors)")
      #expect(try await !away.succeed("list", "--offline").contains("Water the plants"))

      try wire.restore()
      for device in [away, home, away] { try await device.succeed("sync") }
      for device in [away, home] {
        let item = try #require(try await device.item(titled: "Water the plants"))
        #expect(item.id == id)
        #expect(item.number == 1)
        #expect(item.action == "dismissed")
        #expect(!item.waiting)
      }
      #expect(try await home.items().count == 1)
      #expect(try await away.succeed("outbox") == "")
    }
  }

  @Test("requests are listed and cancelled before they are sent, and keep their order")
  func requests() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let wire = try FaultyWire(to: store.port)
      scene.atEnd { wire.cut() }
      let away = try await scene.device("away", on: store, url: wire.url)
      try await away.succeed("sync")

      wire.cut()
      let once = try await away.bellhop("publish", "Stand-up", "--app", "team", "--in", "2d")
      #expect(once.exitCode == 0, "\(once.errors)")
      #expect(
        once.errors.contains("To cancel it: bellhop requests cancel \(once.line)"),
        "\(once.errors)")
      let often = try await away.succeed("publish", "Stretch", "--app", "home", "--every", "2h")
      #expect(often.count == 36)
      let listed = try await away.succeed("requests", "--offline")
      #expect(listed.contains("Stand-up") && listed.contains("every 2 h"), "\(listed)")
      let cancelled = try await away.bellhop("requests", "cancel", once.line)
      #expect(cancelled.exitCode == 0, "\(cancelled.errors)")
      #expect(try await !away.succeed("requests", "--offline").contains("Stand-up"))

      try wire.restore()
      // Earlier publications are sent first.
      try await away.succeed("publish", "Now", "--app", "home")
      try await away.succeed("sync")
      let items = try await away.items("list", "--scheduled")
      #expect(items.map(\.title) == ["Stretch"])
      #expect(try await away.item(titled: "Now")?.number == 3)
      #expect(try await away.succeed("outbox") == "")
    }
  }

  @Test("what the store refuses later is reported with the reason")
  func refused() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let wire = try FaultyWire(to: store.port)
      scene.atEnd { wire.cut() }
      let away = try await scene.device("away", on: store, url: wire.url)
      let home = try await scene.device("home", on: store)
      try await home.succeed("apps", "set", "ads", "--new", "--notify", "never")

      wire.cut()
      try await away.succeed("publish", "Buy", "--app", "ads")
      try wire.restore()
      try await away.succeed("sync")
      #expect(try await away.items().isEmpty)
      let refused = try await away.succeed("outbox", "--refused")
      #expect(refused.contains("publish #– 'Buy'"), "\(refused)")
      #expect(
        refused.contains("was not published: not allowed: the user does not accept"),
        "\(refused)")
    }
  }

  @Test(
    "what needs the store is not published without it",
    arguments: [["--attach", "note.txt"], ["--answer"]])
  func needsStore(options: [String]) async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let wire = try FaultyWire(to: store.port)
      scene.atEnd { wire.cut() }
      let away = try await scene.device("away", on: store, url: wire.url)
      try await away.succeed("sync")
      try away.write("text", to: away.folder + "/note.txt")
      wire.cut()
      let answer = try await away.run(
        program: Programs.bellhop, ["publish", "May I?"] + options)
      #expect(answer.exitCode == 69, "\(answer.errors)")
      #expect(answer.errors.contains("Not published: "), "\(answer.errors)")
      #expect(try await away.items().isEmpty)
      #expect(try await away.succeed("outbox") == "")
    }
  }
}
