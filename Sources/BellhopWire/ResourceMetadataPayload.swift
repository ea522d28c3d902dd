/// The header by which a client names its device, where its token is bound to none.
package enum DeviceHeader {
  package static let name = "Bellhop-Device"
}

/// Where and as what a client of the store signs in (RFC 9728 §2).
package struct ResourceMetadataPayload: Hashable, Sendable, Codable {
  /// The store's own address, as the client used it.
  package var resource: String
  /// The issuers whose tokens the store accepts.
  package var authorizationServers: [String]
  package var scopes: [String]
  package var bearerMethods: [String]
  /// The id under which the identity provider knows `bellhop`, an addition of ours.
  package var clientID: String?
  /// What to name to it as the resource (RFC 8707), where it needs that; an addition of ours.
  package var requestedResource: String?
  /// The scopes `bellhop` is to ask for there; an addition of ours.
  package var requestedScope: String?

  package init(
    resource: String, authorizationServers: [String], scopes: [String], clientID: String?,
    requestedResource: String?, requestedScope: String?
  ) {
    self.resource = resource
    self.authorizationServers = authorizationServers
    self.scopes = scopes
    self.clientID = clientID
    self.requestedResource = requestedResource
    self.requestedScope = requestedScope
    bearerMethods = ["header"]
  }

  private enum CodingKeys: String, CodingKey {
    case resource
    case authorizationServers = "authorization_servers"
    case scopes = "scopes_supported"
    case bearerMethods = "bearer_methods_supported"
    case clientID = "bellhop_client_id"
    case requestedResource = "bellhop_resource"
    case requestedScope = "bellhop_scope"
  }
}
