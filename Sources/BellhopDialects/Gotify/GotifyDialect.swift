internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// Gotify's interface for its publishers and clients (gotify.net/api-docs).
///
/// An application's token is a publish token for one app. A client's token is a device token, or an
/// app token for only one app. The ids of messages are the items' short numbers.
struct GotifyDialect: Dialect {
  static let endpoints =
    GotifyMessages.endpoints + GotifyApplications.endpoints + GotifyAccount.endpoints
    + GotifyStream.endpoints

  private static let key = HTTPField.Name("X-Gotify-Key")!

  /// Returns the token from one of Gotify's three places, or from the password of a sign-in.
  func secret(in exchange: Exchange) throws -> AccessTokenSecret {
    let own = exchange.request.headers[Self.key].flatMap { Credentials.bearer("Bearer " + $0) }
    return try own ?? Credentials.anywhere(in: exchange)
  }

  func response(to failure: RequestError, requestID: String, date: Timestamp) -> Response {
    let status = failure.status
    let payload: JSONValue = [
      "error": .string(status.reasonPhrase), "errorCode": .integer(Int(status.code)),
      "errorDescription": .string(failure.message),
    ]
    let response = try? Response.json(status, payload, headers: failure.headers)
    return response ?? Response(status: status, headers: failure.headers)
  }

  // MARK: - Bodies

  /// Returns the members of the body, in any encoding.
  static func members(_ exchange: Exchange) async throws -> [String: JSONValue] {
    try await exchange.withBody {
      try FormBody.members(
        of: $0, contentType: exchange.request.headers[.contentType],
        depthMax: exchange.configuration.jsonDepthMax)
    }
  }

  /// Returns a member that is a text, or a number as text.
  static func text(_ value: JSONValue?, _ field: String) throws -> String? {
    switch value {
    case nil, .null?: nil
    case .string(let text)?: text
    case .number(let text)?: text
    case .bool?, .array?, .object?:
      throw RequestError.badRequest("\(field) is wrong: expected text.")
    }
  }

  /// Returns a member that is a whole number, or a text with one; nil if missing.
  static func number(_ value: JSONValue?, _ field: String) throws -> Int? {
    guard let text = try text(value, field)?.trimmed, !text.isEmpty else { return nil }
    guard let number = Int(text) else {
      throw RequestError.badRequest("\(field) is wrong: expected a whole number.")
    }
    return number
  }

  // MARK: - Numbers

  /// Returns the number that Gotify uses in place of an app's name or another id.
  ///
  /// Two names may have the same number.
  static func number(of name: String) -> Int {
    // FNV-1a, because the number must be the same on every day and machine.
    var hash: UInt32 = 2_166_136_261
    for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    return Int(hash & 0x7fff_ffff)
  }

  /// Converts Gotify's 0 to 10 to a level.
  static func priority(_ number: Int) -> Priority {
    switch number {
    case ..<2: .min
    case 2...3: .low
    case 4...6: .normal
    case 7...8: .high
    default: .urgent  // open: Int
    }
  }

  static func number(of priority: Priority) -> Int {
    switch priority {
    case .min: 0
    case .low: 2
    case .normal: 5
    case .high: 8
    case .urgent: 10
    }
  }
}
