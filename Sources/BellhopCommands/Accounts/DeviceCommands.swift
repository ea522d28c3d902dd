package import BellhopClient
internal import BellhopModel
internal import BellhopSync
internal import BellhopText
internal import BellhopWire

extension Commands {
  /// A device as `bellhop devices --json` prints it. The topic `watch` lists the keys.
  private struct DeviceLine: Encodable {
    var id: String
    var name: String
    var platform: String
    var channel: String
    var state: String
    var current: Bool
    var registered: String
    var lastSeen: String
    var expires: String
    /// The environment; nil for production.
    var environment: String?
  }

  /// Runs `bellhop devices`.
  package static func devices(_ context: ClientContext, asJSON: Bool) throws {
    let (account, transport) = try signedIn(context)
    for device in try ask({ () async throws(TransportError) in try await transport.devices() }) {
      if asJSON {
        try StandardOutput.jsonLine(
          DeviceLine(
            id: device.id.rawValue, name: device.name, platform: device.platform,
            channel: device.channel.rawValue, state: device.state.rawValue,
            current: device.id == account.device,
            registered: device.registeredDateTime.description,
            lastSeen: device.renewedDateTime.description,
            expires: device.expirationDateTime.description,
            environment: device.environment?.rawValue))
        continue
      }
      // The store records the date of use only, so a time of day would be meaningless.
      let seen = MomentText.localTime(device.renewedDateTime).prefix(10)
      let environment: SafeText =
        device.environment == .development ? "  for development" : ""
      StandardOutput.line(
        (device.id == account.device ? "* " : "  ")
          + SafeText(device.name, byteLimit: nameBytesMax).padded(to: 20) + " "
          + SafeText(device.state.rawValue).padded(to: 11) + " " + SafeText(String(seen)) + "  "
          + SafeText(device.platform, byteLimit: nameBytesMax).padded(to: 8) + " "
          + SafeText(device.id.rawValue) + environment)
    }
  }

  private static let nameBytesMax = 256

  /// Runs `bellhop devices approve CODE`, which shows the requesting device before the approval.
  package static func approveDevice(
    _ context: ClientContext, code: String, isAgreed: Bool
  ) throws {
    let (account, transport) = try signedIn(context)
    let grant = try ask { () async throws(TransportError) in
      try await transport.deviceGrant(code)
    }
    guard grant.state == .pending else {
      return StandardError.say("This sign-in was already \(grant.state.rawValue).")
    }
    let now = context.now().advanced(by: transport.clockOffset ?? .zero)
    let age = max(0, now.duration(since: grant.requestedDateTime).components.seconds)
    StandardError.say(
      """
      \(grant.deviceName) (\(grant.platform)) asks to sign in to \(account.url) as you.
      It asked from \(grant.address), \(age) s ago. Its name and platform were not verified.
      """)
    if grant.isKnownDevice {
      StandardError.say(
        "A device with this id is already registered: its previous token will be revoked.")
    }
    guard try isAgreed || agrees() else {
      return StandardError.say(
        "Nothing was approved. To refuse it: bellhop devices deny \(grant.userCode)")
    }
    _ = try ask { () async throws(TransportError) in try await transport.decide(code, .approve) }
    StandardError.say("Approved. \(grant.deviceName) will be signed in within a few seconds.")
  }

  /// Runs `bellhop devices deny CODE`.
  package static func denyDevice(_ context: ClientContext, code: String) throws {
    let (_, transport) = try signedIn(context)
    let grant = try ask { () async throws(TransportError) in
      try await transport.decide(code, .deny)
    }
    StandardError.say("Refused the sign-in of \(grant.deviceName).")
  }

  /// Runs `bellhop devices rename NAME`, which changes the name that other devices show.
  package static func renameDevice(_ context: ClientContext, name: String) throws {
    var (account, transport) = try signedIn(context)
    try ask { [transport] () async throws(TransportError) in
      try await transport.renameDevice(name)
    }
    account.deviceName = name
    try context.accounts.save(account)
    StandardError.say("This device is now \(name).")
  }

  /// Runs `bellhop devices revoke ID`.
  package static func revokeDevice(_ context: ClientContext, id: String) throws {
    let (account, transport) = try signedIn(context)
    let known = try ask { () async throws(TransportError) in try await transport.devices() }
    let matches = known.filter { $0.id.rawValue == id || $0.name == id }
    guard let device = matches.first else {
      throw ClientError(
        .noSuchItem, "No device has the id or name \(id.prefix(64)).",
        next: "Nothing was changed. bellhop devices lists them.")
    }
    guard matches.count == 1 else {
      throw ClientError(
        .noSuchItem, "\(matches.count) devices have this name.",
        next: "Nothing was changed. Use an id: "
          + matches.map(\.id.rawValue).joined(separator: ", "))
    }
    guard device.id != account.device else {
      throw ClientError(
        .usage, "That is this device.",
        next: "Nothing was changed. To sign it out, run bellhop logout.")
    }
    try ask { () async throws(TransportError) in try await transport.revokeDevice(device.id) }
    StandardError.say("Signed out \(device.name): its token is revoked.")
  }

  // MARK: - The store

  private static func signedIn(
    _ context: ClientContext
  ) throws -> (account: Account, transport: HTTPTransport) {
    let (account, notice, wasStarted) = try context.account(startsStore: true)
    if wasStarted { StandardError.say("Started the private store.") }
    if let notice { StandardError.say(notice) }
    // Nothing can be requested without a token, and the error explains why it is missing.
    try context.accounts.checkSignIn(of: account.name)
    return (account, try EngineSetup.transport(for: account, context: context))
  }

  private static func ask<Answer: Sendable>(
    _ question: @escaping @Sendable () async throws(TransportError) -> Answer
  ) throws -> Answer {
    try runBlocking {
      do throws(TransportError) {
        return try await question()
      } catch {
        if error == .unknownDevice {
          throw ClientError(
            .noSuchItem,
            "No device is waiting with this code. The code may have expired or been used.",
            next: "Nothing was changed.")
        }
        throw ClientError(
          error.refusalCode, error.sentence,
          next: [error.advice, "Nothing was changed."].compactMap(\.self).joined(separator: " "))
      }
    }
  }

  /// Asks the user on the terminal. Only `y` or `yes` means yes.
  ///
  /// - Throws: `ClientError` if there is no terminal.
  private static func agrees() throws -> Bool {
    let question: SafeText = "Approve? It can then read and change all your items."
    if let answer = Question.agrees(question) { return answer }
    throw ClientError(
      .usage, "Standard input is not a terminal, so bellhop cannot ask for confirmation.",
      next: "Nothing was approved. Use --yes to approve without confirmation.")
  }
}
