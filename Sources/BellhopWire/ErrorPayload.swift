public import BellhopModel

/// A machine-readable reason; callers branch on it, never on the message.
public struct ErrorCode: StringIdentifier {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let invalidRequest = ErrorCode("invalidRequest")
  public static let unauthenticated = ErrorCode("unauthenticated")
  /// Within ``unauthenticated``: the token was taken back; signing in again is what helps.
  public static let tokenRevoked = ErrorCode("tokenRevoked")
  public static let accessDenied = ErrorCode("accessDenied")
  public static let itemNotFound = ErrorCode("itemNotFound")
  public static let methodNotAllowed = ErrorCode("methodNotAllowed")
  public static let nameAlreadyExists = ErrorCode("nameAlreadyExists")
  /// `If-Match` names another state.
  public static let resourceModified = ErrorCode("resourceModified")
  /// The delta token can't be followed; start a first synchronisation.
  public static let resyncRequired = ErrorCode("resyncRequired")
  /// Operations are missing; ``ErrorPayload/expectedSequence`` comes next.
  public static let outboxGap = ErrorCode("outboxGap")
  /// The number belongs to another operation; start a new lineage.
  public static let outboxDiverged = ErrorCode("outboxDiverged")
  /// The idempotency key was used with another body.
  public static let idempotencyConflict = ErrorCode("idempotencyConflict")
  public static let requestEntityTooLarge = ErrorCode("requestEntityTooLarge")
  public static let unsupportedMediaType = ErrorCode("unsupportedMediaType")
  public static let notSupported = ErrorCode("notSupported")
  public static let quotaLimitReached = ErrorCode("quotaLimitReached")
  public static let tooManyRequests = ErrorCode("TooManyRequests")
  public static let serviceNotAvailable = ErrorCode("serviceNotAvailable")
  public static let insufficientStorage = ErrorCode("insufficientStorage")
  /// In a batch: a request that this one depends on did not succeed.
  public static let failedDependency = ErrorCode("failedDependency")
  public static let generalException = ErrorCode("generalException")
}

/// Who signed a device out, and when.
public struct RevocationPayload: Hashable, Sendable, Codable {
  /// The `event:` line of a stream of signals that ends because of it.
  public static let event = "revoked"

  public var at: Timestamp
  /// The name of the device that did it; nil for who runs the store.
  public var by: String?

  public init(at: Timestamp, by: String?) {
    self.at = at
    self.by = by
  }

  private enum CodingKeys: String, CodingKey {
    case at = "revokedDateTime"
    case by = "revokedBy"
  }
}

/// Graph's error body: `{"error":{"code","message","innerError":{"request-id","date"}}}`.
public struct ErrorPayload: Hashable, Sendable, Codable {
  public var code: ErrorCode
  /// For people: which field was wrong and what was expected.
  public var message: String
  public var requestID: String
  public var date: Timestamp
  /// With ``ErrorCode/outboxGap``: the number of the operation that comes next.
  public var expectedSequence: Int64?
  /// With a token that was taken back: in `innerError`, beside the code `tokenRevoked`.
  public var revocation: RevocationPayload?

  public init(
    code: ErrorCode, message: String, requestID: String, date: Timestamp,
    expectedSequence: Int64? = nil, revocation: RevocationPayload? = nil
  ) {
    self.code = code
    self.message = message
    self.requestID = requestID
    self.date = date
    self.expectedSequence = expectedSequence
    self.revocation = revocation
  }

  private struct Envelope: Codable {
    var error: Body
  }

  private struct Body: Codable {
    var code: ErrorCode
    var message: String
    var expectedSequence: Int64?
    var innerError: Inner?
  }

  private struct Inner: Codable {
    var requestID: String?
    var date: Timestamp?
    var code: ErrorCode?
    var revokedDateTime: Timestamp?
    var revokedBy: String?

    private enum CodingKeys: String, CodingKey {
      case requestID = "request-id"
      case date, code, revokedDateTime, revokedBy
    }
  }

  public init(from decoder: any Decoder) throws {
    let body = try Envelope(from: decoder).error
    self.init(
      code: body.code, message: body.message, requestID: body.innerError?.requestID ?? "",
      date: body.innerError?.date ?? .distantPast, expectedSequence: body.expectedSequence)
    if let inner = body.innerError, let at = inner.revokedDateTime {
      revocation = RevocationPayload(at: at, by: inner.revokedBy)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    let body = Body(
      code: code, message: message, expectedSequence: expectedSequence,
      innerError: Inner(
        requestID: requestID, date: date, code: revocation.map { _ in .tokenRevoked },
        revokedDateTime: revocation?.at, revokedBy: revocation?.by))
    try Envelope(error: body).encode(to: encoder)
  }
}
