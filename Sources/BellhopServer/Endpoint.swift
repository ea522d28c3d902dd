package import BellhopStore
package import HTTPTypes
package import Hummingbird

/// One method on one address, and who may use it.
package struct Endpoint: Sendable {
  /// Which tokens are let in.
  package enum Access: Sendable, CaseIterable {
    /// No token is asked for.
    case open
    /// Device tokens: everything that reads or changes what is a user's.
    case device
    /// Device tokens, and app tokens within the items of their app: the endpoint looks at
    /// ``Principal/reach``.
    case item
    /// Publish and app tokens for the app in question, and device tokens.
    case publish
  }

  /// Under what the pattern lies.
  package enum Root: Sendable {
    /// Under each of ``Route/versions``; what begins with `me/` also under `users/{id}/`.
    case native
    case top
  }

  let method: HTTPRequest.Method
  let root: Root
  /// In the router's spelling: `me/notifications/:id`.
  let pattern: String
  let access: Access
  let dialect: any Dialect
  /// Whether the answer is a stream, which has no HEAD.
  let isStream: Bool
  /// What the OpenAPI description says of it: every native endpoint has one.
  var description: OperationDescription?
  private let body: @Sendable (Exchange, Principal?) async throws -> Response

  /// An endpoint that needs no token.
  package static func open(
    _ method: HTTPRequest.Method, root: Root = .top, _ pattern: String,
    dialect: any Dialect = GraphDialect(),
    _ handle: @escaping @Sendable (Exchange) async throws -> Response
  ) -> Endpoint {
    Endpoint(
      method: method, root: root, pattern: pattern, access: .open, dialect: dialect,
      isStream: false, body: { exchange, _ in try await handle(exchange) })
  }

  /// An endpoint of the native interface for a signed-in caller.
  static func native(
    _ method: HTTPRequest.Method, _ pattern: String, _ access: Access, isStream: Bool = false,
    _ handle: @escaping @Sendable (Exchange, Principal) async throws -> Response
  ) -> Endpoint {
    signedIn(
      method, root: .native, pattern, access, dialect: GraphDialect(), isStream: isStream,
      handle)
  }

  /// An endpoint of any dialect for a signed-in caller.
  package static func signedIn(
    _ method: HTTPRequest.Method, root: Root, _ pattern: String, _ access: Access,
    dialect: any Dialect, isStream: Bool = false,
    _ handle: @escaping @Sendable (Exchange, Principal) async throws -> Response
  ) -> Endpoint {
    Endpoint(
      method: method, root: root, pattern: pattern, access: access, dialect: dialect,
      isStream: isStream,
      body: { exchange, principal in
        guard let principal else { throw Failure.unauthenticated("send an access token") }
        return try await handle(exchange, principal)
      })
  }

  /// Lets the caller in or not, and answers. Errors get the dialect's shape in the caller.
  func handle(_ exchange: Exchange) async throws -> Response {
    guard access != .open else { return try await body(exchange, nil) }
    let principal = try await dialect.principal(in: exchange)
    try exchange.checkUser(principal.user)
    try exchange.server.activity.admit(
      principal.token.id, at: exchange.server.environment.elapsed())
    switch (access, principal.token.scope) {
    case (_, .enrol):
      throw Failure.forbidden("An enrol token is only good for signing in a device.")
    case (.device, .app), (.device, .publish), (.item, .publish):
      throw Failure.forbidden("The access token does not allow this; a device token would.")
    case (.open, _), (.publish, _), (.item, _), (.device, .device): break
    }
    return try await body(exchange, principal)
  }
}
