package import BellhopModel
package import BellhopSync
internal import FoundationEssentials
internal import Glibc

/// A user at a store, as this device knows it. The token is stored separately.
package struct Account: Codable, Sendable, Hashable {
  /// The name that the user gave it, which is also the name of its folder.
  package var name: AccountName
  /// The store's address: `https://…`, `http://127.0.0.1:…`, or `unix:/path` for the private store.
  package var url: String
  /// This device's registration with the store.
  package var device: DeviceID
  /// The name of this device as other devices show it.
  package var deviceName: String
  /// Whether the store is the private one that this program starts.
  package var isPrivate: Bool
  /// Whether the user allowed plain HTTP to another machine.
  package var allowsInsecureHTTP: Bool?
  /// The number of days that the first synchronisation goes back; nil for no limit.
  package var daysToSync: Int?
  /// The environment that this device is registered in; nil for production.
  package var environment: RegistrationEnvironment?

  package init(
    name: AccountName, url: String, device: DeviceID, deviceName: String, isPrivate: Bool,
    allowsInsecureHTTP: Bool? = nil
  ) {
    self.name = name
    self.url = url
    self.device = device
    self.deviceName = deviceName
    self.isPrivate = isPrivate
    self.allowsInsecureHTTP = allowsInsecureHTTP
  }
}

/// The accounts of this device, each in a folder of the state directory.
package struct Accounts: Sendable {
  package let directories: Directories

  package init(directories: Directories) { self.directories = directories }

  /// Returns all accounts, sorted by name.
  ///
  /// - Throws: ``ClientError`` if a settings file cannot be read.
  package func all() throws -> [Account] {
    let root = directories.state + "/accounts"
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: root) else { return [] }
    return try names.sorted().compactMap { try account(AccountName($0)) }
  }

  /// Returns the account with this name; nil if there is none.
  package func account(_ name: AccountName) throws -> Account? {
    guard Self.isValid(name) else {
      throw ClientError(
        .usage, "An account's name may contain only letters, digits, dots, dashes and underscores.")
    }
    let path = directories.account(name) + "/account.json"
    guard let text = try PrivateFile.read(path, isSecret: false) else { return nil }
    do {
      return try JSONDecoder().decode(Account.self, from: Data(text.utf8))
    } catch {
      throw ClientError(
        .configuration, "\(path) is damaged.",
        next: "The cache is safe. Remove the file and sign in again.")
    }
  }

  /// Returns the named account, or else the default account, or else the only one.
  ///
  /// Returns nil if this device has no account.
  /// - Throws: ``ClientError`` for an unknown name, or if there are several accounts without a
  ///   default.
  package func current(named name: String?) throws -> Account? {
    if let name { return try known(AccountName(name)) }
    if let chosen = try PrivateFile.read(defaultPath, isSecret: false) {
      let name = chosen.trimmed
      if let account = try account(AccountName(name)) { return account }
    }
    let accounts = try all()
    guard accounts.count <= 1 else {
      throw ClientError(
        .usage, "There are \(accounts.count) accounts, but no default one.",
        next: "Choose one with --account NAME, or set the default: bellhop accounts use NAME.")
    }
    return accounts.first
  }

  private func known(_ name: AccountName) throws -> Account {
    guard let account = try account(name) else {
      throw ClientError(
        .usage, "There is no account named \(name).", next: "bellhop accounts lists them.")
    }
    return account
  }

  /// Makes `name` the default account, which commands use if none is named.
  package func makeDefault(_ name: AccountName) throws {
    _ = try known(name)
    try PrivateFile.write(name.rawValue + "\n", to: defaultPath)
  }

  /// Saves an account and its token, in a file that only the owner can read.
  package func save(_ account: Account, token: String) throws {
    try save(account)
    try PrivateFile.write(token + "\n", to: tokenPath(account.name))
    unlink(signInFile(account.name).path)
  }

  /// Saves an account and its provider sign-in, in a file that only the owner can read.
  package func save(_ account: Account, signIn: ProviderSignIn) throws {
    try save(account)
    try signInFile(account.name).save(signIn)
    unlink(tokenPath(account.name))
  }

  /// Saves an account's settings.
  package func save(_ account: Account) throws {
    guard Self.isValid(account.name) else {
      throw ClientError(
        .usage, "An account's name may contain only letters, digits, dots, dashes and underscores.")
    }
    let folder = directories.account(account.name)
    try Directories.make(folder)
    try PrivateFile.write(
      json: account, to: folder + "/account.json",
      orThrow: ClientError(.software, "The account's settings cannot be saved."))
  }

  package func signInFile(_ name: AccountName) -> SignInFile {
    SignInFile(path: directories.account(name) + "/sign-in.json")
  }

  /// Whether the account signed in at an identity provider instead of with a token of the store.
  func hasProviderSignIn(_ name: AccountName) -> Bool {
    access(signInFile(name).path, F_OK) == 0
  }

  /// Checks that the account has a sign-in.
  ///
  /// - Throws: ``ClientError`` if it has none, or if other users could read it.
  package func checkSignIn(of name: AccountName) throws {
    guard hasProviderSignIn(name) else {
      _ = try token(of: name)
      return
    }
    _ = try signInFile(name).load()
  }

  /// Returns the account's token for the store.
  ///
  /// - Throws: ``ClientError`` if it is missing, or if other users could read it.
  package func token(of name: AccountName) throws -> String {
    let text = try PrivateFile.read(tokenPath(name))?
      .trimmed
    guard let text, !text.isEmpty else {
      throw ClientError(
        .notAllowed, "The account \(name) has no token.",
        next: "Your history is still here. Sign in again with bellhop login.")
    }
    return text
  }

  /// Removes an account, its token and its cache from this device.
  package func remove(_ name: AccountName) throws {
    _ = try known(name)
    do {
      try FileManager.default.removeItem(atPath: directories.account(name))
    } catch {
      let cause = (error as? CocoaError)?.underlying as? POSIXError
      let reason = cause.map { ": " + systemMessage($0.code.rawValue).clause } ?? ""
      throw ClientError(
        .inputOutput, "Cannot remove \(directories.account(name))\(reason).",
        next: "Remove the folder yourself; the rest of it is no longer needed.")
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
      && text.isASCIIAlphanumeric(or: ".-_@")
  }
}
