internal import BellhopCache
internal import BellhopModel
internal import BellhopSync
internal import BellhopText
internal import BellhopWire

extension Commands {
  /// `bellhop login URL --token-file F`: asks the store before anything is kept.
  package static func login(
    _ context: ClientContext, url: String, tokenFile: String, name: String?, deviceName: String?,
    allowsInsecureHTTP: Bool
  ) throws {
    let address = try StoreAddress(url)
    let text =
      tokenFile == "-"
      ? try PublishRequest.standardInput() : try PrivateFile.read(tokenFile, isSecret: false)
    guard let text else {
      throw ClientError(
        .inputOutput, "There is no file \(tokenFile).", next: "Nothing was changed.")
    }
    let token = text.trimmed
    guard token.hasPrefix("blh_"), !token.contains(where: \.isWhitespace) else {
      throw ClientError(
        .badData, "\(tokenFile) does not hold a token of a Bellhop store.",
        next: "It is one line that begins with blh_, as bellhopd token create prints it.")
    }
    if allowsInsecureHTTP {
      StandardError.say(
        "Warning: --insecure-http sends the token and everything you read in the clear.")
    }
    let accountName = name.map { AccountName($0) } ?? address.accountName
    // Signing in again keeps the device's identity, so that its outbox stays valid.
    let existing = try context.accounts.account(accountName)
    let host = deviceName ?? existing?.deviceName ?? PrivateStore.hostName()
    let account = Account(
      name: accountName, url: address.url,
      device: existing.flatMap { $0.url == address.url ? $0.device : nil }
        ?? DeviceID(PrivateStore.deviceID(for: host)),
      deviceName: host, isPrivate: false,
      allowsInsecureHTTP: allowsInsecureHTTP ? true : nil)
    if let existing, existing.url != account.url {
      throw ClientError(
        .usage, "The account \(accountName) is on \(existing.url).",
        next: "Nothing was changed. Choose another name with --name, or bellhop logout first.")
    }
    try verify(account, token: token, context: context)
    try context.accounts.save(account, token: token)
    if try context.accounts.all().count == 1 || name != nil {
      try context.accounts.makeDefault(accountName)
    }
    StandardError.say("Signed in to \(address.url) as the account \(accountName).")
  }

  private static func verify(_ account: Account, token: String, context: ClientContext) throws {
    try runBlocking {
      do throws(TransportError) {
        let transport = try HTTPTransport(
          HTTPTransport.Configuration(
            url: account.url, device: account.device, deviceName: account.deviceName,
            allowsInsecureHTTP: account.allowsInsecureHTTP ?? false),
          localTime: context.now, token: { token })
        _ = try await transport.registerDevice(channel: context.usesPolling ? .polling : .signal)
      } catch {
        let code: ExitCode =
          switch error {
          case .unauthorized, .forbidden: .notAllowed
          case .insecure: .usage
          default: .storeUnavailable
          }
        throw ClientError(code, "Not signed in: \(error).", next: "Nothing was changed.")
      }
    }
  }

  /// `bellhop logout`.
  package static func logout(_ context: ClientContext, isForced: Bool) throws {
    guard let account = try context.accounts.current(named: context.accountName) else {
      throw ClientError(.usage, "There is no account on this device.")
    }
    let access = CacheAccess(context, account: account)
    if !isForced, let waiting = try? access.reader().outboxCounts().unsent, waiting > 0 {
      throw ClientError(
        .tryLater, "\(waiting) changes of \(account.name) were not sent yet.",
        next: "Nothing was removed. bellhop sync sends them; --force gives them up.")
    }
    let lock = EngineLock(path: context.directories.lockPath(account.name))
    guard (try? lock.tryLock()) != false else {
      throw ClientError(
        .tryLater, "A screen of the account \(account.name) is open.",
        next: "Nothing was removed. Quit it first.")
    }
    defer { lock.unlock() }
    try context.accounts.remove(account.name)
    StandardError.say("The account \(account.name) and its cache are removed from this device.")
  }
}
