import BellhopTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite("The command line", .realPrograms)
struct CommandLineTests {
  /// Enough for a round on a busy machine.
  private static let patientConfiguration = "sync-wait = 60000\n"

  private func patientDevice(
    _ name: String, on store: StoreProcess, _ scene: Scene
  ) async throws -> Device {
    let device = try await scene.device(name, on: store)
    try device.write(Self.patientConfiguration, to: device.configFile)
    return device
  }

  @Test("an item published by curl is in the next list, search, count and status without a screen")
  func current() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await patientDevice("desk", on: store, scene)
      try await publisher.publish("one", title: "First", app: "ci")
      #expect(try await device.succeed("list").contains("First"))
      try await publisher.publish("two", title: "Second", app: "ci")
      #expect(try await device.succeed("count", "app:ci", "is:unread") == "2")
      try await publisher.publish("three", title: "Third", app: "nas")
      #expect(try await device.succeed("search", "three").contains("Third"))
      try await publisher.publish("four", title: "Fourth", app: "nas")
      #expect(try await device.succeed("status").contains("tray        4, 4 unread"))
      try await publisher.publish("five", title: "Fifth", app: "mail")
      #expect(try await device.succeed("apps").contains("mail"))
      try await publisher.publish("six", title: "Sixth", app: "mail")
      #expect(try await device.succeed("show", "6").contains("Sixth"))
      try await publisher.publish("seven", title: "Seventh", app: "mail")
      let done = try await device.bellhop("dismiss", "7")
      #expect(done.exitCode == 0, "\(done.errors)")
      #expect(done.errors.contains("Dismissed #7 \"Seventh\" (mail)."), "\(done.errors)")
      try await publisher.publish("eight", title: "Eighth", app: "mail")
      let all = try await device.bellhop("dismiss", "--filter", "app:mail", "--yes")
      #expect(all.errors.contains("Dismissed 3 items."), "\(all.errors)")
      #expect(try await device.succeed("list", "app:mail") == "")
      #expect(try await device.succeed("list", "--offline", "--history", "app:mail") != "")
    }
  }

  @Test("a list without its store shows its age, in text and in JSON, and exits with 0")
  func unreachable() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await patientDevice("desk", on: store, scene)
      try await device.succeed("publish", "Disk is full")
      let before = try await device.bellhop("list", "--json")
      #expect(before.errors.isEmpty, "\(before.errors)")
      struct Line: Decodable { var synced: String? }
      func line(_ outcome: Outcome) throws -> Line {
        try JSONDecoder().decode(Line.self, from: Data(outcome.line.utf8))
      }
      let time = try #require(line(before).synced)
      try await store.stop()
      let after = try await device.bellhop("list")
      #expect(after.exitCode == 0 && after.output.contains("Disk is full"))
      #expect(after.errors.hasPrefix("As of "), "\(after.errors)")
      #expect(after.errors.contains("· store unreachable"), "\(after.errors)")
      let json = try await device.bellhop("list", "--json")
      let later = try #require(line(json).synced)
      #expect(later <= time, "\(json.output)")
      #expect(try await device.bellhop("list", "--offline").errors.isEmpty)
      #expect(try await device.succeed("status").contains("offline since"))
    }
  }

  @Test("a signed-out device shows by whom, and its status exits with 77")
  func signedOut() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let desk = try await patientDevice("desk", on: store, scene)
      let laptop = try await scene.device("laptop", on: store)
      try await desk.succeed("publish", "Disk is full")
      try await laptop.succeed("devices", "revoke", "desk")
      let status = try await desk.bellhop("status")
      #expect(status.exitCode == 77)
      #expect(status.output.contains("signed out by laptop"), "\(status.output)")
      #expect(status.errors.contains("bellhop login \(store.url)"), "\(status.errors)")
      let list = try await desk.bellhop("list")
      #expect(list.exitCode == 0 && list.output.contains("Disk is full"))
      #expect(list.errors.contains("signed out by laptop"), "\(list.errors)")
      // A slow store does not change that.
      try desk.write("sync-wait = 100\n", to: desk.configFile)
      store.signal(SIGSTOP)
      let slow = try await desk.bellhop("status")
      store.signal(SIGCONT)
      #expect(slow.exitCode == 77 && slow.output.contains("signed out by laptop"), "\(slow)")
    }
  }

  @Test("undo reverts what the last command changed, then what the earlier ones changed")
  func undo() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      for title in ["One", "Two", "Three"] { try await device.succeed("publish", title) }
      try await device.succeed("dismiss", "1", "2")
      try await device.succeed("restore", "1")
      try await device.succeed("read", "--filter", "Three")
      let first = try await device.bellhop("undo")
      #expect(first.errors.contains("Undone: marked 1 item read."), "\(first.errors)")
      #expect(
        try await device.items("list", "--filter", "is:unread").map(\.title) == ["Three", "One"])
      let second = try await device.bellhop("undo")
      #expect(second.errors.contains("Undone: put #1 \"One\" (terminal) back in the tray."))
      #expect(try await device.items("list").map(\.title) == ["Three"])
      let third = try await device.bellhop("undo", "--wait")
      #expect(third.errors.contains("Undone: dismissed 2 items."), "\(third.errors)")
      #expect(try await device.items("list").map(\.title) == ["Three", "Two", "One"])
      let none = try await device.bellhop("undo")
      #expect(none.exitCode == 66 && none.errors.contains("anything that can be undone"))
      let other = try await scene.device("laptop", on: store)
      try await other.succeed("sync")
      #expect(try await other.items("list").map(\.title) == ["Three", "Two", "One"])
    }
  }

  @Test("undo reverts settings, and reports an item that was deleted since")
  func undoOthers() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      for title in ["One", "Two"] { try await device.succeed("publish", title, "--app", "bank") }
      try await device.succeed("dismiss", "1")
      try await device.succeed("apps", "set", "bank", "--mute", "forever", "--name", "My bank")
      let settings = try await device.bellhop("undo")
      #expect(
        settings.errors.contains("Undone: changed the settings of bank."), "\(settings.errors)")
      let apps = try await device.succeed("apps")
      #expect(!apps.contains("muted") && !apps.contains("My bank"), "\(apps)")
      try await device.succeed("dnd", "--for", "1h")
      let silence = try await device.bellhop("undo", "--wait")
      #expect(silence.errors.contains("Undone: changed do-not-disturb."), "\(silence.errors)")
      #expect(try await device.succeed("dnd") == "do not disturb: off")
      let dismissal = try await device.bellhop("undo")
      #expect(dismissal.errors.contains("Undone: dismissed #1"), "\(dismissal.errors)")

      try await device.succeed("snooze", "2", "--for", "2h")
      try await device.succeed("delete", "2")
      let late = try await device.bellhop("undo")
      #expect(late.exitCode == 66 && late.errors.contains("Too late to undo: deleted #2"))
      let gone = try await device.bellhop("undo")
      #expect(gone.exitCode == 66, "\(gone.errors)")
      #expect(
        gone.errors.contains("#2 was deleted in the meantime; nothing was undone."),
        "\(gone.errors)")
      let none = try await device.bellhop("undo")
      #expect(none.errors.contains("anything that can be undone"), "\(none.errors)")
    }
  }

  @Test("a delete on a terminal can be undone for a while, in a pipe it is final at once")
  func delete() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      for title in ["One", "Two"] { try await device.succeed("publish", title) }
      let shell = try await scene.screen(on: device, columns: 100, program: "/bin/sh")
      try await shell.type("bellhop delete 1; bellhop list --offline; bellhop undo\n")
      try await shell.wait(
        for: "Deleted #1 \"One\" (terminal).", "To undo it within 5 s: bellhop undo.",
        "Undone: deleted #1 \"One\" (terminal).")
      #expect(try await device.items("list").map(\.title) == ["Two", "One"])
      let piped = try await device.bellhop("delete", "1")
      #expect(piped.errors.contains("Deleted #1"), "\(piped.errors)")
      #expect(!piped.errors.contains("bellhop undo"), "\(piped.errors)")
      let late = try await device.bellhop("undo")
      #expect(late.exitCode == 66, "\(late.errors)")
      #expect(late.errors.contains("Too late to undo: deleted #1"), "\(late.errors)")
      #expect(try await device.items("list").map(\.title) == ["Two"])
    }
  }

  @Test("ids come from a pipe, and lists in a pipe print a form for it")
  func pipes() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      for title in ["One", "Two", "Three"] {
        try await device.succeed("publish", title, "--app", title == "Two" ? "nas" : "ci")
      }
      let ids = try await device.succeed("list", "--ids", "app:ci")
      #expect(ids.split(separator: "\n").count == 2)
      let lines = try await device.succeed("list", "--format", "{number}\\t{app}: {title}")
      #expect(lines == "3\tci: Three\n2\tnas: Two\n1\tci: One")
      let zero = try await device.bellhop("list", "--print0", "--format", "{title}")
      #expect(zero.output == "Three\0Two\0One\0")
      // The first word of each line: ids, or the numbers of the columns.
      let done = try await device.bellhop("dismiss", "-", input: ids + "\n")
      #expect(done.exitCode == 0, "\(done.errors)")
      #expect(done.errors.contains("Dismissed #1 \"One\" (ci)."), "\(done.errors)")
      let columns = try await device.succeed("list")
      try await device.succeed("read", "-", input: columns + "\n")
      #expect(try await device.items("list").map(\.read) == [true])
      let none = try await device.bellhop("dismiss", "-", input: "\n")
      #expect(none.exitCode == 0 && none.errors.contains("contains no item"), "\(none.errors)")
      let word = try await device.bellhop("dismiss", "unread")
      #expect(word.exitCode == 64)
      #expect(word.errors.contains("\"unread\" is not an item number or id."), "\(word.errors)")
    }
  }

  @Test("a list for another command is complete, and a list that was cut says so")
  func limits() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store)
      for number in 1...103 { try await publisher.publish("Item \(number)", app: "ci") }
      try await publisher.publish("temperature", app: "nas")
      try await device.succeed("sync")
      #expect(try await device.succeed("list", "--ids").split(separator: "\n").count == 104)
      let cut = try await device.bellhop("list", "app:ci")
      #expect(cut.lines.count == 100)
      #expect(cut.errors.contains("100 of 103 shown; --limit 0 shows all."), "\(cut.errors)")
      let all = try await device.bellhop("list", "--json", "--limit", "0")
      #expect(all.lines.count == 104 && all.errors.isEmpty, "\(all.errors)")
      let others = try await device.bellhop("list", "-app:ci", "--format", "{title}{body}")
      #expect(others.lines.count == 1 && others.errors.isEmpty, "\(others.errors)")
      #expect(others.output.contains("temperature"), "\(others.output)")
      let silent = try await device.bellhop("list", "app:nosuch")
      #expect(silent.exitCode == 0 && silent.output.isEmpty && silent.errors.isEmpty)
      let shell = try await scene.screen(on: device, columns: 100, program: "/bin/sh")
      try await shell.type("bellhop list app:nosuch; bellhop search temprature\n")
      try await shell.wait(
        for: "No items match app:nosuch.",
        "No items match temprature. Did you mean temperature?")
    }
  }

  @Test("with a screen open, a published item is in the cache when publish returns")
  func published() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await patientDevice("desk", on: store, scene)
      let screen = try await scene.screen(on: device)
      try await screen.wait(for: "● live, all sent")
      for number in 1...3 {
        try await device.succeed("publish", "Item \(number)")
        #expect(try await device.items("list").first?.title == "Item \(number)")
      }
      // Also items from other publishers, because the running engine makes a round on request.
      let publisher = try await store.publisher()
      try await publisher.publish("by curl")
      #expect(try await device.succeed("list", "--limit", "1").contains("by curl"))
    }
  }

  @Test("a file is published with its item, and fetched unchanged")
  func attachment() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      let text = String(repeating: "line of a log\n", count: 20_000)
      try device.write(text, to: device.folder + "/backup.log")
      try await device.succeed("publish", "Backup failed", "--attach", "backup.log")
      #expect(try await device.succeed("attachment", "1").contains("backup.log"))
      let copy = device.folder + "/copy.log"
      try await device.succeed("attachment", "1", "--save", copy)
      #expect(try String(contentsOfFile: copy, encoding: .utf8) == text)
      let missing = try await device.bellhop("publish", "x", "--attach", "absent.log")
      #expect(missing.exitCode == 74, "\(missing.errors)")
      #expect(missing.errors.contains("Cannot read absent.log"), "\(missing.errors)")
      #expect(missing.errors.contains("Nothing was published."), "\(missing.errors)")
    }
  }

  @Test(
    "a typo is reported with a suggestion",
    arguments: [
      (["dissmis", "3"], 64, "\"dissmis\" is not a command. Did you mean dismiss?"),
      (["publish", "x", "--url", "foo"], 64, "\"foo\" is not a valid --url."),
      (["publish", "x", "--app", "my app"], 64, "\"my app\" is not a valid --app."),
      (["publish", "x", "--priority", "loud"], 64, "\"loud\" is not a valid --priority."),
      (["list", "--format", "{titel}"], 64, "{titel} is not a valid key; did you mean {title}?"),
      (["list", "--limit=-1"], 64, "--limit must be 0 (all) or more."),
      (["help", "lisst"], 64, "\"lisst\" is not a command or a topic. Did you mean list?"),
      (["help", "store", "stat"], 64, "\"stat\" is not a command. Did you mean start?"),
      (["list", "--unread"], 64, "Did you mean is:unread?"),
      (["list", "is:unred"], 64, "“unred” is not a state. Known: unread, read, tray,"),
      (["count", "is:unred"], 64, "Did you mean unread?"),
      (["list", "after:yesteday"], 64, "Did you mean yesterday?"),
      (["dismiss", "--filter", "is:unred"], 64, "Nothing was changed."),
      (["snooze", "1", "--for", "5x"], 64, "\"5x\" is not a valid span.\nUse 15m, 2h or 3d."),
      (["snooze", "1", "--until", "tomorow"], 64, "Did you mean tomorrow?"),
      (["dnd", "--for", "5x"], 64, "\"5x\" is not a valid span."),
      (["list", "app:ci", "--filter", "app:ci"], 64, "Write the filter as"),
      (["show", "nothing here"], 64, "\"nothing here\" is not an item number or id."),
    ])
  func mistyped(arguments: [String], exitCode: Int32, words: String) async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      let outcome = try await device.run(program: Programs.bellhop, arguments)
      #expect(outcome.exitCode == exitCode, "\(outcome.errors)")
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
      #expect(outcome.output.isEmpty)
      #expect(try await device.items().isEmpty)
    }
  }
}
