/// The header that names the client's device when its token is not bound to one.
package enum DeviceHeader {
  package static let name = "Bellhop-Device"
}

/// The metadata that a client needs to sign in (RFC 9728 §2).
package struct ResourceMetadataPayload: Hashable, Sendable, Codable {
  /// The store's own address, as the client used it.
  package var resource: String
  /// The issuers whose tokens the store accepts.
  package var authorizationServers: [String]
  package var scopes: [String]
  package var bearerMethods: [String]
  /// The client id of `bellhop` at the identity provider; an extension of Bellhop.
  package var clientID: String?
  /// The resource to request there (RFC 8707), if the provider needs one; an extension of Bellhop.
  package var requestedResource: String?
  /// The scopes that `bellhop` requests there; an extension of Bellhop.
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
