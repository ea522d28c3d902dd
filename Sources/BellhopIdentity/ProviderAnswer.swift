public import BellhopModel

/// What a provider answered to a request for a document.
public struct ProviderAnswer: Sendable {
  public var status: Int
  /// By their names in lower case.
  public var headers: [String: String]
  public var body: [UInt8]

  public init(status: Int, headers: [String: String], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// Why a provider's documents can't be had.
public enum ProviderFailure: Error, Hashable, Sendable {
  /// No connection, or no answer in time.
  case unreachable(String)
  /// An answer that can't be used.
  case badAnswer(String)
}

extension ProviderFailure: ExplainedError {
  public var description: String {
    switch self {
    case .unreachable(let reason): "the identity provider cannot be reached (\(reason))"
    case .badAnswer(let reason): "the identity provider's answer cannot be used: \(reason)"
    }
  }
}

/// Gets documents of a provider.
public protocol ProviderFetching: Sendable {
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
