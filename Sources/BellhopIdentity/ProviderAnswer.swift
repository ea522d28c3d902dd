internal import BellhopModel

/// What a provider answered to a request for a document.
package struct ProviderAnswer: Sendable {
  package var status: Int
  /// By their names in lower case.
  package var headers: [String: String]
  package var body: [UInt8]

  package init(status: Int, headers: [String: String], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// Why a provider's documents can't be had.
package enum ProviderFailure: Error, Hashable, Sendable {
  /// No connection, or no answer in time.
  case unreachable(String)
  /// An answer that can't be used.
  case badAnswer(String)
}

extension ProviderFailure: ExplainedError {
  package var description: String {
    switch self {
    case .unreachable(let reason): "the identity provider cannot be reached (\(reason))"
    case .badAnswer(let reason): "the identity provider's answer cannot be used: \(reason)"
    }
  }
}

/// Gets documents of a provider.
package protocol ProviderFetching: Sendable {
  /// One GET, redirects not followed.
  ///
  /// - Parameters:
  ///   - entityTag: for `If-None-Match`.
  ///   - bytesMax: a longer body is a failure.
  ///   - limit: for the whole of it.
  func get(
    _ url: String, entityTag: String?, bytesMax: Int, within limit: Duration
  ) async throws(ProviderFailure) -> ProviderAnswer
}
