internal import HTTPTypes
internal import Hummingbird

/// `GET /openapi.json`: the description of the native interface.
enum OpenAPIEndpoint {
  static let endpoints = [
    Endpoint.open(.get, "openapi.json") { exchange in
      try .json(
        .ok,
        OpenAPIDocument.make(StoreServer.endpoints, version: exchange.configuration.version))
    }
  ]
}
