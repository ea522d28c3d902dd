/// Where the bearer token of requests comes from: what the seeds' account manager asks its
/// application for (`accessTokenRequested`, `accessTokenInvalidated`).
package protocol TokenSource: Sendable {
  /// The token for the next request.
  ///
  /// - Throws: an error that ``TransportError/endsSignIn`` when only the person can get one, by
  ///   signing in again; any other says that it is to be tried later.
  func token() async throws(TransportError) -> String

  /// The store did not accept this token.
  ///
  /// - Returns: whether there is another one, so that the request is worth repeating.
  /// - Throws: as ``token()``.
  func invalidated(_ token: String) async throws(TransportError) -> Bool

  /// Waits a little for what is under way and would be lost if the process ended, also when the
  /// caller is cancelled.
  func settle() async
}

/// A token that lies somewhere and does not renew itself.
package struct KeptToken: TokenSource {
  private let read: @Sendable () -> String?

  /// - Parameter read: asked at every request, so that a new one counts at once.
  package init(_ read: @escaping @Sendable () -> String?) { self.read = read }

  package func token() async throws(TransportError) -> String {
    guard let token = read() else { throw .unauthorized }
    return token
  }

  package func invalidated(_ token: String) async throws(TransportError) -> Bool {
    guard let known = read() else { return false }
    return known != token
  }

  package func settle() async {}
}
