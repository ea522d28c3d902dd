package import BellhopModel

/// A machine-readable error code. Callers branch on it, never on the message.
package struct ErrorCode: StringIdentifier {
  package var rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }

  package static let invalidRequest = ErrorCode("invalidRequest")
  package static let unauthenticated = ErrorCode("unauthenticated")
  /// A detail of ``unauthenticated``: the token was revoked. The user must sign in again.
  package static let tokenRevoked = ErrorCode("tokenRevoked")
  package static let accessDenied = ErrorCode("accessDenied")
  package static let itemNotFound = ErrorCode("itemNotFound")
  package static let methodNotAllowed = ErrorCode("methodNotAllowed")
  package static let nameAlreadyExists = ErrorCode("nameAlreadyExists")
  /// `If-Match` names another state than the current one.
  package static let resourceModified = ErrorCode("resourceModified")
  /// The store cannot continue from the delta token; start a first synchronisation.
  package static let resyncRequired = ErrorCode("resyncRequired")
  /// Operations are missing; ``ErrorPayload/expectedSequence`` is the next number.
  package static let outboxGap = ErrorCode("outboxGap")
  /// The number belongs to another operation; start a new lineage.
  package static let outboxDiverged = ErrorCode("outboxDiverged")
  /// The idempotency key was used with another body.
  package static let idempotencyConflict = ErrorCode("idempotencyConflict")
  package static let requestEntityTooLarge = ErrorCode("requestEntityTooLarge")
  package static let unsupportedMediaType = ErrorCode("unsupportedMediaType")
  package static let notSupported = ErrorCode("notSupported")
  package static let quotaLimitReached = ErrorCode("quotaLimitReached")
  package static let tooManyRequests = ErrorCode("TooManyRequests")
  package static let serviceNotAvailable = ErrorCode("serviceNotAvailable")
  package static let insufficientStorage = ErrorCode("insufficientStorage")
  /// A request of the batch on which this one depends did not succeed.
  package static let failedDependency = ErrorCode("failedDependency")
  package static let generalException = ErrorCode("generalException")
}

/// The time and author of a device's sign-out.
package struct RevocationPayload: Hashable, Sendable, Codable {
  /// The `event:` line of a signal stream that ends because of it.
  package static let event = "revoked"

  package var at: Timestamp
  /// The name of the device that signed it out; nil for the store's administrator.
  package var by: String?

  package init(at: Timestamp, by: String?) {
    self.at = at
    self.by = by
  }

  private enum CodingKeys: String, CodingKey {
    case at = "revokedDateTime"
    case by = "revokedBy"
  }
}

/// Graph's error body: `{"error":{"code","message","innerError":{"request-id","date"}}}`.
package struct ErrorPayload: Hashable, Sendable, Codable {
  package var code: ErrorCode
  /// A human-readable message: which field was wrong and what was expected.
  package var message: String
  package var requestID: String
  package var date: Timestamp
  /// The number of the next operation, with ``ErrorCode/outboxGap``.
  package var expectedSequence: Int64?
  /// The revocation of the request's token; in `innerError`, beside the code `tokenRevoked`.
  package var revocation: RevocationPayload?

  package init(
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

  package init(from decoder: any Decoder) throws {
    let body = try Envelope(from: decoder).error
    self.init(
      code: body.code, message: body.message, requestID: body.innerError?.requestID ?? "",
      date: body.innerError?.date ?? .distantPast, expectedSequence: body.expectedSequence)
    if let inner = body.innerError, let at = inner.revokedDateTime {
      revocation = RevocationPayload(at: at, by: inner.revokedBy)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    let body = Body(
      code: code, message: message, expectedSequence: expectedSequence,
      innerError: Inner(
        requestID: requestID, date: date, code: revocation.map { _ in .tokenRevoked },
        revokedDateTime: revocation?.at, revokedBy: revocation?.by))
    try Envelope(error: body).encode(to: encoder)
  }
}
