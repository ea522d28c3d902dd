import BellhopModel
import BellhopSync
import BellhopTestSupport
import Foundation
import Testing

@testable import BellhopClient

@Suite("What the person configured")
struct ConfigurationTests {
  @Test("every documented key is read")
  func allKeys() throws {
    let text = """
      theme = "bellhop-light"
      mouse = false
      time-zone = "Europe/Berlin"
      escape-delay = 50
      channel = "polling"
      [keys]
      dismiss = ["d", "e"]
      search = "Ctrl-f"
      """
    let configuration = try Configuration(text: text, path: "config.toml")
    #expect(configuration.theme == "bellhop-light")
    #expect(!configuration.mouse)
    #expect(configuration.timeZone == "Europe/Berlin")
    #expect(configuration.escapeDelay == 50)
    #expect(configuration.usesPolling)
    #expect(configuration.keys == ["dismiss": ["d", "e"], "search": ["Ctrl-f"]])
  }

  @Test(
    "an error names the file, the line and the key",
    arguments: [
      ("mouse = true\ntheme = 3\n", "c.toml, line 2: theme"),
      ("\n\nmouse = \"yes\"", "c.toml, line 3: mouse"),
      ("escape-delay = 0", "line 1: escape-delay"),
      ("chanel = \"polling\"", "line 1: chanel is not a setting"),
      ("theme = \"a\"\ntheme =", "c.toml, line 2"),
      ("[keys]\ndismiss = 4", "line 2: keys.dismiss"),
    ])
  func errors(text: String, message: String) throws {
    let error = #expect(throws: ClientError.self) {
      try Configuration(text: text, path: "c.toml")
    }
    #expect(error?.exitCode == .configuration)
    #expect(error?.what.contains(message) == true, "\(error?.what ?? "")")
  }

  @Test("without a file everything has its default")
  func missing() throws {
    #expect(try Configuration(path: "/nowhere/config.toml") == Configuration())
  }
}

@Suite("Where things are kept")
struct DirectoryTests {
  @Test("the XDG variables decide, relative ones are ignored")
  func variables() throws {
    let directories = try Directories(
      environment: [
        "HOME": "/home/a", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "relative",
        "XDG_RUNTIME_DIR": "/run/user/7",
      ], userID: 7)
    #expect(directories.config == "/c/bellhop")
    #expect(directories.state == "/home/a/.local/state/bellhop")
    #expect(directories.store == "/home/a/.local/share/bellhop/store")
    #expect(directories.runtime.hasPrefix("/run/user/7/bellhop/"))
  }

  @Test("two state directories never share sockets, even with one runtime directory")
  func devices() throws {
    func runtime(_ state: String) throws -> String {
      try Directories(
        environment: ["HOME": "/h", "XDG_STATE_HOME": state, "XDG_RUNTIME_DIR": "/r"], userID: 1
      ).runtime
    }
    #expect(try runtime("/a") != runtime("/b"))
    #expect(try runtime("/a") == runtime("/a"))
  }

  @Test("a part of the path that others may exchange is refused, with the fix, and nothing is made")
  func exchangeable() throws {
    try TemporaryFolder.with { folder in
      let shared = folder + "/tmp"
      let base = shared + "/bellhop-7"
      for path in [shared, base] {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      }
      chmod(base, 0o770)
      chmod(shared, 0o1777)
      let error = #expect(throws: ClientError.self) { try Directories.make(base + "/run/home") }
      #expect(error?.exitCode == .notAllowed)
      #expect(error?.next == "Nothing was changed. Run: chmod 700 \(base)")
      #expect(!FileManager.default.fileExists(atPath: base + "/run"))
      chmod(base, 0o700)
      try Directories.make(base + "/run/home")
      #expect(FileManager.default.fileExists(atPath: base + "/run/home"))
    }
  }

  @Test("no HOME is a clear error")
  func noHome() throws {
    let error = #expect(throws: ClientError.self) { try Directories(environment: [:], userID: 1) }
    #expect(error?.exitCode == .configuration)
  }
}

@Suite("Private files")
struct PrivateFileTests {
  @Test("what was written is read, by its owner only, and replaced whole")
  func roundTrip() throws {
    try TemporaryFolder.with { folder in
      let path = folder + "/token"
      try PrivateFile.write("blh_one\n", to: path)
      try PrivateFile.write("blh_two\n", to: path)
      #expect(try PrivateFile.read(path) == "blh_two\n")
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      #expect(mode as? Int == 0o600)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["token"])
    }
  }

  @Test("a token that others can read is refused, with the mend")
  func laxMode() throws {
    try TemporaryFolder.with { folder in
      let path = folder + "/token"
      try PrivateFile.write("blh_one\n", to: path)
      chmod(path, 0o644)
      let error = #expect(throws: ClientError.self) { try PrivateFile.read(path) }
      #expect(error?.exitCode == .notAllowed)
      #expect(error?.next == "chmod 600 \(path)")
    }
  }

  @Test("a symbolic link in the place of a token is refused")
  func link() throws {
    try TemporaryFolder.with { folder in
      try PrivateFile.write("blh_one\n", to: folder + "/real")
      symlink(folder + "/real", folder + "/token")
      #expect(throws: ClientError.self) { try PrivateFile.read(folder + "/token") }
    }
  }

  @Test("an account is kept, listed, made the default and removed")
  func accounts() throws {
    try TemporaryFolder.with { folder in
      let accounts = Accounts(directories: Directories(root: folder))
      #expect(try accounts.current(named: nil) == nil)
      let home = Account(
        name: AccountName("home"), url: "https://store.example.com", device: DeviceID("a-1"),
        deviceName: "a", isPrivate: false)
      var work = home
      work.name = AccountName("work")
      try accounts.save(home, token: "blh_home")
      #expect(try accounts.current(named: nil) == home)
      try accounts.save(work, token: "blh_work")
      #expect(throws: ClientError.self) { try accounts.current(named: nil) }
      try accounts.makeDefault(work.name)
      #expect(try accounts.current(named: nil) == work)
      #expect(try accounts.current(named: "home") == home)
      #expect(try accounts.token(of: home.name) == "blh_home")
      try accounts.remove(work.name)
      #expect(try accounts.all() == [home])
      #expect(throws: ClientError.self) { try accounts.current(named: "work") }
    }
  }

  @Test("an account has one way to sign in at a time, in a file that is its owner's only")
  func signIn() throws {
    try TemporaryFolder.with { folder in
      let accounts = Accounts(directories: Directories(root: folder))
      let home = Account(
        name: AccountName("home"), url: "https://store.example.com", device: DeviceID("a-1"),
        deviceName: "a", isPrivate: false)
      let start = Timestamp(seconds: 1_800_000_000)
      let signIn = ProviderSignIn(
        issuer: "https://id.test", clientID: "bellhop", tokenEndpoint: "https://id.test/token",
        resource: nil, accessToken: "access", issued: start,
        expires: start.advanced(by: .seconds(60)), refreshToken: "refresh")
      let file = accounts.signInFile(home.name)
      #expect(try file.load() == nil)
      try accounts.save(home, token: "blh_home")
      #expect(!accounts.hasProviderSignIn(home.name))
      try accounts.save(home, signIn: signIn)
      #expect(accounts.hasProviderSignIn(home.name))
      #expect(try file.load() == signIn)
      #expect(throws: ClientError.self) { try accounts.token(of: home.name) }
      try accounts.checkSignIn(of: home.name)
      #expect(try accounts.current(named: nil) == home)

      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
      chmod(file.path, 0o640)
      let lax = #expect(throws: ClientError.self) { try accounts.checkSignIn(of: home.name) }
      #expect(lax?.next == "chmod 600 \(file.path)")
      chmod(file.path, 0o600)
      try PrivateFile.write("{", to: file.path)
      let damaged = #expect(throws: ClientError.self) { try accounts.checkSignIn(of: home.name) }
      #expect(damaged?.exitCode == .configuration)
      try accounts.save(home, token: "blh_again")
      #expect(!accounts.hasProviderSignIn(home.name))
      #expect(try accounts.token(of: home.name) == "blh_again")
    }
  }

  @Test("an account's name cannot leave its folder", arguments: ["", ".", "..", "a/b", "../x"])
  func names(_ name: String) throws {
    try TemporaryFolder.with { folder in
      let accounts = Accounts(directories: Directories(root: folder))
      #expect(throws: ClientError.self) { try accounts.account(AccountName(name)) }
    }
  }
}
