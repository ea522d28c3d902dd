internal import BellhopModel
internal import BellhopSettings
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import Synchronization

/// The health endpoints: whether the store is ready, and whether the program is alive.
///
/// `GET /health`, `/health/ready` and ntfy's `GET /v1/health` check the store, and `/health/live`
/// only the program.
enum HealthEndpoints {
  static let endpoints = [
    Endpoint.open(.get, "health") { exchange in
      try check(try await exchange.server.readiness())
      let payload = HealthPayload(version: exchange.configuration.version)
      return try .json(
        .ok,
        [
          "status": .string(payload.status), "product": .string(payload.product),
          "version": .string(payload.version),
          "clock": .string(exchange.clock.rawValue),
          // Gotify's clients check these members.
          "health": "green", "database": "green",
        ] as JSONValue)
    }.described(
      .init(
        id: "health", summary: "Whether the store is ready.",
        answers: [.init(200, "The store is ready.", .json("Health"))])),
    Endpoint.open(.get, "health/live") { exchange in
      try .json(
        .ok,
        HealthPayload(version: exchange.configuration.version, clock: exchange.clock))
    },
    Endpoint.open(.get, "health/ready") { exchange in
      let readiness = try await exchange.server.readiness()
      return try .json(readiness.isReady ? .ok : .serviceUnavailable, readiness)
    },
    Endpoint.open(.get, "v1/health") { exchange in
      try check(try await exchange.server.readiness())
      return try .json(.ok, ["healthy": true])
    },
  ]

  private static func check(_ readiness: Readiness) throws {
    guard !readiness.isReady else { return }
    throw RequestError(
      .serviceUnavailable, .serviceNotAvailable,
      "The store is not ready: " + readiness.problems.joined(separator: "; ") + ".",
      headers: [.retryAfter: "5"])
  }
}

extension Exchange {
  /// Whether the store trusts its wall-clock time, as of the last sweep.
  fileprivate var clock: HealthPayload.Clock {
    store.clockDoubt == nil ? .plausible : .implausible
  }
}

/// Whether a store can work, and the problems if not.
struct Readiness: Hashable, Sendable, Codable {
  /// The problems, which are not secret; empty when the store is ready.
  var problems: [String] = []
  var status: String { isReady ? "ready" : "not ready" }
  var isReady: Bool { problems.isEmpty }

  private enum CodingKeys: String, CodingKey { case status, problems }

  init(problems: [String] = []) { self.problems = problems }

  init(from decoder: any Decoder) throws {
    problems = try decoder.container(keyedBy: CodingKeys.self)
      .decode([String].self, forKey: .problems)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(status, forKey: .status)
    try container.encode(problems, forKey: .problems)
  }
}

extension StoreServer {
  /// Returns whether the storage can be read and written and has free space.
  ///
  /// The storage is checked at most once per ``ServerConfiguration/readinessInterval``, because a
  /// write costs a disk sync and anyone may send this request. If a write fails in between, the
  /// store is not ready at once, until the next check.
  ///
  /// All callers during a check share its result.
  func readiness() async throws -> Readiness {
    if let known = knownReadiness { return known }
    let probe = activity.probe.withLock { running -> Task<Readiness, Never>? in
      if let running { return running }
      // A check that ended meanwhile has stored its result.
      guard knownReadiness == nil else { return nil }
      let probe = Task { await self.probeStorage() }
      running = probe
      return probe
    }
    guard let probe else { return try await readiness() }
    return await probe.value
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
}
