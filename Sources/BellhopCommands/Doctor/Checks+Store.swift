internal import BellhopClient
internal import BellhopModel
internal import BellhopNetwork
internal import BellhopSync
internal import BellhopWire
internal import Glibc

/// The checks of the network and the store, each with a time limit.
extension DoctorCheck {
  static let privateStore = DoctorCheck(id: "privateStore", title: "private store") {
    examination in
    guard let account = examination.account, account.isPrivate else { return nil }
    let status = try examination.context.privateStore().status()
    guard status.isRunning else {
      return .broken(
        .storeUnavailable,
        "The private store is not running. Its log is \(status.directory)/store.log.",
        "bellhop store start")
    }
    let process = status.processID.map { " as process \($0)" } ?? ""
    return .ok(
      "running" + process + (status.publishAddress.map { ", publish to \($0)" } ?? ""))
  }

  static let address = DoctorCheck(id: "address", title: "connection") { examination in
    guard let account = examination.account else { return nil }
    let address = try StoreAddress(account.url)
    guard let peer = NetworkPeer(url: address.url) else {
      throw TransportError.badAddress(address.url)
    }
    try Directories.checkSafety(ofStoreAt: address.url)
    let reached: String
    do throws(NetworkError) {
      reached = try Network.connect(peer) ?? account.url
    } catch {
      let start = account.isPrivate ? "bellhop store start" : error.advice
      return .broken(.storeUnavailable, error.sentence, start)
    }
    examination.isReachable = true
    return .ok("\(account.url) answers" + (reached == account.url ? "" : " (\(reached))"))
  }

  /// The time before expiry at which the check warns. Certificates are usually renewed weeks
  /// earlier.
  private static let certificateWarning: Duration = .seconds(14 * 86_400)

  static let certificate = DoctorCheck(id: "certificate", title: "certificate") { examination in
    guard let address = examination.address, let host = address.host, address.isEncrypted else {
      return nil
    }
    guard examination.isReachable else { return .skipped("the store is unreachable") }
    let port = address.port
    let authority = examination.context.configuration.authorityFile
    let now = examination.context.now()
    do {
      let end = try Examination.limited {
        do throws(NetworkError) {
          return try await CertificateCheck.life(
            ofCertificateAt: host, port: port, authorityFile: authority,
            within: Examination.networkLimit)
        } catch {
          throw await error.diagnosed(now: now, within: Examination.networkLimit)
        }
      }.end
      let left = end.duration(since: now)
      let text = "valid until \(MomentText.localTime(end))"
      return left < certificateWarning
        ? .warning(text, "Ask the store's administrator to renew it.") : .ok(text)
    } catch let error as NetworkError {
      examination.isReachable = false
      return .broken(
        .storeUnavailable, error.sentence + " Nothing is sent to it.", error.advice)
    } catch {
      examination.isReachable = false
      return .broken(error)
    }
  }

  static let store = DoctorCheck(id: "store", title: "store") { examination in
    guard examination.account != nil else { return nil }
    guard examination.isReachable else { return .skipped("the store is unreachable") }
    do {
      let health = try examination.ask { (transport) async throws(TransportError) in
        try await transport.health()
      }
      guard health.product == "bellhopd" else {
        throw ClientError(
          .storeUnavailable,
          "The server at this address is \(health.product.prefix(64)), not a Bellhop store.",
          next: "Check the address: bellhop accounts")
      }
      examination.health = health
      return .ok("ready")
    } catch {
      examination.isReachable = false
      let failure = ClientError(explaining: error)
      return .broken(
        .storeUnavailable, failure.what,
        "Your changes are saved and will be sent later. See the store's log.")
    }
  }

  static let version = DoctorCheck(id: "version", title: "versions") { examination in
    guard examination.account != nil else { return nil }
    guard let health = examination.health else { return .skipped("the store was not reached") }
    let text = "bellhop \(ProgramVersion.number), bellhopd \(health.version.prefix(32))"
    return health.version == ProgramVersion.number
      ? .ok(text) : .warning(text + ": different versions", "Update the older of the two.")
  }

  static let storeClock = DoctorCheck(id: "storeClock", title: "store's clock") { examination in
    guard let account = examination.account else { return nil }
    guard let health = examination.health else { return .skipped("the store was not reached") }
    switch health.clock {
    case nil: return nil
    case .plausible: return .ok("the store trusts its clock")
    case .implausible:
      return .warning(
        "The store does not trust its clock: nothing expires, and nothing is lost.",
        account.isPrivate
          ? "Check the output of date. If it is right, run bellhopd expire --confirm."
          : "Ask the store's administrator to run bellhopd expire and to check the log.")
    }
  }

  /// The clock difference that changes a snooze or an age noticeably.
  private static let clockWarning: Duration = .seconds(60)

  static let clock = DoctorCheck(id: "clock", title: "clock") { examination in
    guard examination.account != nil else { return nil }
    guard examination.health != nil, let offset = try? examination.transport().clockOffset
    else { return .skipped("the store was not reached") }
    guard offset > clockWarning || offset < .zero - clockWarning else {
      return .ok("same as the store's")
    }
    return .warning(
      ClockText.difference(offset), "bellhop uses the store's time. Set the clock that is wrong.")
  }

  static let token = DoctorCheck(id: "token", title: "token") { examination in
    guard let account = examination.account else { return nil }
    try examination.context.accounts.checkSignIn(of: account.name)
    guard examination.isReachable else { return .skipped("present; the store was not reached") }
    do {
      let tokens = try examination.ask { (transport) async throws(TransportError) in
        try await transport.tokens()
      }
      examination.tokenIsAccepted = true
      guard let token = tokens.first(where: \.isCurrent) else {
        return .ok("accepted; signed in at the identity provider")
      }
      let end =
        token.expirationDateTime.map { "until \(MomentText.localTime($0))" } ?? "without expiration"
      return .ok("accepted, scope \(token.scope.rawValue), \(end)")
    } catch let error as TransportError {
      return refused(error, account)
    }
  }

  private static func refused(_ error: TransportError, _ account: Account) -> Finding {
    let text = error.sentence
    if error.endsSignIn {
      return .broken(
        .notAllowed, text,
        "Your history is still here. To sign in again: bellhop login \(account.url)")
    }
    if case .forbidden = error {
      return .broken(
        .notAllowed, text, "The token is not a device token. Sign in: bellhop login \(account.url)")
    }
    return .broken(.storeUnavailable, text, error.advice)
  }

  static let device = DoctorCheck(id: "device", title: "device") { examination in
    guard let account = examination.account else { return nil }
    guard examination.tokenIsAccepted else { return .skipped("the store was not reached") }
    let devices = try examination.ask { (transport) async throws(TransportError) in
      try await transport.devices()
    }
    guard let device = devices.first(where: { $0.id == account.device }) else {
      return .warning(
        "\(account.deviceName) is not registered.", "bellhop sync registers it.")
    }
    let text =
      "\(device.name), until \(MomentText.localTime(device.expirationDateTime))"
      + (device.environment.map { ", for \($0.rawValue)" } ?? "")
    return device.state == .registered
      ? .ok(text) : .warning(text + ", \(device.state.rawValue)", "bellhop sync renews it.")
  }

  static let signals = DoctorCheck(id: "signals", title: "signals") { examination in
    guard examination.account != nil else { return nil }
    if examination.context.usesPolling { return .ok("disabled: channel = \"polling\"") }
    guard examination.tokenIsAccepted else { return .skipped("the store was not reached") }
    do {
      try examination.ask { (transport) async throws(TransportError) in
        do {
          for try await signal in transport.signals() where signal != .opened { return }
        } catch {
          throw error as? TransportError ?? .cancelled
        }
        throw .badAnswer("the channel closed without a signal")
      }
      return .ok("received at once")
    } catch {
      return .warning(
        "No signal was received: " + error.explanation.clause.sentence,
        "A proxy may be buffering them. Until then, bellhop polls for changes.")
    }
  }
}

/// Descriptions of clock differences.
enum ClockText {
  /// Returns a phrase such as `the store's clock is 2 h ahead of this machine's`.
  static func difference(_ offset: Duration) -> String {
    let seconds = offset.components.seconds
    return "the store's clock is \(span(abs(seconds))) \(seconds > 0 ? "ahead of" : "behind")"
      + " this machine's"
  }

  /// Returns a span such as `90 s`, `5 min`, `2 h` or `3 days`.
  static func span(_ seconds: Int64) -> String {
    switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3600) h"
    default: "\(seconds / 86_400) days"  // open: Int64
    }
  }
}
