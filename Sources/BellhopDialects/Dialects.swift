package import BellhopServer

/// The HTTP interfaces of other services that a store serves beside its own.
package enum Dialects {
  /// The endpoints of all dialects. A new dialect is one element here.
  package static let endpoints: [Endpoint] =
    NtfyDialect.endpoints + GotifyDialect.endpoints + AppriseDialect.endpoints
    + HookDialect.endpoints
}
