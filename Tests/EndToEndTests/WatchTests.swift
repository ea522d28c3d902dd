import BellhopTestSupport
import FoundationEssentials
import Glibc
import Testing

/// A line of `bellhop watch --json`, as far as these tests check it.
private struct WatchedChange: Decodable {
  var status: String
  var number: Int64
  var title: String?
  var action: String?
}

extension Child {
  /// The complete lines of JSON so far.
  fileprivate var changes: [WatchedChange] {
    output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap {
      try? JSONDecoder().decode(WatchedChange.self, from: Data($0.utf8))
    }
  }
}

@Suite("Watching", .realPrograms)
struct WatchTests {
  private func watch(_ scene: Scene, _ device: Device, _ arguments: String...) throws -> Child {
    let child = try Child(
      Programs.bellhop, ["watch"] + arguments, environment: device.environment,
      directory: device.folder, folder: device.folder + "/output")
    scene.atEnd { await child.end() }
    return child
  }

  /// Waits until the watch has begun: it stores its position before it reads.
  private func hasBegun(_ device: Device, name: String = "default") async throws {
    let place = device.accountsFolder + "/home/watch/\(name).json"
    try await eventually("a watch that has begun") {
      FileManager.default.fileExists(atPath: place)
    }
  }

  @Test(
    "each change is a line, and the next watch continues where the last one was ended or killed")
  func resumes() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("laptop", on: store)
      try await publisher.publish("before", title: "before")
      try await device.succeed("sync")

      let first = try watch(scene, device, "--json")
      try await hasBegun(device)
      try await publisher.publish("one", title: "one")
      try await publisher.publish("two", title: "two")
      try await eventually("two lines") { first.changes.count >= 2 }
      // Through the running watch, which synchronises for both.
      try await device.succeed("dismiss", "2", "--wait")
      try await eventually("the dismissal") { first.changes.count >= 3 }
      first.signal(SIGTERM)
      try await first.waitForEnd(as: .exited(0))
      #expect(first.changes.map(\.title) == ["one", "two", "one"])
      #expect(first.changes.map(\.action) == ["noInteraction", "noInteraction", "dismissed"])

      try await publisher.publish("three", title: "three")
      try await device.succeed("delete", "3", "--wait")
      let second = try watch(scene, device, "--json")
      try await eventually("what came meanwhile") { second.changes.count >= 2 }
      #expect(
        Set(second.changes.map { "\($0.status) \($0.number)" }) == ["active 4", "deleted 3"])
      // Printed lines are recorded as printed even if the watch is killed.
      try await publisher.publish("four", title: "four")
      try await eventually("the next line") { second.changes.count >= 3 }
      try await publisher.publish("five", title: "five")
      try await eventually("the line after it") { second.changes.count >= 4 }
      second.signal(SIGKILL)
      _ = try await second.waitForEnd()
      try await publisher.publish("six", title: "six")
      let third = try watch(scene, device, "--json")
      try await eventually("six") { third.changes.contains { $0.title == "six" } }
      // Killed between printing and recording, it repeats its last batch, and no other.
      #expect([["six"], ["five", "six"]].contains(third.changes.compactMap(\.title)))
    }
  }

  @Test("a command gets each change once, as JSON and in its environment, beside another engine")
  func commands() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("laptop", on: store)
      // The screen's process synchronises; the watch attaches to it.
      let screen = try await scene.screen(on: device)
      try await screen.wait(for: "● live, all sent")
      let told = device.folder + "/told"
      let child = try watch(
        scene, device, "--name", "hook", "--app", "ci", "--tray", "--exec",
        "{ echo \"$BELLHOP_NUMBER $BELLHOP_STATUS $BELLHOP_TITLE\"; wc -c; } >> \(told); exit 3")
      try await hasBegun(device, name: "hook")
      let title = "a \"quoted\" $(title); \\ `x`"
      let body = String(repeating: "long ", count: 2000)
      try await publisher.publish("nothing", app: "other")
      // The command's variables contain nothing that a terminal interprets, as its input by `|`.
      let hostile = "\u{1B}" + title + "\u{7}\u{9B}\u{202E}\u{2066}"
      let text = String(decoding: try JSONEncoder().encode(hostile), as: UTF8.self)
      let answer = try await publisher.publishGraph(
        #"{"targetHostName":"ci","payload":{"visualContent":{"title":\#(text),"body":"\#(body)"}}}"#
      )
      #expect(answer.status == 201, "\(answer.body)")
      let lines: [String] = try await eventually("the command's lines", last: child.errors) {
        let text = (try? String(contentsOfFile: told, encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n").map(String.init)
        return lines.count >= 2 ? lines : nil
      }
      #expect(lines[0] == "2 active \(title)")
      #expect(try #require(Int(lines[1].filter(\.isNumber))) > body.utf8.count)
      try await eventually("a word on its failure") {
        child.errors.contains("Command failed (exit status 3).")
      }
      let another = try await device.bellhop("watch", "--name", "hook")
      #expect(another.exitCode == 75)
      child.signal(SIGINT)
      try await child.waitForEnd(as: .exited(0))
    }
  }

  @Test("with a filter only matching changes are printed, also those made while no watch ran")
  func filtered() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("laptop", on: store)
      let arguments = ["--json", "--filter", "app:ci prio:>=high disk"]
      let first = try watch(scene, device, arguments[0], arguments[1], arguments[2])
      try await hasBegun(device)
      let urgent = ["Priority: urgent"]
      try await publisher.publish("disk", title: "low", app: "ci")
      try await publisher.publish("disk", title: "elsewhere", app: "nas", headers: urgent)
      try await publisher.publish("memory", title: "other words", app: "ci", headers: urgent)
      try await publisher.publish("disk", title: "this", app: "ci", headers: urgent)
      try await eventually("a line") { !first.changes.isEmpty }
      first.signal(SIGTERM)
      _ = try await first.waitForEnd()
      #expect(first.changes.map(\.title) == ["this"])

      try await device.succeed("delete", "3", "--wait")
      try await publisher.publish("disk", title: "not this", app: "nas")
      try await publisher.publish("full disk", title: "and this", app: "ci", headers: urgent)
      let second = try watch(scene, device, arguments[0], arguments[1], arguments[2])
      try await eventually("the next line") { !second.changes.isEmpty }
      #expect(second.changes.map(\.title) == ["and this"])
    }
  }

  @Test("it ends when its reader does")
  func brokenPipe() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("laptop", on: store)
      for number in 1...3 { try await publisher.publish("\(number)", title: "\(number)") }
      try await device.succeed("sync")
      let outcome = try await device.run(
        program: "/bin/sh",
        ["-c", "{ bellhop watch --from-start; echo ended $? >&2; } | head -n 1"])
      #expect(outcome.lines.count == 1)
      #expect(outcome.errors.contains("ended 0"))
    }
  }

  @Test("the library's example, built as a program of another package, follows and dismisses")
  func example() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("laptop", on: store)
      let token = try await store.token(scope: "device")
      try await publisher.publish("news", title: "of others")
      try await publisher.publish("red", title: "build failed", app: "ci")
      let outcome = try await device.run(
        program: Programs.folder + "/bellhop-example",
        [store.url, device.folder + "/example", "ci"], input: token + "\n")
      #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
      #expect(outcome.output.contains("this device is registered"))
      #expect(outcome.output.contains("ci: build failed (noInteraction)"))
      #expect(outcome.output.contains("sent; 0 changes wait"))
      try await device.succeed("sync")
      let dismissed = try await device.waitForItem(titled: "build failed", "dismissed") {
        $0.action == "dismissed"
      }
      #expect(dismissed.handledBy == "example")

      // A refused token is requested again, and then the user has to sign in.
      let refused = try Child(
        Programs.folder + "/bellhop-example", [store.url, device.folder + "/refused", "ci"],
        environment: device.environment, directory: device.folder,
        folder: device.folder + "/output", input: "blh_nonsense\n")
      scene.atEnd { await refused.end() }
      try await eventually("a refused token", within: patience) {
        refused.output.contains("the store does not accept the token")
          && refused.output.contains("signInAgain")
      }
    }
  }
}
