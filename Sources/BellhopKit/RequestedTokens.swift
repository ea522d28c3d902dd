internal import BellhopModel
internal import BellhopSync

/// Asks the program for access tokens, and keeps the one it got until the store refuses it: the
/// seeds' `accessTokenRequested` and `accessTokenInvalidated`.
actor RequestedTokens: TokenSource {
  /// What a device's token must be good for.
  static let scopes = ["bellhop.device"]

  private let news: FeedNews
  private let request: @Sendable ([String]) async throws -> String
  private var known: String?

  init(news: FeedNews, request: @escaping @Sendable ([String]) async throws -> String) {
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
      // The program's own errors are in its own words, which are not known here.
      throw .providerOffline("the program gave no access token")
    }
    known = token
    return token
  }

  func invalidated(_ token: String) async throws(TransportError) -> Bool {
    // Another request may have been told before.
    if let known, known != token { return true }
    known = nil
    news.tell(.accessTokenInvalidated)
    return try await self.token() != token
  }

  func settle() async {}
}
