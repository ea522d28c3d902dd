internal import BellhopCache
package import BellhopClient
internal import BellhopModel
internal import BellhopSync
internal import BellhopText
internal import BellhopWire

/// The options of `bellhop login`.
package struct LoginRequest: Sendable {
  /// The store's address; nil to sign the current account in again.
  package var url: String?
  /// A file with a token, or `-` for standard input; nil to show a code and wait.
  package var tokenFile: String?
  /// The identity provider to sign in at; nil for the store's provider, if it has one.
  package var issuer: String?
  /// The provider's client id for `bellhop`; nil for the store's default.
  package var clientID: String?
  /// Whether another device must approve, even though the store has a provider.
  package var isByDevice = false
  package var name: String?
  package var deviceName: String?
  package var allowsInsecureHTTP = false
  /// The number of days that the first synchronisation goes back; nil for the current value or no
  /// limit.
  package var daysToSync: Int?
  /// The value of `--environment`; nil for the account's environment, or production.
  package var environment: String?

  package init() {}
}

extension Commands {
  /// Runs `bellhop login`, which contacts the store before it saves anything.
  package static func login(_ context: ClientContext, _ request: LoginRequest) throws {
    let account = try accountToSignIn(context, request)
    let mark = try SignInLock(in: context.directories)
    defer { withExtendedLifetime(mark) {} }
    if account.allowsInsecureHTTP == true {
      StandardError.say(
        "Warning: --insecure-http sends the token and all items unencrypted.")
    }
    let signedIn: SignedIn
    if let file = request.tokenFile {
      signedIn = try signIn(account, context, token: token(in: file))
    } else {
      let plain = try transport(account, context, FixedToken { nil })
      if let provider = try ProviderSignInDialogue.place(account, request, context, plain) {
        signedIn = try ProviderSignInDialogue(account: account, context: context, place: provider)
          .run()
      } else {
        signedIn = SignedIn(
          account: account,
          try SignInDialogue(account: account, context: context)
            .run(plain, channel: channel(context)))
      }
    }
    let name = account.name
    let known = try context.accounts.account(name)
    let isNew = known == nil
    let before = try? context.accounts.current(named: nil)?.name
    try keep(signedIn, context)
    // An account that was the only one was never chosen, but still remains the default.
    try context.accounts.makeDefault(request.name == nil ? before ?? name : name)
    // A screen that was signed out continues immediately.
    try? NudgeSocket.broadcast(
      .syncNow, in: context.directories.nudgeFolder(name),
      fallbackParent: context.directories.runtime)
    let user = signedIn.user.map { " as \($0)" } ?? ""
    StandardError.say("Signed in to \(account.url)\(user); the account is \(name).")
    if try context.accounts.all().count > 1, let now = try context.accounts.current(named: nil),
      let news = defaultNews(of: name, isNew: isNew, before: before, now: now.name)
    {
      StandardError.say(news)
    }
    if let known, known.environment != account.environment {
      StandardError.say(
        "This device is now registered for \((account.environment ?? .production).rawValue). "
          + "Everything is fetched again. Restart open screens.")
    }
    if signedIn.account.device != account.device {
      StandardError.say(
        "It had been signed out and is now a new device for the store. Restart open screens.")
    }
  }

  /// Returns the sentence about the default account after signing in; nil if nothing changed.
  ///
  /// - Parameters:
  ///   - isNew: Whether the account is new on this device.
  ///   - before: The previous default account; nil if there was none.
  static func defaultNews(
    of name: AccountName, isNew: Bool, before: AccountName?, now: AccountName
  ) -> String? {
    guard isNew || before != now else { return nil }
    guard now == name else {
      return "\(now) is still the default account. To change that: bellhop accounts use \(name)"
    }
    return "\(name) is now the default account. "
      + "To change that: bellhop accounts use \(before?.rawValue ?? "NAME")"
  }

  /// The result of signing in.
  struct SignedIn: Sendable {
    enum Credential: Sendable {
      /// A token of the store itself.
      case token(String)
      case provider(ProviderSignIn)
    }

    /// The account to save.
    var account: Account
    var credential: Credential
    /// The user's name; nil if it is not known here.
    var user: String?

    init(account: Account, credential: Credential) {
      self.account = account
      self.credential = credential
    }

    init(account: Account, _ token: AccessTokenPayload) {
      self.init(account: account, credential: .token(token.accessToken))
      user = token.user
    }
  }

  /// Saves a sign-in.
  ///
  /// Prevents other processes from renewing tokens meanwhile, which would overwrite it with tokens
  /// of the previous sign-in.
  private static func keep(_ signedIn: SignedIn, _ context: ClientContext) throws {
    let (accounts, account) = (context.accounts, signedIn.account)
    try accounts.save(account)
    let lock = accounts.signInFile(account.name).makeLock()
    try runBlocking { try await lock.waitForLock() }
    defer { lock.unlock() }
    switch signedIn.credential {
    case .token(let token): try accounts.save(account, token: token)
    case .provider(let signIn): try accounts.save(account, signIn: signIn)
    }
    EngineReport.forgetSignOut(context.directories.engineNotePath(account.name))
  }

  /// Returns the environment of the account to save; nil for production.
  private static func environment(
    _ request: LoginRequest, of known: Account?
  ) throws -> RegistrationEnvironment? {
    guard let word = request.environment else { return known?.environment }
    return try EnvironmentOption.parse(word, consequence: "Nothing was changed.").written
  }

  static func channel(_ context: ClientContext) -> ChannelType {
    context.usesPolling ? .polling : .signal
  }

  static func transport(
    _ account: Account, _ context: ClientContext, _ tokens: any TokenSource
  ) throws -> HTTPTransport {
    do {
      return try EngineSetup.transport(for: account, context: context, tokens: tokens)
    } catch let error as TransportError {
      throw notSignedIn(error)
    }
  }

  /// Returns the account to save.
  ///
  /// A renewed sign-in keeps the device's identity, so that its outbox stays valid.
  private static func accountToSignIn(
    _ context: ClientContext, _ request: LoginRequest
  ) throws -> Account {
    guard let url = request.url else {
      guard var account = try context.accounts.current(named: request.name ?? context.accountName)
      else {
        throw ClientError(
          .usage, "This device has no account to sign in again.",
          next: "Name the store: bellhop login https://store.example.com")
      }
      guard !account.isPrivate else {
        throw ClientError(
          .usage, "The private store on this machine needs no sign-in.",
          next: "For another store: bellhop login https://store.example.com")
      }
      account.deviceName = request.deviceName ?? account.deviceName
      account.daysToSync = request.daysToSync ?? account.daysToSync
      account.environment = try environment(request, of: account)
      return account
    }
    let address = try StoreAddress(url)
    let name = request.name.map { AccountName($0) } ?? address.accountName
    let existing = try context.accounts.account(name)
    if let existing, existing.url != address.url {
      throw ClientError(
        .usage, "The account \(name) is for \(existing.url).",
        next: "Nothing was changed. Choose another name with --name, or run bellhop logout first.")
    }
    let host = request.deviceName ?? existing?.deviceName ?? PrivateStore.hostName()
    var account = Account(
      name: name, url: address.url,
      device: existing?.device ?? DeviceID(PrivateStore.deviceID(for: host)),
      deviceName: host, isPrivate: false,
      allowsInsecureHTTP: request.allowsInsecureHTTP ? true : nil)
    account.daysToSync = request.daysToSync ?? existing?.daysToSync
    account.environment = try environment(request, of: existing)
    return account
  }

  private static func token(in file: String) throws -> String {
    let text =
      file == "-"
      ? try PublishRequest.standardInput() : try PrivateFile.read(file, isSecret: false)
    guard let text else {
      throw ClientError(.inputOutput, "\(file) does not exist.", next: "Nothing was changed.")
    }
    let token = text.trimmed
    guard token.hasPrefix("blh_"), !token.contains(where: \.isWhitespace) else {
      throw ClientError(
        .badData, "\(file) does not contain a valid token.",
        next: "A token is one line that begins with blh_, as printed by bellhopd token create.")
    }
    return token
  }

  /// Registers the device with its token. Exchanges an enrol token for a device token.
  private static func signIn(
    _ account: Account, _ context: ClientContext, token: String
  ) throws -> SignedIn {
    let transport = try transport(account, context, FixedToken { token })
    let channel = channel(context)
    return try runBlocking {
      do throws(TransportError) {
        if token.hasPrefix("blh_enrol_") {
          return SignedIn(
            account: account, try await transport.exchange(enrolToken: token, channel: channel))
        }
        _ = try await transport.registerAsNew(channel: channel)
        return SignedIn(account: account, credential: .token(token))
      } catch {
        throw notSignedIn(error)
      }
    }
  }

  static func notSignedIn(_ error: TransportError) -> ClientError {
    let code: ExitCode =
      switch error {
      case .unauthorized, .signInEnded, .revoked, .forbidden, .provider: .notAllowed
      case .insecure: .usage
      case .throttled: .tryLater
      case .cache, .offline, .timedOut, .resyncRequired, .outOfOrder, .outboxDiverged, .server,
        .badAnswer, .unknownDevice, .badAddress, .providerOffline, .cancelled:
        error.exitCode
      }
    return ClientError(
      code, "Not signed in: \(error).",
      next: [error.advice, "Nothing was changed."].compactMap(\.self).joined(separator: " "))
  }
}
