import BellhopTestSupport
import Testing

@Suite("Rules on what is already there", .realPrograms)
struct RuleApplyTests {
  /// The number of an account's kept items that pass a filter, as its cache has them.
  private func count(_ device: Device, _ filter: String) async throws -> String {
    try await device.succeed("count", "--all", "--offline", "--filter=\(filter)")
  }

  /// Waits until an agent has brought this many kept items that pass a filter.
  private func wait(
    for expected: String, _ filter: String, on device: Device
  ) async throws {
    var last = ""
    try await eventually(
      "\(expected) items with \(filter)", every: .milliseconds(300), last: last,
      holds: {
        last = try await count(device, filter)
        return last == expected
      })
  }

  @Test("10,000 items are changed by a rule and back by one undo")
  func manyItems() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let laptop = try await scene.device("laptop", on: store)
      let desk = try await scene.device("desk", on: store)
      for start in stride(from: 0, to: 10_000, by: 1_000) {
        let lines = (start..<start + 1_000).map {
          #"{"targetHostName":"ci","payload":{"visualContent":{"title":"build \#($0)"}}}"#
        }
        let answer = try await publisher.curl(
          "/v1.0/me/notifications/bulk", body: lines.joined(separator: "\n"))
        #expect(answer.status == 200, "\(answer.body.prefix(200))")
      }
      try await publisher.publish("red", title: "build of another app", app: "nas")
      let agent = try Child(
        Programs.bellhop, ["agent"], environment: desk.environment, directory: desk.folder,
        folder: desk.folder + "/output")
      scene.atEnd { await agent.end() }
      try await laptop.succeed("sync")
      try await wait(for: "10000", "app:ci", on: desk)

      let added = try await laptop.bellhop(
        "rules", "add", "builds", "--when", "app:ci title~/^build/", "--level", "low", "--tag",
        "old", "--dismiss", "--apply", "--wait")
      #expect(added.exitCode == 0, "\(added.errors)")
      #expect(
        added.errors.contains("Added the rule “builds” and applied it to 10,000 items: app:ci"),
        "\(added.errors)")
      #expect(try await count(laptop, "level:low tag:old is:handled") == "10000")
      #expect(try await count(laptop, "-is:handled") == "1")
      try await wait(for: "10000", "level:low tag:old is:handled", on: desk)
      #expect(try await count(desk, "-is:handled") == "1")
      let item = try #require(
        try await desk.items("list", "--all", "--limit", "1", "--filter", "app:ci").first)
      let shown = try await desk.succeed("show", "\(item.number)", "--offline")
      #expect(shown.contains("lowered to low, tagged old by the rule “builds”"), "\(shown)")

      let undone = try await laptop.bellhop("undo", "--wait")
      #expect(undone.exitCode == 0, "\(undone.errors)")
      #expect(
        undone.errors.contains(
          "Undone: added the rule “builds” and applied it to 10,000 items."), "\(undone.errors)")
      #expect(try await count(laptop, "level:normal -tag:old -is:handled") == "10001")
      try await wait(for: "10001", "level:normal -tag:old -is:handled", on: desk)
      #expect(try await desk.succeed("rules", "--offline") == "")
    }
  }

  @Test("a preview finds what a rule then does")
  func preview() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store)
      for number in 1...3 {
        for result in ["passed", "failed"] {
          try await publisher.publish(
            "done", title: "build \(number) \(result)", app: number == 3 ? "nas" : "ci")
        }
      }
      try await device.succeed("sync")
      let numbers = try await device.items().filter { item in
        item.app == "ci" && item.title?.hasSuffix("passed") == true
      }.map { "#\($0.number)" }
      #expect(numbers.count == 2)
      func preview(_ arguments: String...) async throws -> [String] {
        let outcome = try await device.run(
          program: Programs.bellhop, ["rules", "test", "--offline"] + arguments)
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        return outcome.lines.map(String.init)
      }

      let before = try await preview("--when", "app:ci title~/passed$/")
      #expect(before.first == "The condition would have matched 2 items of the last 30 days:")
      #expect(before.dropFirst().map { $0.prefix { $0 != " " } } == numbers.map { $0[...] })

      let added = try await device.bellhop(
        "rules", "add", "passed", "--when", "app:ci title~/passed$/", "--level", "low", "--stop",
        "--wait")
      #expect(
        added.errors.contains(
          "The rule “passed” would have matched 2 items of the last 30 days.\nAdded the rule"),
        "\(added.errors)")
      let own = try await preview("--rule", "passed")
      #expect(own.first == "The rule “passed” would have matched 2 items of the last 30 days:")
      #expect(own.dropFirst() == before.dropFirst())
      let later = try await preview("--when", "app:ci")
      #expect(
        later.first
          == "The condition would have matched 4 items of the last 30 days. "
          + "For 2 of them, an earlier rule stops. The others:")
      #expect(try await device.succeed("rules", "--offline").contains(" 2 in 30d  app:ci title~"))

      let applied = try await device.bellhop("rules", "apply", "passed", "--yes", "--wait")
      #expect(
        applied.errors.contains("Applied the rule “passed” to 2 items:"), "\(applied.errors)")
      func lowered() async throws -> [String] {
        try await device.items().filter { $0.priority == "low" }.map { "#\($0.number)" }
      }
      #expect(try await lowered() == numbers)
      // A publication meets the condition of the preview, too.
      try await publisher.publish("done", title: "build 4 passed", app: "ci")
      try await publisher.publish("done", title: "build 4 failed", app: "ci")
      try await device.succeed("sync")
      #expect(try await lowered().count == 3)
      try await device.succeed("undo", "--wait")
      #expect(try await lowered().count == 1)
      let none = try await device.bellhop("rules", "test")
      #expect(none.exitCode == 64 && none.errors.contains("--when or --rule"), "\(none.errors)")
    }
  }

  @Test("on a terminal a rule is shown with what it would match before it is saved or applied")
  func asks() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      for number in 1...2 {
        try await device.succeed("publish", "build \(number)", "--app", "ci")
      }
      try await device.succeed("sync")
      let add = "clear; bellhop rules add ci --when app:ci --level low\n"
      let shell = try await scene.screen(on: device, program: "/bin/sh")
      try await shell.type(add)
      try await shell.wait(
        for: "would have matched 2 items of the last 30 days:", "build 2", "build 1",
        "Add the rule “ci”? [y/N]")
      try await shell.type("n\n")
      try await shell.wait(for: "Nothing was changed.")
      #expect(try await device.succeed("rules", "--offline") == "")
      try await shell.type(add)
      try await shell.wait(for: "[y/N]")
      try await shell.type("y\n")
      try await shell.wait(for: "Added the rule “ci”")

      try await shell.type("clear; bellhop rules apply ci\n")
      try await shell.wait(for: "Apply the rule “ci” to 2 items? [y/N]")
      try await shell.type("n\n")
      try await shell.wait(for: "Nothing was changed.")
      #expect(try await count(device, "level:low") == "0")
      try await shell.type("clear; bellhop rules apply ci\n")
      try await shell.wait(for: "[y/N]")
      try await shell.type("y\n")
      try await shell.wait(for: "Applied the rule “ci” to 2 items")
      #expect(try await count(device, "level:low") == "2")
      // A change of the name alone needs no answer.
      try await shell.type("clear; bellhop rules edit ci --rename builds\n")
      try await shell.wait(for: "Changed the rule “ci”")
    }
  }

  @Test("before the first synchronisation has ended a rule is not applied")
  func firstSync() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let wire = try FaultyWire(to: store.port)
      scene.atEnd { wire.cut() }
      let device = try await scene.device("new", on: store, url: wire.url)
      wire.cut()
      let refused = try await device.bellhop(
        "rules", "add", "ci", "--when", "app:ci", "--silent", "--apply")
      #expect(refused.exitCode == 75, "\(refused.errors)")
      #expect(refused.errors.contains("bellhop sync finishes it"), "\(refused.errors)")
      #expect(try await device.succeed("rules", "--offline") == "")
      try await device.succeed("rules", "add", "ci", "--when", "app:ci", "--silent")
      #expect(try await device.bellhop("rules", "apply", "ci").exitCode == 75)
      try wire.restore()
      try await device.succeed("sync")
      let none = try await device.bellhop("rules", "apply", "ci")
      #expect(none.exitCode == 0, "\(none.errors)")
      #expect(none.errors.contains("No items match the rule “ci”."), "\(none.errors)")
    }
  }
}
