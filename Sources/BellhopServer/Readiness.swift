internal import BellhopSettings
internal import BellhopStore
internal import Logging
internal import Synchronization

/// Whether a store can work, and how well.
struct Readiness: Hashable, Sendable, Codable {
  /// The summary for load balancers and monitoring.
  enum Status: String, Hashable, Sendable, CaseIterable, Codable {
    case ok
    /// The store works, but its administrator should act on the concerns.
    case degraded
    case unavailable
  }

  /// The reasons why the store cannot work, which are not secret.
  var problems: [String] = []
  /// Conditions that make a loss of data more likely while the store works, which are not secret.
  var concerns: [String] = []

  var isReady: Bool { problems.isEmpty }

  var status: Status {
    guard isReady else { return .unavailable }
    return concerns.isEmpty ? .ok : .degraded
  }

  private enum CodingKeys: String, CodingKey { case status, problems, concerns }

  init(problems: [String] = [], concerns: [String] = []) {
    self.problems = problems
    self.concerns = concerns
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    problems = try container.decode([String].self, forKey: .problems)
    concerns = try container.decode([String].self, forKey: .concerns)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(status, forKey: .status)
    try container.encode(problems, forKey: .problems)
    try container.encode(concerns, forKey: .concerns)
  }
}

extension StoreServer {
  /// Returns whether the server accepts work: it is not stopping, and its storage can be used.
  ///
  /// The storage is checked at most once per ``ServerConfiguration/readinessInterval``, because a
  /// write costs a disk sync and anyone may send this request. After a failed write, the store is not
  /// ready until the next check. A check that takes longer than
  /// ``ServerConfiguration/readinessTimeout`` goes on, and the store is not ready meanwhile.
  ///
  /// All callers during a check share its result.
  func readiness() async -> Readiness {
    if activity.isDraining { return Self.draining }
    var readiness = await storageReadiness()
    if activity.isDraining { return Self.draining }
    readiness.concerns = store.concerns
    noteConcerns()
    return readiness
  }

  private static let draining = Readiness(problems: ["the store is stopping"])

  private func storageReadiness() async -> Readiness {
    if let known = knownReadiness { return known }
    let probe = activity.probe.withLock { running -> Task<Readiness, Never>? in
      if let running { return running }
      // A check that ended meanwhile has stored its result.
      guard knownReadiness == nil else { return nil }
      let probe = Task { await self.probeStorage() }
      running = probe
      return probe
    }
    guard let probe else { return await storageReadiness() }
    return await result(of: probe)
  }

  /// Returns the result of a check, or that the storage does not respond in time.
  private func result(of probe: Task<Readiness, Never>) async -> Readiness {
    let slow = Readiness(problems: ["the storage does not respond"])
    let (results, source) = AsyncStream<Readiness>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let waiting = Task {
      source.yield(await probe.value)
      source.finish()
    }
    let timer = Task { [sleep = environment.sleep, limit = configuration.readinessTimeout] in
      guard (try? await sleep(limit)) != nil else { return }
      source.yield(slow)
      source.finish()
    }
    defer {
      timer.cancel()
      waiting.cancel()
    }
    // The stream ends early only if the caller was cancelled, which then needs no result.
    for await result in results { return result }
    return slow
  }

  /// The result of the last check of the storage, if it is recent enough.
  private var knownReadiness: Readiness? {
    let now = environment.elapsed()
    guard let known = activity.readiness.withLock({ $0 }),
      now - known.at < configuration.readinessInterval
    else { return nil }
    let hasFailed = known.readiness.isReady && store.failedWriteCount > known.failedWrites
    return hasFailed ? Readiness(problems: ["a write has failed"]) : known.readiness
  }

  private func probeStorage() async -> Readiness {
    let now = environment.elapsed()
    let failedWrites = store.failedWriteCount
    var problems: [String] = []
    do {
      try await store.probe()
    } catch {
      problems.append(
        error == .storageFull ? "the disk is full" : "the storage cannot be written to")
    }
    do {
      let free = try await store.storageFigures().diskFreeBytes
      if let free, free < Int64(configuration.diskFreeBytesMin) {
        problems.append(
          "the disk has less than \(ByteCount.text(configuration.diskFreeBytesMin)) free")
      }
    } catch {
      problems.append("the storage cannot be read")
    }
    let readiness = Readiness(problems: problems)
    activity.readiness.withLock { $0 = (now, failedWrites, readiness) }
    activity.probe.withLock { $0 = nil }
    return readiness
  }

  /// Logs each concern about the storage when it begins and when it ends.
  func noteConcerns() {
    let concerns = Set(store.concerns)
    let known = activity.concerns.withLock { known in
      defer { known = concerns }
      return known
    }
    for concern in concerns.subtracting(known).sorted() {
      logger.warning("the storage is degraded", metadata: ["detail": .string(concern)])
    }
    for concern in known.subtracting(concerns).sorted() {
      logger.notice("a concern about the storage ended", metadata: ["detail": .string(concern)])
    }
  }
}
