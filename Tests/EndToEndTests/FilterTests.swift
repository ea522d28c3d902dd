import BellhopTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite("Commands with a filter", .realPrograms)
struct FilterTests {
  @Test("a filter lists the items to be changed, and changes only those")
  func listedThenChanged() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store)
      let other = try await scene.device("laptop", on: store)
      for number in 1...3 {
        try await publisher.publish("tests failed", title: "build \(number)", app: "ci")
      }
      try await publisher.publish("disk full", title: "nas", app: "nas")
      try await publisher.publish("other tests", title: "docs", app: "ci-docs")
      try await device.succeed("sync")

      let listed = try await device.items("list", "--filter", "app:ci is:unread failed")
      #expect(listed.map(\.title) == ["build 3", "build 2", "build 1"])
      let done = try await device.bellhop(
        "dismiss", "--filter", "app:ci is:unread failed", "--wait")
      #expect(done.exitCode == 0 && done.errors.contains("Dismissed 3 items."))
      #expect(try await device.items("list").map(\.title) == ["docs", "nas"])
      try await other.succeed("sync")
      #expect(try await other.items("list").map(\.title) == ["docs", "nas"])
      let handled = try await other.items("list", "--handled", "--filter", "app:ci*")
      #expect(handled.map(\.title) == ["build 3", "build 2", "build 1"])
      #expect(handled.allSatisfy { $0.action == "dismissed" && $0.handledBy == "desk" })

      // Restore applies to handled items.
      try await device.succeed("restore", "--filter", "2", "--wait")
      #expect(try await device.items("list").map(\.title) == ["docs", "nas", "build 2"])
      try await device.succeed("snooze", "--filter", "app:nas", "--for", "2h", "--wait")
      #expect(try await device.items("list", "--snoozed").map(\.title) == ["nas"])
      #expect(try await device.items("list", "--snoozed", "--filter", "app:ci").isEmpty)
      let none = try await device.bellhop("read", "--filter", "app:absent")
      #expect(none.exitCode == 0 && none.errors.contains("Nothing was changed."))
    }
  }

  @Test("a filter that deletes asks first, and without a terminal requires --yes")
  func deletes() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      for number in 1...3 {
        try await device.succeed("publish", "build \(number)", "--app", "ci")
      }
      try await device.succeed("sync")
      let refused = try await device.bellhop("delete", "--filter", "app:ci")
      #expect(refused.exitCode == 64)
      #expect(refused.errors.contains("Use --yes to delete without confirmation"))
      #expect(try await device.items("list").count == 3)
      try await device.succeed("delete", "--filter", "app:nas", "--yes", "--wait")
      #expect(try await device.items("list", "--all").count == 3)
      try await device.succeed("delete", "--filter", "app:ci \"build 2\"", "--yes", "--wait")
      #expect(try await device.items("list", "--all").map(\.title) == ["build 3", "build 1"])
    }
  }

  @Test("an invalid filter changes nothing and is reported with a mark under the error")
  func misunderstood() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      try await device.succeed("publish", "Hello", "--app", "nas")
      for verb in ["list", "dismiss", "delete", "watch"] {
        let outcome = try await device.bellhop(verb, "--filter", "app:nas colour:red")
        #expect(outcome.exitCode == 64, "\(verb)")
        #expect(
          outcome.errors.contains("\n  app:nas colour:red\n          ^^^^^^^^^^\n"),
          "\(verb): \(outcome.errors)")
      }
      let unclear = [
        ["dismiss"], ["dismiss", "1", "--filter", "is:unread"], ["read", "1", "--all"],
        ["dismiss", "--filter", " "],
      ]
      for arguments in unclear {
        let outcome = try await device.run(program: Programs.bellhop, arguments)
        #expect(outcome.exitCode == 64, "\(arguments)")
      }
      #expect(try await device.items("list").map(\.title) == ["Hello"])
    }
  }

  @Test("on a terminal the question shows the count, and any answer except yes changes nothing")
  func asks() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      for number in 1...2 {
        try await device.succeed("publish", "build \(number)", "--app", "ci")
      }
      try await device.succeed("sync")
      let shell = try await scene.screen(on: device, program: "/bin/sh")
      try await shell.type("bellhop dismiss --filter app:ci\n")
      try await shell.wait(for: "Dismiss 2 items in the tray that match \"app:ci\"? [y/N]")
      try await shell.type("n\n")
      try await shell.wait(for: "Nothing was changed.")
      #expect(try await device.items("list").count == 2)
      try await shell.type("clear; bellhop dismiss --filter app:ci\n")
      try await shell.wait(for: "[y/N]")
      try await shell.type("y\n")
      try await shell.wait(for: "Dismissed 2 items.")
      #expect(try await device.items("list").isEmpty)
    }
  }
}
