internal import BellhopModel
internal import BellhopSync

/// A token source that requests access tokens from the program and keeps the last one.
///
/// It keeps a token until the store rejects it. The equivalents in Project Rome's SDK are
/// `accessTokenRequested` and `accessTokenInvalidated`.
actor RequestedTokens: TokenSource {
  /// The scopes of a device's token.
  static let scopes = ["bellhop.device"]

  private let news: FeedEvents
  private let request: @Sendable ([String]) async throws -> String
  private var known: String?

  init(news: FeedEvents, request: @escaping @Sendable ([String]) async throws -> String) {
    self.news = news
    self.request = request
  }

  func token() async throws(TransportError) -> String {
    if let known { return known }
    let token: String
    do {
      token = try await request(Self.scopes)
    } catch FeedError.signInAgain {
      throw .signInEnded
    } catch is CancellationError {
      throw .cancelled
    } catch let error as any ExplainedError {
      throw .providerOffline(error.description.clause)
    } catch {
      // The text of the program's own errors is unknown.
      throw .providerOffline("the program supplied no access token")
    }
    known = token
    return token
  }

  func invalidated(_ token: String) async throws(TransportError) -> Bool {
    // Another request may already have replaced the token.
    if let known, known != token { return true }
    known = nil
    news.tell(.accessTokenInvalidated)
    return try await self.token() != token
  }

  func settle() async {}
}
