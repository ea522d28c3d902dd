import BellhopTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite("Mistakes are reported, and nothing is lost", .realPrograms)
struct BadInputTests {
  @Test("a missing or ambiguous item changes nothing")
  func names() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      let first = try await device.succeed("publish", "One")
      _ = try await device.succeed("publish", "Two")
      try await device.succeed("sync")
      let before = try await device.items()

      let unknown = try await device.bellhop("dismiss", "9999")
      #expect(unknown.exitCode == 66)
      #expect(unknown.errors.contains("No item has the number or id 9999"))
      #expect(unknown.output.isEmpty)
      let ambiguous = try await device.bellhop("dismiss", String(first.prefix(4)))
      #expect(ambiguous.exitCode == 66)
      #expect(ambiguous.errors.contains("2 ids begin with"), "\(ambiguous.errors)")
      #expect(try await device.bellhop("show", "not/an id").exitCode == 64)
      // One wrong name: no item is changed.
      #expect(try await device.bellhop("dismiss", "1", "9999").exitCode == 66)
      #expect(try await device.bellhop("dismiss").exitCode == 64)
      #expect(try await device.bellhop("publish").exitCode == 64)
      #expect(try await device.bellhop("publish", "x", "--priority", "loud").exitCode == 64)
      #expect(try await device.bellhop("snooze", "1", "--for", "soon").exitCode == 64)
      #expect(try await device.bellhop("no-such-command").exitCode == 64)
      #expect(try await device.bellhop("list", "--account", "other").exitCode == 64)
      let long = String(repeating: "long ", count: 200)
      #expect(try await device.bellhop("publish", "x", "--title", long).exitCode == 65)
      #expect(try await device.items() == before)
    }
  }

  @Test("signing in needs a valid token of the right kind, and stores nothing otherwise")
  func tokens() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try scene.device("desk")
      let publish = try await store.token(scope: "publish", "--any-app")
      let revoked = try await store.token(scope: "device", "--name", "lost laptop")
      try await store.revokeToken(named: "lost laptop")
      func login(_ token: String, to url: String) async throws -> Outcome {
        try device.write(token, to: device.folder + "/token")
        return try await device.bellhop("login", url, "--token-file", device.folder + "/token")
      }
      for (token, code, words) in [
        ("nothing like a token\n", 65, "does not contain a valid token"),
        ("", 65, "does not contain a valid token"),
        ("blh_" + String(repeating: "a", count: 43) + "\n", 77, "Nothing was changed."),
        (revoked + "\n", 77, "Nothing was changed."), (publish + "\n", 77, "Nothing was changed."),
      ] {
        let outcome = try await login(token, to: store.url)
        #expect(Int(outcome.exitCode) == code, "\(outcome.errors)")
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
        #expect(token.isEmpty || !outcome.errors.contains(token.dropLast()))
      }
      let missing = try await device.bellhop(
        "login", store.url, "--token-file", device.folder + "/none")
      #expect(missing.exitCode == 74)
      let good = try await store.token(scope: "device")
      #expect(try await login(good, to: "http://store.example.com").exitCode == 64)
      #expect(try await login(good, to: "ftp://127.0.0.1").exitCode == 64)
      #expect(try await login(good, to: store.url + "/path?token=1").exitCode == 64)
      #expect(try await login(good, to: "http://127.0.0.1:1").exitCode == 69)
      #expect(try await device.bellhop("accounts").output.isEmpty)

      // A token is bound to the first device that registers with it.
      #expect(try await login(good, to: store.url).exitCode == 0)
      let thief = try scene.device("thief")
      try thief.write(good, to: thief.folder + "/token")
      let stolen = try await thief.bellhop(
        "login", store.url, "--token-file", thief.folder + "/token")
      #expect(stolen.exitCode == 77, "\(stolen.errors)")
    }
  }

  @Test("a token revoked while the screen runs is reported, the history stays, a new one fixes it")
  func revoked() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try scene.device("desk")
      let token = try await store.token(scope: "device", "--name", "first")
      try device.write(token, to: device.folder + "/token")
      try await device.succeed(
        "login", store.url, "--token-file", device.folder + "/token", "--device", "desk",
        "--name", "home")
      try await device.succeed("publish", "Hello")
      let screen = try await scene.screen(on: device)
      try await screen.wait(for: "Hello", "● live, all sent")
      try await store.revokeToken(named: "first")
      try await screen.type("d")
      try await screen.wait(
        for: "✗ sign in again", "History is still here.", "The tray is empty.")
      let sync = try await device.bellhop("publish", "More")
      #expect(sync.exitCode == 77, "\(sync.errors)")

      try await device.signIn(to: store)
      try await screen.type("R")
      try await screen.wait(for: "● live, all sent")
      try await device.waitForItem(titled: "Hello", "dismissed and sent") {
        $0.action == "dismissed" && !$0.waiting
      }
    }
  }

  @Test("an error in the configuration names file and line, and nothing starts")
  func configuration() async throws {
    try await Scene.play { scene in
      let device = try scene.device("desk")
      for (text, line) in [
        ("mouse = true\ntheme = 5\n", 2), ("mouse = \n", 1), ("# fine\ntheme = nord\n", 2),
        ("escape-delay = 0\n", 1), ("channel = \"pigeon\"\n", 1),
      ] {
        try device.write(text, to: device.configFile)
        let outcome = try await device.bellhop("list")
        #expect(outcome.exitCode == 78, "\(text)")
        #expect(
          outcome.errors.contains("\(device.configFile), line \(line)"),
          "\(text): \(outcome.errors)")
      }
      let screen = try await scene.screen(on: device, columns: 200)
      #expect(try await screen.waitForEnd() == 78)
      #expect(try await screen.text().contains("channel must be \"signal\" or \"polling\""))
      #expect(try await device.run(program: "/bin/ls", ["data"]).output.isEmpty)
    }
  }

  @Test("unknown settings are reported once, and the program runs")
  func unknownSettings() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      try await device.succeed("publish", "Hello")
      try device.write(
        "mous = true\n[keys]\ndismis = [\"d\"]\nread = [\"d\"]\n", to: device.configFile)
      let warnings = [
        "line 1: mous is not a setting; did you mean mouse?",
        "line 3: keys.dismis is not a setting; did you mean keys.dismiss?",
      ]
      let list = try await device.bellhop("list")
      #expect(list.exitCode == 0 && list.output.contains("Hello"))
      let said = warnings.map { "Warning: \(device.configFile), \($0)\n" }.joined()
      #expect(list.errors.hasPrefix(said) && !list.errors.dropFirst(said.count).contains("Warning"))

      let check = try await device.bellhop("config", "check")
      #expect(check.exitCode == 78)
      let keyless =
        "line 4: d is now read; dismiss has no key left. Give dismiss another key, such as "
      for words in warnings + [keyless] {
        #expect(check.errors.contains("\(device.configFile), \(words)"), "\(check.errors)")
      }
      #expect(try await device.succeed("doctor").contains("dismiss has no key left"))
      let screen = try await scene.screen(on: device, columns: 160)
      try await screen.wait(
        for: "Hello", "config.toml, line 1: mous is not a setting; did you mean mouse?",
        " 2 more: bellhop config check lists them.")
      try await screen.type("q")
      #expect(try await screen.waitForEnd() == 0)
      try device.write("[keys]\nread = [\"d\"]\n", to: device.configFile)
      let second = try await scene.screen(on: device, columns: 160)
      try await second.wait(for: "Hello", "line 2: d is now read; dismiss has no key left.")
      try device.write("mouse = true\n", to: device.configFile)
      let valid = try await device.bellhop("config", "check")
      #expect(valid.exitCode == 0 && valid.errors == "\(device.configFile) is valid.\n")
    }
  }

  @Test("an error in a theme is reported, and the default theme is used")
  func theme() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      try await device.succeed("publish", "Hello")
      try await device.succeed("sync")
      try FileManager.default.createDirectory(
        atPath: device.themeFolder, withIntermediateDirectories: true)
      let file = device.themeFolder + "/mine.toml"
      try device.write("[roles]\ntext = { fg = \"#12345\" }\n", to: file)
      try device.write("theme = \"mine\"\n", to: device.configFile)
      let screen = try await scene.screen(on: device, columns: 200, rows: 24)
      let seen = try await screen.wait(for: "Hello", "mine.toml")
      #expect(seen.contains("line 2") && seen.contains("text"), "\(seen)")
      try await screen.type("q")
      #expect(try await screen.waitForEnd() == 0)
    }
  }

  @Test("bellhopd refuses a port in use, and data that is served already")
  func ports() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let second = try StoreProcess(folder: scene.folder + "/second")
      let taken = try await second.administer(["serve", "--listen", "127.0.0.1:\(store.port)"])
      #expect(taken.exitCode == 69)
      #expect(taken.errors.contains("127.0.0.1:\(store.port)"), "\(taken.errors)")
      let twice = try await store.administer(["serve", "--listen", "127.0.0.1:0"])
      #expect(twice.exitCode == 75)
      #expect(try await store.administer(["token", "revoke", "zzzz"]).exitCode != 0)
      #expect(try await store.administer(["serve", "--listen", "nonsense"]).exitCode == 64)
      let nowhere = try await second.administer(["serve", "--listen", "nonexistent.invalid:0"])
      #expect(nowhere.exitCode == 73)
      // After the lines that it logged.
      let last = nowhere.errors.split(separator: "\n").last ?? ""
      #expect(last.hasPrefix("bellhopd: Cannot listen on http://nonexistent.invalid:0"), "\(last)")
      #expect(
        last.hasSuffix(" nonexistent.invalid.") || last.hasSuffix(" was not found."), "\(last)")
    }
  }

  @Test("errors in reaching a store are explained")
  func wayToStore() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      try await device.succeed("publish", "Hello")
      try await device.succeed("sync")
      let token = device.folder + "/token"
      func login(_ url: String) async throws -> String {
        let outcome = try await device.bellhop(
          "login", url, "--token-file", token, "--name", "other")
        #expect(outcome.exitCode == 69, "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix(" Nothing was changed.\n"), "\(outcome.errors)")
        return outcome.errors
      }
      let plain = try await login("https://127.0.0.1:\(store.port)")
      #expect(
        plain == """
          Not signed in: port \(store.port) of 127.0.0.1 does not speak TLS.
          Is it http://127.0.0.1:\(store.port)? Nothing was changed.

          """)
      let unknown = try await login("https://nonexistent.invalid")
      #expect(
        unknown.hasPrefix("Not signed in: there is no host named nonexistent.invalid.")
          || unknown.hasPrefix("Not signed in: no name server answered, so nonexistent.invalid "),
        "\(unknown)")
      #expect(
        try await login("http://127.0.0.1:1")
          .hasPrefix("Not signed in: nothing is listening on port 1 of 127.0.0.1."))

      #expect(try await store.stop() == .exited(0))
      let away = "othing is listening on port \(store.port) of 127.0.0.1."
      let devices = try await device.bellhop("devices")
      #expect(devices.errors.hasPrefix("N" + away), "\(devices.errors)")
      let published = try await device.bellhop("publish", "More")
      #expect(published.exitCode == 0)
      #expect(published.errors.hasPrefix("Not sent yet: n" + away), "\(published.errors)")
      try await device.succeed("dismiss", "1")
      let sync = try await device.bellhop("sync")
      #expect(sync.exitCode == 69)
      #expect(sync.errors.hasPrefix("Synchronisation failed: n" + away), "\(sync.errors)")
      #expect(
        sync.errors.hasSuffix(" 2 changes are saved and will be sent later.\n"), "\(sync.errors)")
    }
  }

  @Test("bellhop without bellhopd beside it shows what to do")
  func missingStore() async throws {
    try await Scene.play { scene in
      let device = try scene.device("desk")
      let alone = device.folder + "/bellhop"
      // Another process copies it: a file open for writing in this one cannot be run.
      //
      // That includes a child that a parallel test is starting.
      try await device.run(program: "/bin/cp", [Programs.bellhop, alone])
      let screen = try await scene.screen(
        on: device, program: alone, environment: ["PATH": "/usr/bin:/bin"])
      #expect(try await screen.waitForEnd() == 69)
      let text = try await screen.text().replacing("\n", with: " ")
      #expect(text.contains("The store program bellhopd is neither beside bellhop nor in PATH."))
    }
  }

  @Test("an invalid publication is refused with the field's name, and nothing is stored")
  func publications() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let reader = try await store.reader()
      let payload = #""payload": { "visualContent": { "title": "t" } }"#
      let long = String(repeating: "x", count: 600)
      for (body, status, words) in [
        (#"{ "targetHostName": "#, 400, "not valid JSON"),
        ("[]", 400, "one JSON object"),
        (#"{ "targetHostName": 5 }"#, 400, "targetHostName"),
        (#"{ "targetHostName": "a" }"#, 400, "payload"),
        (#"{ "targetHostName": "a", "priority": "loud", \#(payload) }"#, 400, "priority"),
        (
          #"{ "targetHostName": "a", "expirationDateTime": "2001-01-01T00:00:00Z", \#(payload) }"#,
          400, "expirationDateTime"
        ),
        (
          #"{ "targetHostName": "a", "expirationDateTime": "2999-01-01T00:00:00Z", \#(payload) }"#,
          400, "expirationDateTime"
        ),
        (
          #"{ "targetHostName": "a", "payload": { "visualContent": { "title": "\#(long)" } } }"#,
          400,
          "title"
        ),
        (String(repeating: "[", count: 2000), 400, ""),
        (#"{ "x": "\#(String(repeating: "y", count: 70_000))" }"#, 413, ""),
      ] {
        let answer = try await publisher.publishGraph(body)
        #expect(answer.status == status, "\(body.prefix(80)): \(answer.body)")
        #expect(answer.body.contains(words) && answer.body.contains("request-id"))
        #expect(!answer.body.contains(long))
      }
      #expect(try await publisher.curl("/no.dots.here", body: "x").status == 400)
      #expect(try await publisher.curl("/v1/anything", body: "x").status == 404)
      for token in ["", "blh_wrong", "x y"] {
        let stranger = Publisher(address: store.url, token: token, folder: publisher.folder)
        #expect(try await stranger.curl("/backups", body: "x").status == 401)
        #expect(try await stranger.curl("/v1.0/me/notifications").status == 401)
      }
      #expect(try await reader.storedItems().isEmpty)
    }
  }
}
