internal import BellhopCache
internal import BellhopClient
internal import BellhopModel
internal import BellhopSync
internal import BellhopText

/// How current an account's cache is when a command reads it.
struct Freshness: Hashable, Sendable {
  /// When the cache last equalled the store, by the store's clock; nil before the first
  /// synchronisation has ended.
  var synced: Timestamp?
  /// Why the cache may be behind the store; nil when it is not known to be.
  var delay: Delay?
  /// The engine's connection to the store; nil when no engine was asked.
  var connection: ConnectionState?
  /// Why the engine's last attempt failed, for a person. Untrusted text of the store.
  var problem: String?
  /// Whether another process is the account's engine.
  var hasEngine = false

  /// Why a round did not bring the cache up to date.
  enum Delay: Hashable, Sendable {
    /// The store did not answer, or answered with a failure.
    case unreachable
    /// The time for the round was over.
    case slow
    /// The first synchronisation takes longer than a command waits.
    case firstSync(received: Int, total: Int?)
    /// The store does not accept this device any more.
    case signedOut(by: String?)
    /// The store does not accept the token any more.
    case signInAgain
  }

  /// Whether the store does not accept this device, as far as is known.
  var needsSignIn: Bool {
    if let delay { return delay.needsSignIn }
    switch connection {
    case .signInAgain, .signedOut: return true
    case nil, .connecting, .live, .polling, .firstSync, .offline: return false
    }
  }

  /// `As of 20:44 · store unreachable`, for standard error; nil when the cache is current.
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
    case .slow: "the store did not answer in time; bellhop sync waits for it"
    case .firstSync(let received, let total):
      "the first synchronisation has \(received) items"
        + (total.map { " of \($0)" } ?? "") + "; bellhop sync finishes it"
    case .signedOut(let by):
      by.map { "signed out by \($0); bellhop login signs in again" }
        ?? "signed out; bellhop login signs in again"
    case .signInAgain: "not signed in any more; bellhop login signs in again"
    }
  }

  /// Whether the person has to sign in again before anything is fetched.
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
  /// How long a command waits for a store on this machine, and for one elsewhere, unless
  /// `sync-wait` in the configuration says something else.
  private static let waitLocal: Duration = .milliseconds(300)
  private static let waitRemote: Duration = .seconds(1)

  /// Brings the cache up to date within a bounded time, and says on standard error when that did
  /// not succeed.
  ///
  /// With no other engine this process makes one round; otherwise it asks the running engine for
  /// one. Never throws for the store's sake: what is here can be read in any case.
  ///
  /// - Parameters:
  ///   - isOffline: Skips the round: what is here is read as it is.
  ///   - warns: Whether to say so on standard error.
  /// - Throws: ``ClientError`` when the cache or the lock file cannot be used.
  func freshen(isOffline: Bool, warns: Bool = true) throws -> Freshness {
    sayStart()
    let freshness = try freshness(isOffline: isOffline)
    try turnOver()
    if warns, let warning = freshness.warning(now: try storeTime()) {
      let name = context.accountName == nil && hasSiblings ? "\(account.name): " : ""
      StandardError.say(name + warning)
    }
    return freshness
  }

  /// Brings the cache up to date within a bounded time, without saying anything.
  ///
  /// - Throws: ``ClientError`` when the cache or the lock file cannot be used.
  func freshness(isOffline: Bool) throws -> Freshness {
    var freshness = try triedFreshness(isOffline: isOffline)
    // An attempt that did not end says less than an earlier one that was refused.
    if !freshness.hasEngine, freshness.delay == .slow || isOffline, let known = knownSignOut {
      freshness.delay = known.delay
      freshness.connection = known.connection
    }
    return freshness
  }

  /// The refusal that ended the sign-in, as an earlier attempt found it; nil where there was none.
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

  /// The state that the last engine wrote down.
  private func noted() -> Freshness {
    let note = EngineNote.read(context.directories.engineNotePath(account.name))
    return Freshness(synced: note?.lastSync, connection: note?.connection, problem: note?.problem)
  }

  /// Whether the device has other accounts, so that a line has to say which one it is about.
  private var hasSiblings: Bool { ((try? context.accounts.all().count) ?? 1) > 1 }
}

extension EngineSetup {
  /// One round by this process, or by the running engine of the account.
  ///
  /// - Parameter asked: The store's time before the call: a round that ended later counts.
  /// - Throws: ``ClientError``, `EngineLock.Failure`.
  func bringUpToDate(within limit: Duration, asked: Timestamp) async throws -> Freshness {
    let lock = lock()
    guard try lock.tryLock() else { return try await askEngine(within: limit, asked: asked) }
    let engine = try engine(announces: false)
    let outcome = await engine.runOnce(within: limit)
    let status = await engine.status
    lock.unlock()
    return Freshness(
      status, noted: EngineNote.read(notePath),
      delay: outcome == .upToDate ? nil : Freshness.Delay(outcome, status))
  }

  private var notePath: String {
    access.context.directories.engineNotePath(access.account.name)
  }

  /// Asks the engine in another process for a round, and waits until it says that one has ended.
  private func askEngine(within limit: Duration, asked: Timestamp) async throws -> Freshness {
    let note = EngineNote.read(notePath)
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

  /// The last status that came, and whether it says that a round ended after `asked`.
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
        // Only the person can end these.
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
  fileprivate init(_ status: EngineStatus, noted: EngineNote?, delay: Delay?) {
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
