import BellhopTestSupport
import Testing

@Suite("Rules of two devices", .realPrograms)
struct RuleCommandTests {
  @Test("a rule made on one device acts for all, and both say which rule it was")
  func provenance() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let laptop = try await scene.device("laptop", on: store)
      let desk = try await scene.device("desk", on: store)
      let added = try await laptop.bellhop(
        "rules", "add", "passed builds", "--when", "app:ci title~/(?i)passed|fixed/", "--level",
        "low", "--tag", "quiet", "--read", "--wait")
      #expect(added.exitCode == 0, "\(added.errors)")
      #expect(added.errors.contains("Added the rule “passed builds”: app:ci"), "\(added.errors)")
      try await publisher.publish("all green", title: "build 412 PASSED", app: "ci")
      try await publisher.publish("red", title: "build 413 failed", app: "ci")
      for device in [laptop, desk] {
        try await device.succeed("sync")
        let item = try #require(try await device.item(titled: "build 412 PASSED"))
        #expect(item.priority == "low" && item.tags == ["quiet"] && item.read, "\(item)")
        let shown = try await device.succeed("show", "\(item.number)")
        #expect(
          shown.contains("lowered to low, tagged quiet by the rule “passed builds”"), "\(shown)")
        #expect(shown.contains("read by the rule passed builds"), "\(shown)")
        let other = try #require(try await device.item(titled: "build 413 failed"))
        #expect(other.priority == "normal" && other.tags == [] && !other.read, "\(other)")
      }
      let number = try #require(try await desk.item(titled: "build 412 PASSED")).number
      let test = try await desk.succeed("rules", "test", "\(number)")
      #expect(test.contains("passed builds: level low, tag quiet, read"), "\(test)")

      let undone = try await desk.bellhop("rules", "undo", "\(number)", "--wait")
      #expect(undone.exitCode == 0, "\(undone.errors)")
      #expect(undone.errors.contains("Took back what rules did to #\(number)"), "\(undone.errors)")
      for device in [laptop, desk] {
        try await device.succeed("sync")
        let item = try #require(try await device.item(titled: "build 412 PASSED"))
        #expect(item.priority == "normal" && item.tags == [] && !item.read, "\(item)")
      }
      try await desk.succeed("undo", "--wait")
      try await laptop.succeed("sync")
      let again = try #require(try await laptop.item(titled: "build 412 PASSED"))
      #expect(again.priority == "low" && again.tags == ["quiet"] && again.read, "\(again)")
    }
  }

  @Test("two devices edit two rules offline, and both edits survive")
  func offlineEdits() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let wires = try (0..<2).map { _ in try FaultyWire(to: store.port) }
      scene.atEnd { for wire in wires { wire.cut() } }
      let away = try await scene.device("away", on: store, url: wires[0].url)
      let home = try await scene.device("home", on: store, url: wires[1].url)
      for name in ["first", "second"] {
        try await home.succeed("rules", "add", name, "--when", "app:ci", "--pin", "--wait")
      }
      try await away.succeed("sync")

      for wire in wires { wire.cut() }
      let edit = try await away.bellhop("rules", "edit", "first", "--level", "low")
      #expect(edit.exitCode == 0, "\(edit.errors)")
      #expect(edit.errors.contains("It will be sent later."), "\(edit.errors)")
      try await away.succeed("rules", "move", "first", "--last")
      try await home.succeed("rules", "edit", "second", "--silent", "--disable")
      let waiting = try await away.succeed("rules", "--offline")
      #expect(waiting.hasSuffix("app:ci → level low, pin · not sent yet"), "\(waiting)")

      for wire in wires { try wire.restore() }
      for device in [away, home, away] { try await device.succeed("sync") }
      for device in [away, home] {
        let rules = try await device.bellhop("rules", "--offline").lines
        #expect(rules.count == 2)
        #expect(rules.first?.hasPrefix("1   second ") == true, "\(rules)")
        #expect(rules.first?.hasSuffix("app:ci → silent, pin · disabled") == true, "\(rules)")
        #expect(rules.last?.hasPrefix("2   first ") == true, "\(rules)")
        #expect(rules.last?.hasSuffix("app:ci → level low, pin") == true, "\(rules)")
      }
    }
  }

  @Test("of two edits of one rule the first to reach the store counts, and the other is reported")
  func conflict() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let wire = try FaultyWire(to: store.port)
      scene.atEnd { wire.cut() }
      let away = try await scene.device("away", on: store, url: wire.url)
      let home = try await scene.device("home", on: store)
      try await home.succeed("rules", "add", "builds", "--when", "app:ci", "--pin", "--wait")
      try await away.succeed("sync")
      wire.cut()
      try await away.succeed("rules", "edit", "builds", "--level", "low")
      try await home.succeed("rules", "edit", "builds", "--silent", "--wait")
      try wire.restore()
      try await away.succeed("sync")
      #expect(
        try await away.succeed("rules", "--offline").hasSuffix("app:ci → silent, pin"))
      let refused = try await away.succeed("outbox", "--refused")
      #expect(refused.contains("another device changed the rule first"), "\(refused)")
    }
  }

  @Test("each change of a rule is undone, the last one first")
  func undo() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      func rules() async throws -> String {
        try await device.succeed("sync")
        return try await device.succeed("rules", "--offline")
      }
      var states = [try await rules()]
      for arguments in [
        ["add", "a", "--when", "app:ci", "--silent"],
        ["add", "b", "--when", "-app:ci", "--level", "high", "--before", "a"],
        ["edit", "A", "--rename", "c", "--without", "silent", "--read"],
        ["move", "c", "--first"], ["edit", "b", "--disable"],
      ] {
        let before = states[states.count - 1]
        let outcome = try await device.run(
          program: Programs.bellhop, ["rules"] + arguments + ["--wait"])
        #expect(outcome.exitCode == 0, "\(arguments): \(outcome.errors)")
        states.append(try await rules())
        #expect(states[states.count - 1] != before, "\(arguments)")
      }
      for state in states.dropLast().reversed() {
        try await device.succeed("undo", "--wait")
        #expect(try await rules() == state)
      }
      #expect(try await device.bellhop("undo").exitCode == 66)
    }
  }

  @Test("rules are exported, replaced by an import, and are back after one undo")
  func files() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      func rules() async throws -> String {
        try await device.succeed("sync")
        return try await device.succeed("rules", "--offline")
      }
      for name in ["a", "b"] {
        try await device.succeed("rules", "add", name, "--when", "app:ci", "--silent", "--wait")
      }
      let before = try await rules()
      let file = device.folder + "/rules.toml"
      try await device.succeed("rules", "export", file)
      #expect(try await device.bellhop("rules", "export", file).exitCode == 73)
      let same = try await device.bellhop("rules", "import", file, "--replace")
      #expect(same.errors.contains("The rules are already as in \(file)."), "\(same.errors)")

      let imported = try await device.bellhop(
        "rules", "import", "-", "--replace", "--wait",
        input: "[[rule]]\nname = \"d\"\nwhen = 'title~/x/'\ndismiss = true\n")
      #expect(imported.exitCode == 0, "\(imported.errors)")
      #expect(imported.errors.contains(": 1 added, 2 removed."), "\(imported.errors)")
      #expect(try await rules().hasSuffix("title~/x/ → dismiss"))
      try await device.succeed("undo", "--wait")
      #expect(try await rules() == before)
      try await device.succeed("rules", "remove", "b", "--wait")
      #expect(try await rules() != before)
      try await device.succeed("undo", "--wait")
      #expect(try await rules() == before)
    }
  }

  @Test("a mistake changes no rule, and says what to do")
  func mistakes() async throws {
    try await Scene.play { scene in
      let new = try scene.device("new")
      #expect(try await new.bellhop("rules").exitCode == 64)
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      let twins = "[[rule]]\nname = \"twin\"\nwhen = 'app:ci'\npin = true\n"
      try await device.succeed("rules", "import", "-", "--wait", input: twins + twins)
      try await device.succeed("sync")
      let before = try await device.succeed("rules", "--offline")
      let ambiguous = try await device.bellhop("rules", "remove", "Twin")
      #expect(ambiguous.exitCode == 64, "\(ambiguous.errors)")
      #expect(ambiguous.errors.contains("2 rules have the name “Twin”"), "\(ambiguous.errors)")
      let empty = try await device.bellhop("rules", "import", "-", "--replace", input: "")
      #expect(empty.exitCode == 65)
      #expect(empty.errors.contains("contains no rules"), "\(empty.errors)")
      let wrong = try await device.bellhop(
        "rules", "import", "-", "--replace", input: twins + "[[rule]]\nname = \"x\"\nwhen = 3\n")
      #expect(wrong.exitCode == 65)
      #expect(wrong.errors.contains("standard input, line 7"), "\(wrong.errors)")
      for (arguments, code) in [
        (["remove", "none"], 66), (["edit", "none", "--silent"], 66),
        (["add", "TWIN", "--when", "app:ci", "--silent"], 64),
        (["add", "x", "--when", "app:ci"], 64), (["add", "x", "--silent"], 64),
        (["add", "x", "--when", "is:unread", "--silent"], 64), (["move", "twin"], 64),
        (["test", "9999"], 66), (["undo", "9999"], 66),
        (["import", device.folder + "/none.toml"], 74),
      ] {
        let outcome = try await device.run(program: Programs.bellhop, ["rules"] + arguments)
        #expect(Int(outcome.exitCode) == code, "\(arguments): \(outcome.errors)")
      }
      #expect(try await device.succeed("rules", "--offline") == before)
    }
  }
}
