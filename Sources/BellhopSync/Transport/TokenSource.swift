/// The source of the bearer token for requests.
///
/// Its methods correspond to the requests that the seeds' account manager makes to its application
/// (`accessTokenRequested`, `accessTokenInvalidated`).
package protocol TokenSource: Sendable {
  /// Returns the token for the next request.
  ///
  /// - Throws: An error for which ``TransportError/endsSignIn`` is true if the user has to sign in
  ///   again to get one. Any other error means to try again later.
  func token() async throws(TransportError) -> String

  /// Reports that the store did not accept this token.
  ///
  /// - Returns: Whether there is another token, so that the request is worth repeating.
  /// - Throws: The same errors as ``token()``.
  func invalidated(_ token: String) async throws(TransportError) -> Bool

  /// Waits briefly for work that would be lost if the process ended.
  ///
  /// It waits even if the caller is cancelled.
  func settle() async
}

/// A token from elsewhere that does not renew itself.
package struct FixedToken: TokenSource {
  private let read: @Sendable () -> String?

  /// - Parameter read: Called at every request, so that a new token takes effect at once.
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
