import BellhopTestSupport
import Foundation
import Testing

@Suite("Ringing, in the real terminal", .realPrograms)
struct RingingTests {
  private func onThread(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      Thread { done.resume(with: Result { try work() }) }.start()
    }
  }

  private func screen(
    _ device: Device, _ more: [String: String] = [:]
  ) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(
      Programs.bellhop, environment: device.environment.merging(more) { $1 },
      directory: device.folder)
    try terminal.wait(for: "all sent")
    return terminal
  }

  /// Waits on its own thread for a test's terminal to be ready.
  private static func wait(_ ready: DispatchSemaphore) async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      Thread {
        ready.wait()
        done.resume()
      }.start()
    }
  }

  /// The number of bells in the output that do not end a sequence.
  private static func bells(_ text: String) -> Int {
    var count = 0
    var isInString = false
    var last: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      if last == "\u{1B}", scalar == "]" || scalar == "P" { isInString = true }
      if scalar == "\u{07}" {
        if !isInString { count += 1 }
        isInString = false
      }
      if last == "\u{1B}", scalar == "\\" { isInString = false }
      last = scalar
    }
    return count
  }

  @Test("urgent items reach the desktop through the terminal, also in tmux, and no text escapes")
  func sequences() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store)
      try await device.succeed("apps", "new", "allow", "--wait")
      try await device.succeed("publish", "Hello")
      try await device.succeed("sync")
      let hostile = """
        {"targetHostName": "nas", "priority": "urgent", "payload": {"visualContent":
          {"title": "disk \\u001b]0;owned\\u0007 fails; now"}}}
        """
      let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let publishing = Task.besidePrograms {
        for ready in [first, second] {
          await Self.wait(ready)
          let answer = try await publisher.publishGraph(hostile)
          #expect([200, 201].contains(answer.status), "\(answer.body)")
        }
      }
      try await onThread {
        let ghostty = try screen(device, ["TERM_PROGRAM": "ghostty"])
        first.signal()
        try ghostty.wait(for: "\u{1B}]777;notify;nas;")
        try ghostty.wait(for: "fails; now\u{07}")
        #expect(!ghostty.text.contains("\u{1B}]0;owned"))
        #expect(Self.bells(ghostty.text) == 1)
        ghostty.send("Q")
        try ghostty.waitForEnd(as: .exited(0))

        let kitty = try screen(
          device, ["TERM": "tmux-256color", "TMUX": "/none,1,0", "KITTY_WINDOW_ID": "1"])
        second.signal()
        try kitty.wait(for: "\u{1B}Ptmux;\u{1B}\u{1B}]99;i=bellhop1:e=1:d=0:p=title:u=2;bmFz")
        #expect(!kitty.text.contains("\u{1B}]0;owned"))
        kitty.send("Q")
        try kitty.waitForEnd(as: .exited(0))
      }
      try await publishing.value
    }
  }

  @Test("of two screens one rings, a focused one only shows, and do not disturb is on every device")
  func once() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store)
      try await device.succeed("apps", "new", "allow", "--wait")
      let other = try await scene.device("laptop", on: store)
      try await device.succeed("publish", "Hello")
      try await device.succeed("sync")
      let ready = DispatchSemaphore(value: 0)
      let publishing = Task.besidePrograms {
        for round in ["one", "two", "three"] {
          await Self.wait(ready)
          if round != "one" {
            let isQuiet = round == "two"
            try await other.succeed("dnd", isQuiet ? "on" : "off", "--wait")
            try await eventually("the other device's wish") {
              try await device.succeed("status", "--json").contains("\"quiet\":\(isQuiet)")
            }
          }
          try await publisher.publish("item \(round)", app: "nas", headers: ["Priority: 4"])
        }
      }
      try await onThread {
        let first = try screen(device)
        let second = try screen(device)
        ready.signal()
        for terminal in [first, second] { try terminal.wait(for: "item one") }
        // Either may ring, and the other need not write anything.
        let end = ContinuousClock.now + PseudoTerminal.patience
        while Self.bells(first.text) + Self.bells(second.text) == 0 {
          try #require(ContinuousClock.now < end, "Waited in vain for a bell.")
          for terminal in [first, second] { terminal.settle() }
        }
        ready.signal()
        for terminal in [first, second] {
          try terminal.wait(for: "do not disturb")
          try terminal.wait(for: "item two")
        }
        // Both have the focus from now on.
        for terminal in [first, second] { terminal.send("\u{1B}[I") }
        ready.signal()
        for terminal in [first, second] { try terminal.wait(for: "item three") }
        for terminal in [first, second] { terminal.settle(quiet: .seconds(1)) }
        #expect(Self.bells(first.text) + Self.bells(second.text) == 1)
        for terminal in [first, second] {
          terminal.send("Q")
          try terminal.waitForEnd(as: .exited(0))
        }
      }
      try await publishing.value
    }
  }

  @Test("the agent shows urgent items by a program without a shell, and leaves them to a screen")
  func agent() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store)
      try await device.succeed("apps", "new", "allow", "--wait")
      let log = device.folder + "/shown"
      let program = device.folder + "/notifier"
      try "#!/bin/sh\n{ echo \"$*\"; cat; echo; } >> '\(log)'\n".write(
        toFile: program, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
      try "notify-command = [\"\(program)\", \"$(touch owned)\"]\n".write(
        toFile: device.configFile, atomically: true, encoding: .utf8)
      func shown() -> String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

      let agent = try Child(
        Programs.bellhop, ["agent"], environment: device.environment, directory: device.folder,
        folder: device.folder + "/output")
      scene.atEnd { await agent.end() }
      try await eventually("the agent") { agent.errors.contains("It rings with \(program)") }
      try await eventually("an engine") {
        try await device.succeed("status", "--json").contains("\"connection\":\"live\"")
      }
      let refused = try await device.bellhop("agent")
      #expect(refused.exitCode == 75, "\(refused.errors)")
      try await publisher.publish(
        "first", title: "disk fails", app: "nas", headers: ["Priority: 5"])
      try await eventually("the notification") {
        shown() == "$(touch owned)\nnas\ndisk fails\n\n"
      }
      #expect(!FileManager.default.fileExists(atPath: device.folder + "/owned"))

      let ready = DispatchSemaphore(value: 0)
      let publishing = Task.besidePrograms {
        await Self.wait(ready)
        try await publisher.publish(
          "second", title: "fan stands", app: "nas", headers: ["Priority: 5"])
      }
      try await onThread {
        let screen = try screen(device)
        ready.signal()
        try screen.wait(for: "fan stands")
        try screen.wait(for: "the screen's own bell") { Self.bells($0.text) == 1 }
        screen.send("Q")
        try screen.waitForEnd(as: .exited(0))
      }
      try await publishing.value
      try await publisher.publish("third", title: "hot", app: "nas", headers: ["Priority: 5"])
      try await eventually("the next notification") { shown().contains("\nhot\n") }
      // The screen's terminal may not show notifications, so the screen used the program.
      #expect(shown().components(separatedBy: "fan stands").count == 2, "\(shown())")

      agent.signal(SIGTERM)
      try await agent.waitForEnd(as: .exited(0))
      try await device.succeed("status")
    }
  }
}
