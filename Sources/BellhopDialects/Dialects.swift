package import BellhopServer

/// The HTTP interfaces of other services that a store also serves.
package enum Dialects {
  /// The endpoints of all dialects. A new dialect is one more element.
  package static let endpoints: [Endpoint] =
    NtfyDialect.endpoints + GotifyDialect.endpoints + AppriseDialect.endpoints
    + HookDialect.endpoints
}
