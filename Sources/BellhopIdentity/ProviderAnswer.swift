internal import BellhopModel

/// A provider's response to a request for a document.
package struct ProviderAnswer: Sendable {
  package var status: Int
  /// The header fields, keyed by lowercase name.
  package var headers: [String: String]
  package var body: [UInt8]

  package init(status: Int, headers: [String: String], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// The reason why a provider's documents are unavailable.
package enum ProviderError: Error, Hashable, Sendable {
  /// No connection, or no response in time.
  case unreachable(String)
  /// A response that cannot be used.
  case badAnswer(String)
}

extension ProviderError: ExplainedError {
  package var description: String {
    switch self {
    case .unreachable(let reason): "the identity provider cannot be reached (\(reason))"
    case .badAnswer(let reason): "the identity provider's answer cannot be used: \(reason)"
    }
  }
}

/// An interface for fetching a provider's documents.
package protocol ProviderFetching: Sendable {
  /// Sends one GET request without following redirects.
  ///
  /// - Parameters:
  ///   - entityTag: the value for `If-None-Match`.
  ///   - bytesMax: the maximum size of the body; a longer one is a failure.
  ///   - limit: the time limit for the whole request.
  func get(
    _ url: String, entityTag: String?, bytesMax: Int, within limit: Duration
  ) async throws(ProviderError) -> ProviderAnswer
}
