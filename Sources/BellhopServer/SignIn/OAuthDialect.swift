internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// The dialect of OAuth 2.0's endpoints, with errors in the format of RFC 6749 §5.2.
///
/// These endpoints take no access token.
struct OAuthDialect: Dialect {
  func secret(in exchange: Exchange) throws -> AccessTokenSecret {
    throw RequestError.unauthenticated("this address does not accept access tokens")
  }

  func response(to failure: RequestError, requestID: String, date: Timestamp) -> Response {
    let payload = OAuthErrorPayload(
      error: failure.oauthCode ?? Self.code(failure.status),
      description: Self.description(failure.message))
    var headers = failure.headers
    headers[.pragma] = "no-cache"
    let response = try? Response.json(failure.status, payload, headers: headers)
    return response ?? Response(status: failure.status, headers: headers)
  }

  private static func code(_ status: HTTPResponse.Status) -> OAuthErrorCode {
    switch status.code {
    case 401: .invalidClient
    case 429, 503: .temporarilyUnavailable
    case 500...: .serverError
    default: .invalidRequest  // open: Int
    }
  }

  /// Replaces the characters that RFC 6749 §5.2 does not allow.
  ///
  /// It allows printable ASCII without quotes and backslashes.
  private static func description(_ text: String) -> String {
    String(
      decoding: text.utf8.map { byte in
        (0x20...0x7e).contains(byte) && byte != 0x22 && byte != 0x5c ? byte : 0x27
      }, as: UTF8.self)
  }
}

extension HTTPField.Name {
  static let pragma = HTTPField.Name("Pragma")!
}
