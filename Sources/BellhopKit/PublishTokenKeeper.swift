internal import BellhopCache
internal import BellhopModel
internal import BellhopSync
internal import BellhopWire

/// The maker of a feed's publish tokens, which also renews and revokes them.
///
/// A lock file orders this work among all feeds that share a folder, so that they make one token
/// for each app.
actor PublishTokenKeeper {
  private let parts: FeedParts
  private let news: FeedEvents
  private let file: PublishTokenFile
  private let clock: EngineClock
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  /// The apps that have asked for a token since the start.
  private var apps: Set<String> = []
  /// The id of the token that each app received last.
  private var handedOver: [String: String] = [:]
  /// The error that each app received since its last token.
  private var reported: [String: FeedError] = [:]
  /// The time of the next check at the store, by ``clock``.
  private var nextCheck: Duration = .zero
  /// The number of failed checks since the last one that succeeded.
  private var failures = 0
  private var isConnected = false
  private var alarm: Task<Void, Never>?

  /// The lifetime of a token. A server has the last third of it, 20 days, to use the next one.
  static let lifetime: Duration = .seconds(60 * 86_400)
  /// The time between two checks: rare, because an app that is refused asks again by itself.
  static let checkInterval: Duration = .seconds(6 * 3600)
  /// The first wait after a failed check. It doubles with each further failure.
  private static let retryFirst: Duration = .seconds(30)
  private static let retryLongest: Duration = .seconds(3600)

  init(parts: FeedParts, news: FeedEvents) {
    self.parts = parts
    self.news = news
    file = PublishTokenFile(path: parts.tokenFile)
    clock = EngineClock.make(parts.clock)
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    wakes = stream
    wake = continuation
  }

  // MARK: Requests

  /// Adds an app, which receives its token as soon as there is one.
  func register(_ app: String) {
    apps.insert(app)
    handedOver[app] = nil
    reported[app] = nil
    checkNow()
  }

  /// Removes an app, and revokes its tokens.
  ///
  /// - Throws: ``FeedError`` if a token may still be valid. Another call continues.
  func unregister(_ app: String) async throws(FeedError) {
    apps.remove(app)
    handedOver[app] = nil
    reported[app] = nil
    news.forgetToken(ofApp: app)
    let lock = newLock()
    defer { lock.unlock() }
    do {
      try await lock.waitForLock()
      var entries = try file.load()
      for entry in entries.filter({ $0.app == app }) {
        try await revoke(entry.id)
        entries.removeAll { $0.id == entry.id }
        try file.save(entries)
      }
    } catch {
      throw Self.feedError(error)
    }
    // The app may have asked again in the meantime, and received a token that is now revoked.
    if apps.contains(app) { checkNow() }
  }

  /// Records the engine's connection. A failed check is repeated once there is one again.
  func note(_ connection: ConnectionState) {
    let wasConnected = isConnected
    isConnected = connection.isConnected
    if isConnected, !wasConnected, failures > 0 { checkNow() }
  }

  private func checkNow() {
    nextCheck = clock.elapsed()
    wake.yield()
  }

  // MARK: Work

  /// Hands over and renews tokens until the task is cancelled. Must run only once.
  func run() async {
    for await _ in wakes {
      guard !apps.isEmpty else { continue }
      if clock.elapsed() >= nextCheck { await check() }
      guard !Task.isCancelled else { break }
      handOver()
      setAlarm()
    }
    alarm?.cancel()
  }

  private func setAlarm() {
    alarm?.cancel()
    alarm = Task { [clock, wake, nextCheck] in
      guard (try? await clock.sleep(nextCheck)) != nil else { return }
      wake.yield()
    }
  }

  /// Checks the tokens at the store, and makes those that are missing, revoked or due.
  private func check() async {
    // Before the first wait: a request that comes during the check causes another one.
    nextCheck = clock.elapsed() + Self.checkInterval
    let lock = newLock()
    defer { lock.unlock() }
    var problems: [String: any Error] = [:]
    do {
      try await lock.waitForLock()
      let valid = Set(try await parts.tokens.tokens().map(\.id))
      for app in apps.sorted() {
        do {
          try await renew(app, unlessIn: valid)
        } catch {
          problems[app] = error
        }
      }
    } catch {
      for app in apps { problems[app] = error }
    }
    guard let problem = problems.values.first else {
      failures = 0
      return
    }
    retry(after: problem)
    for (app, problem) in problems { report(problem, to: app) }
  }

  /// Makes a token for an app, unless the app has one that is valid and not due.
  private func renew(_ app: String, unlessIn valid: Set<String>) async throws {
    let now = try storeTime()
    var entries = try file.load().filter { now < $0.expiration }
    if let index = entries.firstIndex(where: { $0.app == app && $0.secret != nil }) {
      if valid.contains(entries[index].id) {
        if now < entries[index].renewal { return }
      } else {
        entries.remove(at: index)
        try file.save(entries)
      }
    }
    guard apps.contains(app) else { return }
    let made = try await makeToken(for: app, at: now)
    // The replaced token stays valid until it expires. Its entry is needed to revoke it before.
    for index in entries.indices where entries[index].app == app { entries[index].secret = nil }
    entries.append(made)
    do {
      try file.save(entries)
    } catch {
      try? await parts.tokens.revokeToken(made.id)
      throw error
    }
  }

  private func makeToken(
    for app: String, at now: Timestamp
  ) async throws(TransportError) -> PublishTokenFile.Entry {
    let made = try await parts.tokens.createToken(
      UserTokenRequestPayload(
        targetHostName: app, expirationDateTime: now.advanced(by: Self.lifetime)))
    guard made.scope == .publish, made.targetHostName == app, let secret = made.secret,
      let expiration = made.expirationDateTime
    else {
      throw .badAnswer("it contains another token than the requested one")
    }
    return PublishTokenFile.Entry(
      id: made.id, app: app, secret: secret, created: made.createdDateTime, expiration: expiration)
  }

  /// Revokes a token, which the store may have forgotten.
  private func revoke(_ id: String) async throws(TransportError) {
    do throws(TransportError) {
      try await parts.tokens.revokeToken(id)
    } catch {
      guard case .server(status: 404, message: _) = error else { throw error }
    }
  }

  /// Hands over each token that its app has not received, made by this process or another.
  private func handOver() {
    do {
      let now = try storeTime()
      for entry in try file.load() where apps.contains(entry.app) && now < entry.expiration {
        guard handedOver[entry.app] != entry.id, let token = PublishToken(entry) else { continue }
        handedOver[entry.app] = entry.id
        reported[entry.app] = nil
        news.note(PublishTokenNews(app: entry.app, result: .success(token)))
      }
    } catch {
      for app in apps { report(error, to: app) }
    }
  }

  // MARK: Failures

  /// Schedules the next check after one that failed.
  private func retry(after problem: any Error) {
    var wait = min(Self.retryFirst * (1 << min(failures, 10)), Self.retryLongest)
    if let error = problem as? TransportError, case .throttled(let asked?) = error {
      wait = min(max(wait, asked), Self.retryLongest)
    }
    failures += 1
    // Jitter: many clients do not return at the same moment.
    let jitter = Double(parts.random() >> 11) / Double(1 << 53)
    nextCheck = min(nextCheck, clock.elapsed() + wait * (1 + jitter / 2))
  }

  /// Reports an error to an app, once. A failure that passes by itself is not reported.
  private func report(_ problem: any Error, to app: String) {
    guard !(problem is CancellationError) else { return }
    if let error = problem as? TransportError {
      if error.isUnreachable || error == .cancelled { return }
      if case .throttled = error { return }
    }
    let error = Self.feedError(problem)
    guard apps.contains(app), reported[app] != error else { return }
    reported[app] = error
    news.note(PublishTokenNews(app: app, result: .failure(error)))
  }

  private static func feedError(_ problem: any Error) -> FeedError {
    // A refusal of a token, as of one too many, does not concern the sign-in.
    if let error = problem as? TransportError, case .forbidden = error {
      return .store(error.description)
    }
    return FeedError(wrapping: problem)
  }

  // MARK: Parts

  /// Returns the lock in an object of its own: one object does not exclude itself.
  private func newLock() -> EngineLock { EngineLock(path: parts.tokenFile + ".lock") }

  private func storeTime() throws(FeedError) -> Timestamp {
    try FeedError.wrapping {
      let offset = try parts.transport.clockOffset ?? parts.storage().syncState().clockOffset
      return parts.localTime().advanced(by: offset)
    }
  }
}
