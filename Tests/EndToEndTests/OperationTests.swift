import BellhopTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite("Running a store for a team", .realPrograms)
struct OperationTests {
  private func curl(_ scene: Scene, _ arguments: String...) async throws -> Outcome {
    let child = try Child(
      Programs.curl, ["-sS", "-m", "20"] + arguments,
      environment: ["PATH": "/usr/bin:/bin", "HOME": scene.folder], directory: scene.folder,
      folder: scene.folder + "/curl")
    let ending = try await child.waitForEnd()
    let code: Int32 = if case .exited(let code) = ending { code } else { -1 }
    return Outcome(
      output: child.output, outputBytes: child.outputBytes, errors: child.errors, exitCode: code)
  }

  @Test("TLS: a device signs in with the authority from its configuration, and only by the name")
  func encrypted() async throws {
    try await Scene.play { scene in
      let authority = try await TestAuthority(folder: scene.folder)
      let (certificate, key) = try await authority.issue("first", for: "localhost")
      let store = try StoreProcess(folder: scene.folder + "/store")
      scene.atEnd { await store.end() }
      try await store.addUser()
      try await store.start(more: ["--tls-cert", certificate, "--tls-key", key])
      let url = "https://localhost:\(store.port)"
      let device = try scene.device("laptop")
      let token = scene.folder + "/token"
      let secret = try await store.token(scope: "device")
      try Data((secret + "\n").utf8).write(to: URL(filePath: token))

      let untrusted = try await device.bellhop("login", url, "--token-file", token)
      #expect(untrusted.exitCode == 69)
      #expect(
        untrusted.errors.contains(
          "Not signed in: this machine does not trust the issuer of the certificate of localhost."
        ),
        "\(untrusted.errors)")
      try Data("ca-file = \"\(authority.certificate)\"\n".utf8)
        .write(to: URL(filePath: device.configFile))
      let wrongName = try await device.bellhop(
        "login", "https://127.0.0.1:\(store.port)", "--token-file", token)
      #expect(wrongName.exitCode == 69, "the certificate is for localhost")
      #expect(
        wrongName.errors.contains("the server's certificate is not for 127.0.0.1."),
        "\(wrongName.errors)")
      try await device.succeed("login", url, "--token-file", token)
      try await device.succeed("publish", "Through TLS", "--app", "nas")
      try await device.succeed("sync")
      #expect(try await device.succeed("list").contains("Through TLS"))

      let trust = ["--cacert", authority.certificate]
      let old = try await curl(scene, trust[0], trust[1], "--tls-max", "1.1", url + "/health")
      #expect(old.exitCode != 0, "TLS 1.1 is refused")
      let plain = try await curl(scene, "http://localhost:\(store.port)/health")
      #expect(plain.exitCode != 0, "plain HTTP is refused")
    }
  }

  @Test("a certificate is read again on SIGHUP and by command; an invalid one leaves the old")
  func renewedCertificate() async throws {
    try await Scene.play { scene in
      let authority = try await TestAuthority(folder: scene.folder)
      let first = try await authority.issue("first", for: "localhost")
      let second = try await authority.issue("second", for: "localhost")
      let (certificate, key) = (scene.folder + "/live.pem", scene.folder + "/live-key.pem")
      func install(_ pair: (certificate: String, key: String)) throws {
        for (from, to) in [(pair.certificate, certificate), (pair.key, key)] {
          try? FileManager.default.removeItem(atPath: to)
          try FileManager.default.copyItem(atPath: from, toPath: to)
          chmod(to, 0o600)
        }
      }
      try install(first)
      let notify = try NotifySocket(path: scene.folder + "/notify")
      let store = try StoreProcess(folder: scene.folder + "/store")
      scene.atEnd { await store.end() }
      try await store.addUser()
      try await store.start(
        more: ["--tls-cert", certificate, "--tls-key", key],
        environment: ["NOTIFY_SOCKET": notify.path, "WATCHDOG_USEC": "4000000"])
      try await notify.wait(for: "READY=1")
      try await notify.wait(for: "WATCHDOG=1")
      func subject() async throws -> String {
        try await curl(
          scene, "-v", "--cacert", authority.certificate, "https://localhost:\(store.port)/health"
        ).errors
      }
      #expect(try await subject().contains("CN=first"))
      try install(second)
      store.signal(SIGHUP)
      try await notify.wait(for: "RELOADING=1")
      try await notify.wait(for: "READY=1")
      #expect(try await subject().contains("CN=second"))

      try install((first.certificate, second.key))
      let refused = try await store.administer(["reload"])
      #expect(refused.exitCode == 78)
      #expect(refused.errors.contains("does not match"))
      #expect(try await subject().contains("CN=second"), "the old one is kept")
      try install(first)
      #expect(try await store.administer(["reload"]).exitCode == 0)
      #expect(try await subject().contains("CN=first"))
      store.signal(SIGTERM)
      try await notify.wait(for: "STOPPING=1")
      #expect(try await store.stop() == .exited(0))
    }
  }

  @Test("a configuration file is checked with lines, applied, and overridden by flags")
  func configuration() async throws {
    try await Scene.play { scene in
      let store = try StoreProcess(folder: scene.folder + "/store")
      scene.atEnd { await store.end() }
      let documented = try await store.administer(["config", "default"], onData: false)
      #expect(documented.exitCode == 0)
      let file = scene.folder + "/bellhopd.toml"
      try Data(documented.outputBytes).write(to: URL(filePath: file))
      #expect(try await store.administer(["config", "check", file], onData: false).exitCode == 0)

      try Data("[server]\nbody-bytes = 5\n\n[store]\nretention = 3\n".utf8)
        .write(to: URL(filePath: file))
      let wrong = try await store.administer(["config", "check", file], onData: false)
      #expect(wrong.exitCode == 78)
      #expect(
        wrong.errors.contains("\(file), line 2: server.body-bytes is not a setting; did you mean"))
      #expect(wrong.errors.contains("\(file), line 5: store.retention must be a time"))
      #expect(try await store.administer(["serve", "--config", file]).exitCode == 78)

      let settings = """
        listen = "no address at all"
        data = "elsewhere"
        [server]
        body-bytes-max = "1 KiB"
        """
      try Data(settings.utf8).write(to: URL(filePath: file))
      #expect(
        try await store.administer(["config", "check", file], onData: false).errors
          .contains("line 1: listen must be HOST:PORT"))
      try Data(settings.replacing("no address at all", with: "127.0.0.1:1").utf8)
        .write(to: URL(filePath: file))
      try await store.addUser()
      try await store.start(more: ["--config", file])
      let publisher = try await store.publisher()
      let large = try await curl(
        scene, "-H", "Authorization: Bearer \(publisher.token)", "-d",
        String(repeating: "x", count: 2000), store.url + "/v1.0/me/notifications")
      #expect(large.output.contains("requestEntityTooLarge"))
    }
  }

  @Test("a backup made while serving is restored; the client notices, resends and converges")
  func restored() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let device = try await scene.device("desk", on: store)
      let publisher = try await store.publisher()
      #expect(try await publisher.curl("/nas", body: "kept").status == 200)
      try await device.succeed("sync")
      let backup = scene.folder + "/backup.sqlite"
      #expect(try await store.administer(["backup", backup]).exitCode == 0)
      #expect(try await store.administer(["backup", backup]).exitCode == 73)
      #expect(try await store.administer(["check"]).exitCode == 0)
      #expect(
        try await store.administer(["check", "--file", backup], onData: false).exitCode == 0)
      #expect(try await publisher.curl("/nas", body: "lost").status == 200)
      try await device.succeed("sync")
      #expect(try await device.succeed("list").contains("lost"))
      #expect(try await store.administer(["restore", backup]).exitCode == 75, "it serves")

      let stats = try await store.administer(["stats"])
      #expect(stats.output.contains("alice items 2 tombstones 0"))
      let json = try await store.administer(["stats", "--json"])
      #expect(json.output.contains(#""name":"alice""#) && json.lines.count == 1)
      try await store.stop()
      #expect(
        try await store.administer(["restore", scene.folder + "/none"]).exitCode == 66)
      try Data(repeating: 65, count: 9000).write(to: URL(filePath: scene.folder + "/garbage"))
      #expect(
        try await store.administer(["restore", scene.folder + "/garbage"]).exitCode == 65)
      let restored = try await store.administer(["restore", backup])
      #expect(restored.exitCode == 0, "\(restored.errors)")
      // A change made while the store is down, on an item that the restored store knows.
      _ = try await device.bellhop("dismiss", "1")
      try await store.start()
      try await device.succeed("sync")
      let history = try await device.succeed("list", "--all")
      #expect(history.contains("kept"))
      #expect(!history.contains("lost"))
      let reader = try await store.reader()
      let there = try await reader.curl("/v1.0/me/notifications").body
      #expect(there.contains("dismissed"), "what the client still held was sent again")
      #expect(try await publisher.curl("/nas", body: "after").status == 200)
      try await device.succeed("sync")
      #expect(try await device.succeed("list").contains("after"))
    }
  }

  @Test("a revocation applies while the store serves, a user is removed, metrics are served")
  func administration() async throws {
    try await Scene.play { scene in
      let store = try await scene.store()
      let reader = try await store.reader()
      #expect(try await reader.curl("/v1.0/me/notifications").status == 200)
      let list = try await store.administer(["token", "list"])
      let id = try #require(list.output.split(separator: " ").first)
      #expect(try await store.administer(["token", "revoke", String(id)]).exitCode == 0)
      #expect(try await reader.curl("/v1.0/me/notifications").status == 401)
      #expect(try await store.administer(["token", "revoke", "zz"]).exitCode == 66)
      #expect(try await store.administer(["expire"]).output.contains("expired 0"))
      let metrics = try await curl(scene, store.url + "/metrics")
      #expect(metrics.output.contains("bellhop_http_requests_total"))
      #expect(
        metrics.output.contains(#"endpoint="/v1.0/me/notifications",method="GET",status="401"} 1"#))
      let proxied = try await curl(scene, "-H", "X-Forwarded-For: 1.2.3.4", store.url + "/metrics")
      #expect(!proxied.output.contains("bellhop_http"))
      let unlinked = try await store.administer(
        ["user", "unlink", "alice", "https://id.example.com/realms/team"])
      #expect(unlinked.exitCode == 66, "no user is linked: \(unlinked.errors)")
      #expect(try await store.administer(["user", "remove", "alice"]).exitCode == 0)
      #expect(try await store.administer(["user", "list"]).output.isEmpty)
      #expect(try await store.administer(["user", "remove", "alice"]).exitCode == 66)
      #expect(!store.log.contains(reader.token))
    }
  }

  @Test("the systemd unit is valid")
  func unit() async throws {
    try await Scene.play { scene in
      let store = try StoreProcess(folder: scene.folder + "/store")
      let unit = try await store.administer(
        ["systemd-unit", "--config", "/etc/bellhop/bellhopd.toml"], onData: false)
      #expect(unit.exitCode == 0)
      #expect(unit.output.contains("ExecStart=\(Programs.bellhopd) serve --data /var/lib/bellhop"))
      #expect(unit.output.contains("Type=notify"))
      #expect(unit.output.contains("After=network-online.target time-sync.target\n"))
      #expect(unit.output.contains("\nDynamicUser=yes\n"))
      #expect(unit.output.contains("\nRestartPreventExitStatus=78\n"))
      let named = try await store.administer(["systemd-unit", "--user", "_bellhop"], onData: false)
      #expect(named.output.contains("\nUser=_bellhop\n"))
      #expect(!named.output.contains("DynamicUser"))
      for wrong in [["--config", "a b"], ["--user", "a b"]] {
        let bad = try await store.administer(["systemd-unit"] + wrong, onData: false)
        #expect(bad.exitCode == 64)
      }
      guard access("/usr/bin/systemd-analyze", X_OK) == 0 else { return }
      let file = scene.folder + "/bellhopd.service"
      try Data(unit.outputBytes).write(to: URL(filePath: file))
      let child = try Child(
        "/usr/bin/systemd-analyze", ["verify", "--man=no", file],
        environment: ["PATH": "/usr/bin:/bin"], directory: scene.folder,
        folder: scene.folder + "/verify")
      _ = try await child.waitForEnd()
      #expect(!child.errors.contains("bellhopd.service:"), "\(child.errors)")
    }
  }
}
