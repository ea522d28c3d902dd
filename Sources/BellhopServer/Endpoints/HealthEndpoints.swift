internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// The health endpoints: whether the store is ready, and whether the program is alive.
///
/// `GET /health`, `/health/ready` and ntfy's `GET /v1/health` check the store. `/health/live` only
/// shows that the program runs, and never uses the storage.
enum HealthEndpoints {
  static let endpoints = [
    Endpoint.open(.get, "health") { exchange in
      try check(await exchange.server.readiness())
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
      let readiness = await exchange.server.readiness()
      return try .json(readiness.isReady ? .ok : .serviceUnavailable, readiness)
    },
    Endpoint.open(.get, "v1/health") { exchange in
      try check(await exchange.server.readiness())
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
