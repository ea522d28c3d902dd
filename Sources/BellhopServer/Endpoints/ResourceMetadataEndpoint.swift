internal import BellhopIdentity
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// `GET /.well-known/oauth-protected-resource` (RFC 9728): the metadata for signing in.
enum ResourceMetadataEndpoint {
  static let endpoints = [
    Endpoint.open(.get, ".well-known/oauth-protected-resource", handle).described(
      .init(
        id: "resourceMetadata", summary: "Where a client signs in.",
        answers: [.init(200, "The identity provider.", .json("ResourceMetadata"))],
        refusals: [404: "The store has no identity provider and accepts only its own tokens."]))
  ]

  private static func handle(_ exchange: Exchange) async throws -> Response {
    guard let issuer = exchange.server.issuer else {
      throw RequestError.notFound(
        "This store has no identity provider. Sign in with a token of the store.")
    }
    return try .json(
      .ok,
      ResourceMetadataPayload(
        resource: exchange.linkBase, authorizationServers: [issuer.rules.issuer],
        scopes: [issuer.rules.deviceScope, issuer.rules.publishScope],
        clientID: issuer.rules.bellhopClient,
        requestedResource: issuer.rules.resource,
        requestedScope: issuer.rules.bellhopScope ?? "openid " + issuer.rules.deviceScope))
  }
}
