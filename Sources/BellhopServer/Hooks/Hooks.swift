internal import BellhopModel
internal import BellhopOutbound
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Logging
internal import ServiceLifecycle
internal import Synchronization

/// A server's web hooks: handshakes with new hooks, and calls to those of existing subscriptions.
///
/// One task finds due subscriptions and starts calls within the limits. It wakes when a commit
/// changed something, when a call ends and when a time is reached. ``HookSchedule`` decides when to
/// call and the store's logic what to send. Nothing is lost with the process, because the store
/// keeps the progress of each subscriber. Among several processes, each user's hooks are called by
/// the one with the lease; see `StoreService.hookStep(for:leaseLife:)`.
final class Hooks: Service {
  private let store: StoreService
  private let configuration: HookConfiguration
  private let environment: ServerEnvironment
  private let logger: Logger
  private let caller: GuardedHTTPClient
  private let schedule: Mutex<HookSchedule>
  /// Whether all subscriptions must be read again.
  private let mustReload = Mutex(true)
  private let counted = Mutex(HookCounts())
  private let handshakes = Mutex<[UserID: Int]>([:])

  init(
    _ store: StoreService, _ configuration: ServerConfiguration,
    _ environment: ServerEnvironment, _ logger: Logger
  ) {
    self.store = store
    self.configuration = configuration.hooks
    self.environment = environment
    self.logger = logger
    caller = GuardedHTTPClient(
      configuration.hooks.outboundRules, userAgent: "bellhopd/\(configuration.version)",
      sleep: environment.sleep, resolve: environment.resolve)
    schedule = Mutex(HookSchedule(configuration.hooks))
  }

  /// Checks at the start whether the configured certificate file can be read.
  ///
  /// - Throws: ``ServerError/failed(reason:)``.
  func checkTrust() throws {
    guard let file = configuration.trustFile, !caller.canTrust else { return }
    throw ServerError.failed(reason: "the certificates for web hooks, \(file), cannot be read")
  }

  /// The counts since the start.
  var counts: HookCounts {
    var counts = counted.withLock { $0 }
    (counts.subscriptions, counts.calling) = schedule.withLock {
      ($0.entries.count, $0.runningCount)
    }
    return counts
  }

  // MARK: - Calling

  func run() async throws {
    await cancelWhenGracefulShutdown { await self.tellAll() }
  }

  /// Calls hooks until the task is cancelled.
  ///
  /// Cancelling aborts running calls, which are repeated after the next start.
  func tellAll() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.remindRegularly() }
      while !Task.isCancelled {
        await reloadIfNeeded()
        let now = store.now
        let (started, due) = schedule.withLock { ($0.start(at: now), $0.nextDue(after: now)) }
        for key in started { group.addTask { await self.check(key) } }
        await take(await news(until: due, now: now))
      }
      group.cancelAll()
    }
  }

  /// Reloads all subscriptions regularly, because signals may be lost when another process writes.
  private func remindRegularly() async {
    while !Task.isCancelled {
      do {
        try await environment.sleep(store.jittered(configuration.pollInterval))
      } catch { return }
      checkAll()
    }
  }

  /// Checks all subscriptions soon, as after the end of another process that called hooks.
  func checkAll() {
    mustReload.withLock { $0 = true }
    store.changedUsers.interruptWait()
  }

  private func news(until due: Timestamp?, now: Timestamp) async -> ChangedUsers.News {
    let changed = store.changedUsers
    guard let due else { return await changed.next() }
    let pause = min(due.duration(since: now), configuration.pollInterval)
    return await withTaskGroup(of: Void.self) { group in
      group.addTask { [environment] in
        // Only when the pause is over: after a cancellation, an interruption would be news of its
        // own.
        do { try await environment.sleep(pause) } catch { return }
        changed.interruptWait()
      }
      let news = await changed.next()
      group.cancelAll()
      return news
    }
  }

  private func take(_ news: ChangedUsers.News) async {
    if news.isIncomplete { mustReload.withLock { $0 = true } }
    for user in news.subscriptions { await reload(user) }
    let now = store.now
    schedule.withLock { schedule in
      for user in news.items { schedule.itemsChanged(of: user, at: now) }
    }
  }

  private func reload(_ user: UserID) async {
    do {
      let subscriptions = try await store.hooks(of: user)
      schedule.withLock { $0.replace(subscriptions, of: user, at: store.now) }
    } catch {
      mustReload.withLock { $0 = true }
      logger.warning(
        "web hooks could not be read", metadata: ["detail": .string(String(describing: error))])
    }
  }

  /// The number of subscriptions to read at once.
  private static let pageMax = 500

  private func reloadIfNeeded() async {
    let isNeeded = mustReload.withLock { flag in
      defer { flag = false }
      return flag
    }
    guard isNeeded else { return }
    var found: [UserID: [Subscription]] = [:]
    var last: SubscriptionKey?
    do {
      repeat {
        let page = try await store.hooks(after: last, limit: Self.pageMax)
        for subscription in page { found[subscription.user, default: []].append(subscription) }
        last = page.count == Self.pageMax ? page.last?.key : nil
      } while last != nil
    } catch {
      // The next regular reload tries again.
      logger.warning(
        "web hooks could not be read", metadata: ["detail": .string(String(describing: error))])
      return
    }
    schedule.withLock { schedule in
      for user in schedule.users.union(found.keys) {
        schedule.replace(found[user] ?? [], of: user, at: store.now)
      }
    }
  }

  /// The time until a subscription is checked again after the store failed.
  private static let storePause = Duration.seconds(5)

  /// The life of a lease for a user's hooks: a call that begins in its first half ends within it.
  private var leaseLife: Duration { (configuration.answerTimeout + .seconds(20)) * 2 }

  /// Checks one subscription and calls its hook if changes are pending.
  private func check(_ key: SubscriptionKey) async {
    var result = HookSchedule.Result.rest(until: store.now.advanced(by: Self.storePause))
    do {
      switch try await store.hookStep(for: key, leaseLife: leaseLife) {
      case .gone: result = .gone
      case .rest(let time): result = .rest(until: time)
      case .tell(let message): result = .called(isSlow: try await tell(message))
      }
    } catch {
      logger.warning(
        "a web hook's state could not be stored",
        metadata: ["detail": .string(String(describing: error))])
    }
    schedule.withLock { $0.finish(key, result, at: store.now) }
    store.changedUsers.interruptWait()
  }

  /// Sends a message and stores the result.
  ///
  /// - Returns: Whether the hook failed or was slow.
  private func tell(_ message: HookMessage) async throws -> Bool {
    let began = store.now
    let (outcome, reason) = await call(message)
    // The shutdown aborted the call with an unknown result, so it is repeated later.
    if Task.isCancelled { return false }
    let record = try await store.record(outcome, of: message)
    let isSlow = store.now.duration(since: began) > configuration.slowAfter
    counted.withLock { $0.add(message, outcome, record) }
    log(message, record, reason)
    return reason != nil || isSlow
  }

  private func call(_ message: HookMessage) async -> (outcome: HookOutcome, reason: String?) {
    do {
      let url: OutboundURL
      do { url = try OutboundURL(message.url, configuration.urlRules) } catch {
        return (.failed(retryAfter: nil), "the configuration no longer allows its address")
      }
      let answer = try await caller.call(
        OutboundRequest(
          url: url, contentType: "application/json; charset=utf-8",
          body: try message.body()), for: message.subscription.user.rawValue)
      if (200..<300).contains(answer.status) { return (.accepted, nil) }
      let pause = answer.retryAfter.flatMap { RetryAfter.duration($0, now: store.now) }
      return (.failed(retryAfter: pause), "it answered \(answer.status)")
    } catch let failure as OutboundError {
      return (.failed(retryAfter: nil), failure.words)
    } catch {
      return (.failed(retryAfter: nil), error.explanation.clause)
    }
  }

  /// Logs a call. Of the address, only the host: paths and queries contain secrets.
  private func log(_ message: HookMessage, _ record: HookRecord, _ reason: String?) {
    var metadata: Logger.Metadata = [
      "subscription": .string(message.subscription.id.description),
      "host": .string((try? OutboundURL(message.url, configuration.urlRules).authority) ?? "-"),
      "told": .string(message.content.words),
    ]
    if let reason { metadata["detail"] = .string(reason) }
    switch record {
    case .advanced, .removed: logger.debug("a web hook was notified", metadata: metadata)
    case .postponed(let time):
      metadata["again"] = .string(time.description)
      logger.notice("a web hook did not accept a notification", metadata: metadata)
    case .dropped:
      logger.warning(
        "a web hook failed for too long; its waiting changes were dropped", metadata: metadata)
    case .superseded:
      logger.notice(
        "another process calls this web hook now, and may repeat a notification",
        metadata: metadata)
    }
  }

  // MARK: - Handshake

  /// Verifies that a hook wants notifications: it must respond with the text that it receives.
  ///
  /// No transaction is open meanwhile.
  /// - Parameter field: The name of the address in errors.
  /// - Throws: ``RequestError`` when the hook does not respond so, or when too many handshakes are
  ///   running.
  func handshake(_ url: OutboundURL, field: String, for user: UserID) async throws {
    let isAdmitted = handshakes.withLock { running in
      let all = running.values.reduce(0, +)
      guard all < configuration.handshakesMax,
        running[user, default: 0] < configuration.handshakesPerUserMax
      else { return false }
      running[user, default: 0] += 1
      return true
    }
    guard isAdmitted else {
      throw RequestError(
        .tooManyRequests, .tooManyRequests,
        "Too many web hook handshakes are open. Try again soon.",
        headers: [.retryAfter: "10"])
    }
    defer {
      handshakes.withLock { running in
        running[user, default: 1] -= 1
        if running[user] == 0 { running[user] = nil }
      }
    }
    let token = store.makeValidationToken()
    let answer: OutboundResponse
    do {
      answer = try await caller.call(
        OutboundRequest(handshakeWith: url, token: token), for: user.rawValue)
    } catch {
      throw RequestError.badRequest("\(field) is wrong: its handshake failed: \(error.words).")
    }
    if let problem = answer.problem(expecting: token) {
      throw RequestError.badRequest(
        "\(field) is wrong: its handshake failed: expected 200 with the decoded validationToken "
          + "as text/plain; \(problem).")
    }
  }
}
