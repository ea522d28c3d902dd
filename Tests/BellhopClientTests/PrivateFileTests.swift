import BellhopModel
import BellhopSync
import BellhopTestSupport
import Foundation
import Testing

@testable import BellhopClient

@Suite("Private files")
struct PrivateFileTests {
  @Test("a file is written whole, and only its owner can read it")
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

  @Test("a token that others can read is refused, with the fix")
  func laxMode() throws {
    try TemporaryFolder.with { folder in
      let path = folder + "/token"
      try PrivateFile.write("blh_one\n", to: path)
      chmod(path, 0o644)
      let error = #expect(throws: ClientError.self) { try PrivateFile.read(path) }
      #expect(error?.exitCode == .notAllowed)
      #expect(error?.next == "Run: chmod 600 \(path)")
    }
  }

  @Test("a symbolic link in place of a token is refused")
  func link() throws {
    try TemporaryFolder.with { folder in
      try PrivateFile.write("blh_one\n", to: folder + "/real")
      symlink(folder + "/real", folder + "/token")
      #expect(throws: ClientError.self) { try PrivateFile.read(folder + "/token") }
    }
  }

  @Test("an account is stored, listed, made the default and removed")
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

  @Test("an account has one way to sign in at a time, in a file that only its owner can read")
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
      #expect(lax?.next == "Run: chmod 600 \(file.path)")
      chmod(file.path, 0o600)
      try PrivateFile.write("{", to: file.path)
      let damaged = #expect(throws: ClientError.self) { try accounts.checkSignIn(of: home.name) }
      #expect(damaged?.exitCode == .configuration)
      try accounts.save(home, token: "blh_again")
      #expect(!accounts.hasProviderSignIn(home.name))
      #expect(try accounts.token(of: home.name) == "blh_again")
    }
  }

  @Test("an account's name cannot escape its folder", arguments: ["", ".", "..", "a/b", "../x"])
  func names(_ name: String) throws {
    try TemporaryFolder.with { folder in
      let accounts = Accounts(directories: Directories(root: folder))
      #expect(throws: ClientError.self) { try accounts.account(AccountName(name)) }
    }
  }
}
