package import BellhopServer
internal import BellhopStore
internal import HTTPTypes
internal import Hummingbird

/// The HTTP interfaces of other services that a store also serves.
package enum Dialects {
  /// The endpoints of all dialects. A new dialect is one more element.
  package static let endpoints: [Endpoint] =
    NtfyDialect.endpoints + GotifyDialect.endpoints + AppriseDialect.endpoints
    + HookDialect.endpoints
}

extension Dialect {
  /// Returns an endpoint for signed-in callers of the dialect.
  func endpoint(
    _ method: HTTPRequest.Method, _ pattern: String, _ access: Endpoint.Access,
    isStream: Bool = false,
    _ handle: @escaping @Sendable (Exchange, Principal) async throws -> Response
  ) -> Endpoint {
    .signedIn(method, root: .top, pattern, access, dialect: self, isStream: isStream, handle)
  }
}
