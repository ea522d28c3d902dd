internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// `GET /health`, and ntfy's `GET /v1/health`: ready when the storage answers.
enum HealthEndpoints {
  static let endpoints = [
    Endpoint.open(.get, "health") { exchange in
      _ = try await exchange.store.users()
      return try .json(.ok, HealthPayload(version: exchange.configuration.version))
    }.described(
      .init(
        id: "health", summary: "Whether the store is ready.",
        answers: [.init(200, "It is.", .json("Health"))])),
    Endpoint.open(.get, "v1/health") { exchange in
      _ = try await exchange.store.users()
      return try .json(.ok, ["healthy": true])
    },
  ]
}
