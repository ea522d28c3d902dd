import BellhopTestSupport
import FoundationEssentials
import Glibc
import Testing

/// A store whose users sign in through an identity provider, all of it over TLS.
private struct Realm {
  let scene: Scene
  let authority: TestAuthority
  let provider: Glewlwyd
  let store: StoreProcess
  let url: String

  init(_ scene: Scene, tokenSeconds: Int) async throws {
    self.scene = scene
    authority = try await TestAuthority(folder: scene.folder)
    let store = try StoreProcess(folder: scene.folder + "/store")
    self.store = store
    scene.atEnd { await store.end() }
    try await store.addUser()
    // Its address must be known before the provider can issue tokens for it.
    try await store.start()
    try await store.stop()
    url = "https://localhost:\(store.port)"
    let provider = try await Glewlwyd(
      folder: scene.folder + "/provider", authority: authority, resource: url,
      tokenSeconds: tokenSeconds)
    self.provider = provider
    scene.atEnd { await provider.end() }
    try await serve()
  }

  /// Starts or restarts the store.
  ///
  /// - Parameters:
  /// - resource: The resource that it tells clients to request tokens for, if not itself.
  /// - hasClient: Whether it tells clients their client id at the provider.
  /// - trusts: Whether it trusts the authority of the provider's certificate.
  func serve(
    resource: String? = nil, hasClient: Bool = true, trusts: Bool = true
  ) async throws {
    try await store.stop()
    let tls = try await authority.issue("store", for: "localhost")
    let file = scene.folder + "/bellhopd.toml"
    try Data(
      """
      [server]
      heartbeat-interval = "1s"
      [identity-provider]
      issuer = "\(provider.issuer)"
      audience = "\(url)"
      \(hasClient ? "bellhop-client = \"\(Glewlwyd.client)\"" : "")
      resource = "\(resource ?? url)"
      user-claim = "username"
      \(trusts ? "ca-file = \"\(authority.certificate)\"" : "")
      keys-interval = "1s"
      leeway = "0s"

      """.utf8
    ).write(to: URL(filePath: file))
    try await store.start(
      more: ["--config", file, "--tls-cert", tls.certificate, "--tls-key", tls.key])
  }

  /// A device that trusts the authority.
  func home(_ name: String) throws -> Device {
    let device = try scene.device(name)
    try device.write("ca-file = \"\(authority.certificate)\"\n", to: device.configFile)
    return device
  }

  /// Runs `bellhop login` in a terminal, and returns the provider's code that it shows.
  func login(_ device: Device, _ more: String...) async throws -> (screen: TmuxScreen, code: String)
  {
    let screen = try await scene.screen(
      on: device, columns: 100, arguments: ["login"] + more + ["--device", device.name])
    let shown = try await screen.wait(for: "and enter the code:", "Waiting for up to 10 minutes")
    #expect(shown.contains("uses the identity provider \(provider.issuer)"))
    let lines = shown.split(separator: "\n").map { $0.drop { $0 == " " } }
    let label = try #require(lines.firstIndex(of: "and enter the code:"))
    return (screen, String(lines[label + 1]))
  }

  /// A device that is signed in through the provider.
  func device(_ name: String) async throws -> Device {
    let device = try home(name)
    let (screen, code) = try await login(device, url, "--name", "home")
    try await provider.approve(code)
    try await screen.wait(for: "Signed in to \(url); the account is home.")
    #expect(try await screen.waitForEnd() == 0)
    return device
  }
}

/// The sign-in that a device stores, by the names in the file.
private struct KeptSignIn {
  static func path(_ device: Device) -> String { device.accountsFolder + "/home/sign-in.json" }

  var fields: [String: String]

  init(_ device: Device) throws {
    let data = try Data(contentsOf: URL(filePath: Self.path(device)))
    fields = try JSONDecoder().decode([String: String].self, from: data)
  }

  var accessToken: String? { fields["accessToken"] }
  var refreshToken: String? { fields["refreshToken"] }

  /// Makes the device treat its token, which is valid longer, as expiring in half a minute.
  static func age(_ device: Device) throws {
    var signIn = try KeptSignIn(device)
    let now = Date()
    signIn.fields["issued"] = (now - 570).formatted(.iso8601)
    signIn.fields["expires"] = (now + 30).formatted(.iso8601)
    try signIn.write(device)
  }

  func write(_ device: Device) throws {
    try device.write(
      String(decoding: try JSONEncoder().encode(fields), as: UTF8.self), to: Self.path(device))
  }
}

@Suite(
  "Signing in through an identity provider",
  .enabled(if: Glewlwyd.isInstalled, "glewlwyd is not installed here; .ci/run installs it"),
  .realPrograms)
struct ProviderSignInTests {
  @Test("a user signs two devices in, and tokens are renewed once for all processes")
  func signedIn() async throws {
    try await Scene.play { scene in
      let realm = try await Realm(scene, tokenSeconds: 600)
      let laptop = try await realm.device("laptop")
      #expect(try Device.mode(of: KeptSignIn.path(laptop)) == 0o600)
      #expect(access(laptop.accountsFolder + "/home/token", F_OK) != 0)
      let desk = try await realm.device("desk")
      try await laptop.succeed("publish", "Through the provider", "--app", "nas")
      try await desk.succeed("sync")
      let item = try #require(try await desk.items().first)
      #expect(item.body == "Through the provider" || item.title == "Through the provider")
      try await desk.succeed("dismiss", "#\(item.number)", "--wait")
      try await laptop.succeed("sync")
      #expect(try await laptop.items().first?.handledBy == "desk")

      // Shortly before its end the token is renewed.
      //
      // A refresh token can be used once, so a second renewal would have ended the session.
      let before = try KeptSignIn(laptop)
      try KeptSignIn.age(laptop)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 1...6 { group.addTask { try await laptop.succeed("devices") } }
        try await group.waitForAll()
      }
      let after = try KeptSignIn(laptop)
      #expect(after.accessToken != before.accessToken)
      #expect(after.refreshToken != before.refreshToken)
      #expect(try await realm.provider.sessions().count == 2)
      let lines = try await laptop.succeed("devices").split(separator: "\n")
      #expect(lines.count == 2 && lines.contains { $0.hasPrefix("* laptop") })

      // A store cannot redirect users to another provider than the one they know.
      var known = after
      known.fields["issuer"] = "https://id.example.com"
      try known.write(laptop)
      let moved = try await laptop.bellhop("login")
      #expect(moved.exitCode == 77)
      #expect(moved.errors.contains("a different identity provider"), "\(moved.errors)")
      for secret in [before, after].flatMap({ [$0.accessToken, $0.refreshToken] }) {
        #expect(!realm.store.log.contains(try #require(secret)))
      }
    }
  }

  @Test("a new key of the provider is found; tokens of the old one are renewed when they end")
  func rotatedKey() async throws {
    try await Scene.play { scene in
      let realm = try await Realm(scene, tokenSeconds: 600)
      let laptop = try await realm.device("laptop")
      let desk = try await realm.device("desk")
      try await realm.provider.rotateKey()
      let kept = try (KeptSignIn(laptop), KeptSignIn(desk))
      try KeptSignIn.age(laptop)
      // The store asks the provider at most once a second: until then it answers with Retry-After.
      func goesOn(_ device: Device) async throws {
        try await eventually("\(device.name) with the new key") {
          let outcome = try await device.bellhop("sync")
          #expect([0, 69].contains(outcome.exitCode), "\(outcome.errors)")
          return outcome.exitCode == 0
        }
      }
      try await goesOn(laptop)
      // Its token was still valid, but its key is no longer published.
      try await goesOn(desk)
      #expect(try KeptSignIn(laptop).accessToken != kept.0.accessToken)
      #expect(try KeptSignIn(desk).accessToken != kept.1.accessToken)
      #expect(try await realm.provider.sessions().count == 2)
    }
  }

  @Test("a session that ends at the provider requires a new sign-in, and nothing is lost")
  func endedSession() async throws {
    try await Scene.play { scene in
      let realm = try await Realm(scene, tokenSeconds: 12)
      let laptop = try await realm.device("laptop")
      let desk = try realm.home("desk")
      try await desk.signIn(to: realm.store, url: realm.url)
      try await desk.succeed("publish", "Disk is full", "--app", "nas")
      let screen = try await scene.screen(on: laptop, columns: 110, rows: 30)
      try await screen.wait(for: "Disk is full", "● live, all sent")
      let first = try KeptSignIn(laptop).accessToken
      try await eventually("a renewal by the open screen") {
        try KeptSignIn(laptop).accessToken != first
      }
      try await screen.wait(for: "● live, all sent")

      try await realm.provider.endSessions()
      try await screen.wait(for: "✗ sign in again")
      try await screen.type("d")
      try await screen.wait(for: "[1 Tray]")
      let outcome = try await laptop.bellhop("status")
      #expect(outcome.exitCode == 77, "\(outcome.errors)")
      let status = outcome.output
      #expect(status.contains("sign in again: bellhop login \(realm.url)"), "\(status)")
      #expect(status.contains("the sign-in at the identity provider has expired"), "\(status)")
      #expect(status.contains("not sent    1"), "\(status)")
      let refused = try await laptop.bellhop("devices")
      #expect(refused.exitCode == 77)
      #expect(refused.errors.contains("sign in again"), "\(refused.errors)")

      // The screen continues by itself, and sends the pending changes.
      let (again, code) = try await realm.login(laptop)
      try await realm.provider.approve(code)
      try await again.wait(for: "Signed in to \(realm.url)")
      try await screen.wait(for: "● live, all sent")
      try await eventually("the change on the desk") {
        try await desk.succeed("sync")
        return try await desk.items().first?.action == "dismissed"
      }
      // Without a screen the account has the same state.
      try await screen.type("q")
      #expect(try await screen.waitForEnd() == 0)
      try await realm.provider.endSessions()
      try await eventually("a sign-in that is over") {
        try await laptop.bellhop("sync").exitCode == 77
      }
      let ended = try await laptop.bellhop("status")
      #expect(
        ended.exitCode == 77 && ended.output.contains("sign in again: bellhop login"), "\(ended)")
      #expect(try await laptop.succeed("list", "--all").contains("Disk is full"))
    }
  }

  @Test("a refused sign-in shows the reason, and stores nothing")
  func refused() async throws {
    try await Scene.play { scene in
      let realm = try await Realm(scene, tokenSeconds: 600)
      let laptop = try realm.home("laptop")
      let elsewhere = try await laptop.bellhop(
        "login", realm.url, "--issuer", "https://id.example.com")
      #expect(elsewhere.exitCode == 64)
      #expect(elsewhere.errors.contains("does not accept tokens from https://id.example.com"))
      let byDevice = try await scene.screen(
        on: laptop, arguments: ["login", realm.url, "--by-device"])
      try await byDevice.wait(for: "bellhop devices approve ")
      try await byDevice.press("C-c")
      try await byDevice.wait(for: "you stopped waiting")

      let (stranger, code) = try await realm.login(laptop, realm.url)
      try await realm.provider.approve(code, as: .mallory)
      try await stranger.wait(for: "this store has no such user", "Nothing was changed.")
      #expect(try await stranger.waitForEnd() == 77)

      try await realm.serve(resource: "https://mail.example.com")
      let greedy = try await laptop.bellhop("login", realm.url)
      #expect(greedy.exitCode == 65)
      #expect(greedy.errors.contains("a token for another service: https://mail.example.com"))

      try await realm.serve(hasClient: false)
      let nameless = try await laptop.bellhop(
        "login", realm.url, "--issuer", realm.provider.issuer)
      #expect(nameless.exitCode == 64 && nameless.errors.contains("--client-id"))
      let unnamed = try await scene.screen(on: laptop, arguments: ["login", realm.url])
      try await unnamed.wait(for: "bellhop devices approve ")

      // The store refuses a provider whose certificate it does not trust.
      try await realm.serve(trusts: false)
      let (distrusted, second) = try await realm.login(laptop, realm.url)
      try await realm.provider.approve(second)
      try await distrusted.wait(for: "Not signed in: the store is busy", "Nothing was changed.")
      #expect(try await distrusted.waitForEnd() == 75)
      #expect(realm.store.log.contains("the identity provider cannot be reached"))

      await realm.provider.end()
      try await realm.serve()
      let down = try await laptop.bellhop("login", realm.url)
      #expect(down.exitCode == 69)
      #expect(down.errors.contains("the identity provider cannot be reached"), "\(down.errors)")
      #expect(try await laptop.bellhop("accounts").output.isEmpty)
    }
  }

  @Test("while the provider is down a device continues with its current token")
  func providerDown() async throws {
    try await Scene.play { scene in
      let realm = try await Realm(scene, tokenSeconds: 600)
      let laptop = try await realm.device("laptop")
      let before = try KeptSignIn(laptop)
      try KeptSignIn.age(laptop)
      await realm.provider.end()
      try await laptop.succeed("sync")
      #expect(try KeptSignIn(laptop).refreshToken == before.refreshToken)
    }
  }

  @Test("an unlinked user is signed out, and the next account of that name becomes the user")
  func unlinked() async throws {
    try await Scene.play { scene in
      let realm = try await Realm(scene, tokenSeconds: 600)
      let laptop = try await realm.device("laptop")
      try await laptop.succeed("publish", "Kept", "--app", "nas")
      try await laptop.succeed("sync")
      let outcome = try await realm.store.administer(
        ["user", "unlink", "alice", realm.provider.issuer])
      #expect(outcome.exitCode == 0, "\(outcome.errors)")
      let refused = try await laptop.bellhop("sync")
      #expect(refused.exitCode == 77 && refused.errors.contains("signed out"), "\(refused.errors)")
      let (again, code) = try await realm.login(laptop)
      try await realm.provider.approve(code)
      // The provider does not distinguish sign-ins, so the signed-out device stays signed out.
      try await again.wait(for: "Signed in to \(realm.url)", "a new device for the store")
      try await laptop.succeed("sync")
      #expect(try await laptop.succeed("list").contains("Kept"))
    }
  }
}
