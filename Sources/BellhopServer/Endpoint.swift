package import BellhopStore
package import HTTPTypes
package import Hummingbird

/// One method on one address, and the tokens that it accepts.
package struct Endpoint: Sendable {
  /// The tokens that an endpoint accepts.
  package enum Access: Sendable, CaseIterable {
    /// No token is required.
    case open
    /// Device tokens: everything that reads or changes a user's data.
    case device
    /// Device tokens, and app tokens for their app's items.
    ///
    /// The endpoint checks `Principal.reach`.
    case item
    /// Publish and app tokens for the app in question, and device tokens.
    case publish
  }

  /// The root of an endpoint's pattern.
  package enum Root: Sendable {
    /// Each of `Route.versions`.
    ///
    /// A pattern that begins with `me/` is also served under `users/{id}/`.
    case native
    case top
  }

  let method: HTTPRequest.Method
  let root: Root
  /// The pattern in the router's syntax: `me/notifications/:id`.
  let pattern: String
  let access: Access
  let dialect: any Dialect
  /// Whether the response is a stream, which does not support HEAD.
  let isStream: Bool
  /// The endpoint's entry in the OpenAPI description. Every native endpoint has one.
  var description: OperationDescription?
  private let body: @Sendable (Exchange, Principal?) async throws -> Response

  /// Creates an endpoint that needs no token.
  package static func open(
    _ method: HTTPRequest.Method, root: Root = .top, _ pattern: String,
    dialect: any Dialect = GraphDialect(),
    _ handle: @escaping @Sendable (Exchange) async throws -> Response
  ) -> Endpoint {
    Endpoint(
      method: method, root: root, pattern: pattern, access: .open, dialect: dialect,
      isStream: false, body: { exchange, _ in try await handle(exchange) })
  }

  /// Creates an endpoint of the native interface for a signed-in caller.
  static func native(
    _ method: HTTPRequest.Method, _ pattern: String, _ access: Access, isStream: Bool = false,
    _ handle: @escaping @Sendable (Exchange, Principal) async throws -> Response
  ) -> Endpoint {
    signedIn(
      method, root: .native, pattern, access, dialect: GraphDialect(), isStream: isStream,
      handle)
  }

  /// Creates an endpoint of any dialect for a signed-in caller.
  package static func signedIn(
    _ method: HTTPRequest.Method, root: Root, _ pattern: String, _ access: Access,
    dialect: any Dialect, isStream: Bool = false,
    _ handle: @escaping @Sendable (Exchange, Principal) async throws -> Response
  ) -> Endpoint {
    Endpoint(
      method: method, root: root, pattern: pattern, access: access, dialect: dialect,
      isStream: isStream,
      body: { exchange, principal in
        guard let principal else { throw RequestError.unauthenticated("send an access token") }
        return try await handle(exchange, principal)
      })
  }

  /// Authorizes the caller and returns the response. The caller of this method formats errors.
  func handle(_ exchange: Exchange) async throws -> Response {
    guard access != .open else { return try await body(exchange, nil) }
    let principal = try await dialect.principal(in: exchange)
    try exchange.checkUser(principal.user)
    try exchange.server.activity.admit(
      principal.token.id, at: exchange.server.environment.elapsed())
    switch (access, principal.token.scope) {
    case (_, .enrol):
      throw RequestError.forbidden("An enrol token can only sign in a device.")
    case (.device, .app), (.device, .publish), (.item, .publish):
      throw RequestError.forbidden("The access token does not allow this. Use a device token.")
    case (.open, _), (.publish, _), (.item, _), (.device, .device): break
    }
    return try await body(exchange, principal)
  }
}
