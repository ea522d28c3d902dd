internal import BellhopCache
internal import BellhopClient
internal import BellhopModel
internal import BellhopSync
internal import BellhopText

/// The freshness of an account's cache when a command reads it.
struct Freshness: Hashable, Sendable {
  /// The time when the cache last matched the store, by the store's clock; nil before the first
  /// synchronisation has ended.
  var synced: Timestamp?
  /// The reason why the cache may be behind the store; nil if it is not known to be.
  var delay: Delay?
  /// The engine's connection to the store; nil if no engine was asked.
  var connection: ConnectionState?
  /// The reason why the engine's last attempt failed, for the user. Untrusted text of the store.
  var problem: String?
  /// Whether another process is the account's engine.
  var hasEngine = false

  /// The reason why a round did not bring the cache up to date.
  enum Delay: Hashable, Sendable {
    /// A store that did not answer, or answered with a failure.
    case unreachable
    /// The end of the time limit for the round.
    case slow
    /// A first synchronisation that takes longer than a command waits.
    case firstSync(received: Int, total: Int?)
    /// The store's refusal of this device.
    case signedOut(by: String?)
    /// The store's refusal of the token.
    case signInAgain
  }

  /// Whether the store is known to refuse this device.
  var needsSignIn: Bool {
    if let delay { return delay.needsSignIn }
    switch connection {
    case .signInAgain, .signedOut: return true
    case nil, .connecting, .live, .polling, .firstSync, .offline: return false
    }
  }

  /// Returns a text such as `As of 20:44 · store unreachable`; nil if the cache is current.
  ///
  /// The text is for standard error.
  ///
  /// - Parameter now: The store's time.
  func warning(now: Timestamp) -> String? {
    guard let delay else { return nil }
    let when = synced.map { "As of \(MomentText.moment($0, now: now))" } ?? "Never synchronised"
    return "\(when) · \(delay.words)"
  }
}

extension Freshness.Delay {
  /// The reason in a few words, without a period.
  var words: String {
    switch self {
    case .unreachable: "store unreachable"
    case .slow: "the store did not answer in time; bellhop sync waits longer"
    case .firstSync(let received, let total):
      "the first synchronisation has \(received) items"
        + (total.map { " of \($0)" } ?? "") + "; bellhop sync finishes it"
    case .signedOut(let by):
      by.map { "signed out by \($0); sign in again with bellhop login" }
        ?? "signed out; sign in again with bellhop login"
    case .signInAgain: "no longer signed in; sign in again with bellhop login"
    }
  }

  /// Whether the user must sign in again before anything can be fetched.
  var needsSignIn: Bool {
    switch self {
    case .signedOut, .signInAgain: true
    case .unreachable, .slow, .firstSync: false
    }
  }

  init(_ connection: ConnectionState, otherwise: Freshness.Delay) {
    switch connection {
    case .offline: self = .unreachable
    case .signInAgain: self = .signInAgain
    case .signedOut(let by, _): self = .signedOut(by: by)
    case .firstSync(let received, let total): self = .firstSync(received: received, total: total)
    case .connecting, .live, .polling: self = otherwise
    }
  }
}

extension CacheAccess {
  /// The wait of a command for a local store.
  ///
  /// `sync-wait` in the configuration overrides it and the wait for a remote store.
  private static let waitLocal: Duration = .milliseconds(300)
  private static let waitRemote: Duration = .seconds(1)

  /// Updates the cache within a time limit, and reports a failure on standard error.
  ///
  /// Without another engine, this process makes one round. Otherwise it asks the running engine for
  /// one. Never throws because of the store: the cache can be read in any case.
  ///
  /// - Parameters:
  ///   - isOffline: Whether to skip the round and read the cache as it is.
  ///   - warns: Whether to report a failure on standard error.
  /// - Throws: `ClientError` if the cache or the lock file cannot be used.
  func freshen(isOffline: Bool, warns: Bool = true) throws -> Freshness {
    sayStart()
    let freshness = try freshness(isOffline: isOffline)
    try moveDueItems()
    if warns, let warning = freshness.warning(now: try storeTime()) {
      let name = context.accountName == nil && hasSiblings ? "\(account.name): " : ""
      StandardError.say(name + warning)
    }
    return freshness
  }

  /// Updates the cache within a time limit, without a report.
  ///
  /// - Throws: `ClientError` if the cache or the lock file cannot be used.
  func freshness(isOffline: Bool) throws -> Freshness {
    var freshness = try triedFreshness(isOffline: isOffline)
    // An earlier refusal is more useful than an attempt that did not end.
    if !freshness.hasEngine, freshness.delay == .slow || isOffline, let known = knownSignOut {
      freshness.delay = known.delay
      freshness.connection = known.connection
    }
    return freshness
  }

  /// The refusal that ended the sign-in in an earlier attempt; nil if there was none.
  private var knownSignOut: (delay: Freshness.Delay, connection: ConnectionState)? {
    let signIn = try? context.accounts.signInFile(account.name).load()
    if let signIn, signIn.isOver(at: context.now()) { return (.signInAgain, .signInAgain) }
    guard let connection = noted().connection else { return nil }
    let delay = Freshness.Delay(connection, otherwise: .slow)
    return delay.needsSignIn ? (delay, connection) : nil
  }

  private func triedFreshness(isOffline: Bool) throws -> Freshness {
    guard !isOffline else { return noted() }
    let limit =
      context.configuration.syncWait
      ?? (StoreAddress.isLocal(account.url) ? Self.waitLocal : Self.waitRemote)
    guard limit > .zero else { return noted() }
    let setup = try EngineSetup(self, joinsNudges: true)
    let asked = try storeTime()
    return try runBlocking { try await setup.bringUpToDate(within: limit, asked: asked) }
  }

  /// Returns the state that the last engine recorded.
  private func noted() -> Freshness {
    let note = EngineReport.read(context.directories.engineNotePath(account.name))
    return Freshness(synced: note?.lastSync, connection: note?.connection, problem: note?.problem)
  }

  /// Whether the device has other accounts, so that a line must name its account.
  private var hasSiblings: Bool { ((try? context.accounts.all().count) ?? 1) > 1 }
}

extension EngineSetup {
  /// Makes one round in this process, or has the account's running engine make one.
  ///
  /// - Parameter asked: The store's time before the call. Only a round that ended later counts.
  /// - Throws: `ClientError`, `EngineLock.LockError`.
  func bringUpToDate(within limit: Duration, asked: Timestamp) async throws -> Freshness {
    let lock = lock()
    guard try lock.tryLock() else { return try await askEngine(within: limit, asked: asked) }
    let engine = try engine(announces: false)
    let outcome = await engine.runOnce(within: limit)
    let status = await engine.status
    lock.unlock()
    return Freshness(
      status, noted: EngineReport.read(notePath),
      delay: outcome == .upToDate ? nil : Freshness.Delay(outcome, status))
  }

  private var notePath: String {
    access.context.directories.engineNotePath(access.account.name)
  }

  /// Asks another process's engine for a round, and waits until it reports that one has ended.
  private func askEngine(within limit: Duration, asked: Timestamp) async throws -> Freshness {
    let note = EngineReport.read(notePath)
    guard let nudges else {
      return Freshness(synced: note?.lastSync, delay: .slow, hasEngine: true)
    }
    let answers = nudges.nudges()
    nudges.broadcast(.statusWanted)
    nudges.broadcast(.syncNow)
    let (status, isDone) = await Self.lastStatus(in: answers, after: asked, within: limit)
    guard let status else {
      return Freshness(
        synced: note?.lastSync, delay: .slow, connection: nil,
        problem: "the running bellhop does not answer", hasEngine: true)
    }
    var freshness = Freshness(
      status, noted: note,
      delay: isDone ? nil : Freshness.Delay(status.connection, otherwise: .slow))
    freshness.hasEngine = true
    return freshness
  }

  /// Returns the last received status, and whether a round ended after `asked`.
  private static func lastStatus(
    in answers: AsyncStream<Nudge>, after asked: Timestamp, within limit: Duration
  ) async -> (EngineStatus?, isDone: Bool) {
    let reader = Task {
      var last: EngineStatus?
      for await case .status(let status) in answers {
        last = status
        if let synced = status.lastSync, synced >= asked { return (last, true) }
        if Task.isCancelled { break }
        switch status.connection {
        // Only the user can end these states.
        case .signInAgain, .signedOut: return (last, false)
        case .connecting, .live, .polling, .firstSync, .offline: continue
        }
      }
      return (last, false)
    }
    let timer = Task {
      try? await ContinuousClock().sleep(for: limit)
      reader.cancel()
    }
    defer { timer.cancel() }
    return await reader.value
  }
}

extension Freshness {
  fileprivate init(_ status: EngineStatus, noted: EngineReport?, delay: Delay?) {
    self.init(
      synced: status.lastSync ?? noted?.lastSync, delay: delay, connection: status.connection,
      problem: status.problem)
  }
}

extension Freshness.Delay {
  fileprivate init(_ outcome: RoundOutcome, _ status: EngineStatus) {
    switch outcome {
    case .upToDate, .stopped, .delegated: self.init(status.connection, otherwise: .slow)
    case .failed(let error, _):
      if error == .timedOut {
        self.init(status.connection, otherwise: .slow)
      } else {
        self.init(
          status.connection, otherwise: error.endsSignIn ? .signInAgain : .unreachable)
      }
    }
  }
}
