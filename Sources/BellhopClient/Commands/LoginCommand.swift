internal import BellhopCache
internal import BellhopModel
internal import BellhopSync
internal import BellhopText
internal import BellhopWire

/// What `bellhop login` was asked for.
package struct LoginRequest: Sendable {
  /// The store's address; nil signs the current account in again.
  package var url: String?
  /// A file with a token, `-` for standard input; nil shows a code and waits.
  package var tokenFile: String?
  package var name: String?
  package var deviceName: String?
  package var allowsInsecureHTTP: Bool

  package init(
    url: String?, tokenFile: String?, name: String?, deviceName: String?,
    allowsInsecureHTTP: Bool
  ) {
    self.url = url
    self.tokenFile = tokenFile
    self.name = name
    self.deviceName = deviceName
    self.allowsInsecureHTTP = allowsInsecureHTTP
  }
}

extension Commands {
  /// `bellhop login`: asks the store before anything is kept.
  package static func login(_ context: ClientContext, _ request: LoginRequest) throws {
    let account = try accountToSignIn(context, request)
    if account.allowsInsecureHTTP == true {
      StandardError.say(
        "Warning: --insecure-http sends the token and everything you read in the clear.")
    }
    let token: String
    if let file = request.tokenFile {
      token = try Self.token(in: file)
    } else {
      token = ""
    }
    let transport: HTTPTransport
    do throws(TransportError) {
      transport = try HTTPTransport(
        HTTPTransport.Configuration(
          url: account.url, device: account.device, deviceName: account.deviceName,
          allowsInsecureHTTP: account.allowsInsecureHTTP ?? false,
          authorityFile: context.configuration.authorityFile),
        localTime: context.now, token: { token })
    } catch {
      throw notSignedIn(error)
    }
    let channel: ChannelType = context.usesPolling ? .polling : .signal
    var signedIn: AccessTokenPayload?
    if request.tokenFile == nil {
      signedIn = try SignInDialogue(account: account, context: context)
        .run(transport, channel: channel)
    } else {
      signedIn = try verify(token, transport, channel: channel)
    }
    try context.accounts.save(account, token: signedIn?.accessToken ?? token)
    if try context.accounts.all().count == 1 || request.name != nil {
      try context.accounts.makeDefault(account.name)
    }
    // A screen that was signed out goes on at once.
    try? NudgeSocket.broadcast(
      .syncNow, in: context.directories.nudgeFolder(account.name),
      fallbackParent: context.directories.runtime)
    let user = signedIn.map { " as \($0.user)" } ?? ""
    StandardError.say("Signed in to \(account.url)\(user); the account is \(account.name).")
  }

  /// The account as it is to be kept. Signing in again keeps the device's identity, so that its
  /// outbox stays valid.
  private static func accountToSignIn(
    _ context: ClientContext, _ request: LoginRequest
  ) throws -> Account {
    guard let url = request.url else {
      guard var account = try context.accounts.current(named: request.name ?? context.accountName)
      else {
        throw ClientError(
          .usage, "There is no account on this device to sign in again.",
          next: "Say where the store is: bellhop login https://store.example.com")
      }
      guard !account.isPrivate else {
        throw ClientError(
          .usage, "The private store on this machine needs no sign-in.",
          next: "For another store: bellhop login https://store.example.com")
      }
      account.deviceName = request.deviceName ?? account.deviceName
      return account
    }
    let address = try StoreAddress(url)
    let name = request.name.map { AccountName($0) } ?? address.accountName
    let existing = try context.accounts.account(name)
    if let existing, existing.url != address.url {
      throw ClientError(
        .usage, "The account \(name) is on \(existing.url).",
        next: "Nothing was changed. Choose another name with --name, or bellhop logout first.")
    }
    let host = request.deviceName ?? existing?.deviceName ?? PrivateStore.hostName()
    return Account(
      name: name, url: address.url,
      device: existing?.device ?? DeviceID(PrivateStore.deviceID(for: host)),
      deviceName: host, isPrivate: false,
      allowsInsecureHTTP: request.allowsInsecureHTTP ? true : nil)
  }

  private static func token(in file: String) throws -> String {
    let text =
      file == "-"
      ? try PublishRequest.standardInput() : try PrivateFile.read(file, isSecret: false)
    guard let text else {
      throw ClientError(.inputOutput, "There is no file \(file).", next: "Nothing was changed.")
    }
    let token = text.trimmed
    guard token.hasPrefix("blh_"), !token.contains(where: \.isWhitespace) else {
      throw ClientError(
        .badData, "\(file) does not hold a token of a Bellhop store.",
        next: "It is one line that begins with blh_, as bellhopd token create prints it.")
    }
    return token
  }

  /// Registers the device with its token. An enrol token is exchanged for one, which is the result.
  private static func verify(
    _ token: String, _ transport: HTTPTransport, channel: ChannelType
  ) throws -> AccessTokenPayload? {
    try runBlocking {
      do throws(TransportError) {
        if token.hasPrefix("blh_enrol_") {
          return try await transport.exchange(enrolToken: token, channel: channel)
        }
        _ = try await transport.registerAnew(channel: channel)
        return nil
      } catch {
        throw notSignedIn(error)
      }
    }
  }

  static func notSignedIn(_ error: TransportError) -> ClientError {
    let code: ExitCode =
      switch error {
      case .unauthorized, .revoked, .forbidden: .notAllowed
      case .insecure: .usage
      case .throttled: .tryLater
      default: .storeUnavailable
      }
    return ClientError(code, "Not signed in: \(error).", next: "Nothing was changed.")
  }
}
