package import BellhopModel
package import BellhopSync
internal import FoundationEssentials
internal import Glibc

/// One user on one store, as this device knows it. The token is kept apart from it.
package struct Account: Codable, Sendable, Hashable {
  /// The name the person uses for it; also its folder.
  package var name: AccountName
  /// `https://…`, `http://127.0.0.1:…`, or `unix:/path` for the private store.
  package var url: String
  /// This device's registration with the store.
  package var device: DeviceID
  /// What other devices call this one.
  package var deviceName: String
  /// Whether the store is the private one that this program starts by itself.
  package var isPrivate: Bool
  /// Whether the person allowed plain HTTP to another machine.
  package var allowsInsecureHTTP: Bool?
  /// How many days back the first synchronisation goes; nil for everything.
  package var daysToSync: Int?

  package init(
    name: AccountName, url: String, device: DeviceID, deviceName: String, isPrivate: Bool,
    allowsInsecureHTTP: Bool? = nil, daysToSync: Int? = nil
  ) {
    self.name = name
    self.url = url
    self.device = device
    self.deviceName = deviceName
    self.isPrivate = isPrivate
    self.allowsInsecureHTTP = allowsInsecureHTTP
    self.daysToSync = daysToSync
  }
}

/// The accounts of this device, each a folder under the state directory.
package struct Accounts: Sendable {
  package let directories: Directories

  package init(directories: Directories) { self.directories = directories }

  /// All accounts, by name.
  ///
  /// - Throws: ``ClientError`` when a settings file cannot be read.
  package func all() throws -> [Account] {
    let root = directories.state + "/accounts"
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: root) else { return [] }
    return try names.sorted().compactMap { try account(AccountName($0)) }
  }

  /// The account with this name; nil when there is none.
  package func account(_ name: AccountName) throws -> Account? {
    guard Self.isValid(name) else {
      throw ClientError(
        .usage, "An account's name has letters, digits, dots, dashes and underscores only.")
    }
    let path = directories.account(name) + "/account.json"
    guard let text = try PrivateFile.read(path, isSecret: false) else { return nil }
    do {
      return try JSONDecoder().decode(Account.self, from: Data(text.utf8))
    } catch {
      throw ClientError(
        .configuration, "\(path) is damaged.",
        next: "The cache beside it is safe. Remove the file and sign in again.")
    }
  }

  /// The account to use: the one asked for, else the chosen default, else the only one.
  ///
  /// Nil when this device has no account at all.
  /// - Throws: ``ClientError`` for an unknown name, or when several exist and none is chosen.
  package func current(named name: String?) throws -> Account? {
    if let name {
      guard let account = try account(AccountName(name)) else {
        throw ClientError(
          .usage, "There is no account named \(name).", next: "bellhop accounts lists them.")
      }
      return account
    }
    if let chosen = try PrivateFile.read(defaultPath, isSecret: false) {
      let name = chosen.trimmed
      if let account = try account(AccountName(name)) { return account }
    }
    let accounts = try all()
    guard accounts.count <= 1 else {
      throw ClientError(
        .usage, "There are \(accounts.count) accounts and none is the default.",
        next: "Say which with --account NAME, or choose with bellhop accounts use NAME.")
    }
    return accounts.first
  }

  /// Makes `name` the account that commands use when none is named.
  package func makeDefault(_ name: AccountName) throws {
    guard try account(name) != nil else {
      throw ClientError(
        .usage, "There is no account named \(name).", next: "bellhop accounts lists them.")
    }
    try PrivateFile.write(name.rawValue + "\n", to: defaultPath)
  }

  /// Keeps an account and its token, which only the owner can read.
  package func save(_ account: Account, token: String) throws {
    try save(account)
    try PrivateFile.write(token + "\n", to: tokenPath(account.name))
    unlink(signInFile(account.name).path)
  }

  /// Keeps an account and its sign-in at an identity provider, which only the owner can read.
  package func save(_ account: Account, signIn: ProviderSignIn) throws {
    try save(account)
    try signInFile(account.name).save(signIn)
    unlink(tokenPath(account.name))
  }

  /// Keeps an account's settings.
  package func save(_ account: Account) throws {
    guard Self.isValid(account.name) else {
      throw ClientError(
        .usage, "An account's name has letters, digits, dots, dashes and underscores only.")
    }
    let folder = directories.account(account.name)
    try Directories.make(folder)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let data: Data
    do {
      data = try encoder.encode(account)
    } catch {
      throw ClientError(.software, "The account's settings cannot be written.")
    }
    try PrivateFile.write(
      String(decoding: data, as: UTF8.self) + "\n", to: folder + "/account.json")
  }

  package func signInFile(_ name: AccountName) -> SignInFile {
    SignInFile(path: directories.account(name) + "/sign-in.json")
  }

  /// Whether the account signed in at an identity provider, and not with a token of the store.
  func hasProviderSignIn(_ name: AccountName) -> Bool {
    access(signInFile(name).path, F_OK) == 0
  }

  /// Whether there is something to sign in with.
  ///
  /// - Throws: ``ClientError`` when there is not, or others could read it.
  package func checkSignIn(of name: AccountName) throws {
    guard hasProviderSignIn(name) else {
      _ = try token(of: name)
      return
    }
    _ = try signInFile(name).load()
  }

  /// The store's token of an account.
  ///
  /// - Throws: ``ClientError`` when it is missing, or others could read it.
  package func token(of name: AccountName) throws -> String {
    let text = try PrivateFile.read(tokenPath(name))?
      .trimmed
    guard let text, !text.isEmpty else {
      throw ClientError(
        .notAllowed, "There is no token for the account \(name).",
        next: "History is still here. Sign in again with bellhop login.")
    }
    return text
  }

  /// Removes an account with its token and its cache from this device.
  package func remove(_ name: AccountName) throws {
    guard try account(name) != nil else {
      throw ClientError(
        .usage, "There is no account named \(name).", next: "bellhop accounts lists them.")
    }
    do {
      try FileManager.default.removeItem(atPath: directories.account(name))
    } catch {
      let cause = (error as? CocoaError)?.underlying as? POSIXError
      let reason = cause.map { ": " + systemMessage($0.code.rawValue).clause } ?? ""
      throw ClientError(
        .inputOutput, "Cannot remove \(directories.account(name))\(reason).",
        next: "Remove it yourself; what is left of it is of no use.")
    }
    if let chosen = try PrivateFile.read(defaultPath, isSecret: false),
      chosen.trimmed == name.rawValue
    {
      unlink(defaultPath)
    }
  }

  private var defaultPath: String { directories.state + "/default-account" }
  private func tokenPath(_ name: AccountName) -> String { directories.account(name) + "/token" }

  private static func isValid(_ name: AccountName) -> Bool {
    let text = name.rawValue
    return !text.isEmpty && text.utf8.count <= 64 && !text.hasPrefix(".")
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "@"): true
        default: false  // open: UInt8
        }
      }
  }
}
