internal import BellhopModel
internal import BellhopStore
package import BellhopWire
package import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The reason why a request failed, in terms of the HTTP interface. A dialect formats it.
package struct RequestError: Error {
  package var status: HTTPResponse.Status
  var code: ErrorCode
  /// A human-readable message. Contains at most a few words of input, and never a token.
  package var message: String
  package var headers = HTTPFields()
  /// The number of the next operation, with ``ErrorCode/outboxGap``.
  var expectedSequence: Int64?
  /// The revocation of the request's token, if it was revoked.
  var revocation: Revocation?
  /// OAuth's error code if the failure has a specific one; otherwise it follows from the status.
  var oauthCode: OAuthErrorCode?
  /// ntfy's error code if the failure has a specific one; otherwise it follows from the status.
  package var ntfyCode: Int?
  /// A detail that only the log contains.
  var logDetail: String?

  package init(
    _ status: HTTPResponse.Status, _ code: ErrorCode, _ message: String,
    headers: HTTPFields = [:], ntfyCode: Int? = nil
  ) {
    self.status = status
    self.code = code
    self.message = message
    self.headers = headers
    self.ntfyCode = ntfyCode
  }

  package static func badRequest(_ message: String) -> RequestError {
    RequestError(.badRequest, .invalidRequest, message)
  }

  package static func forbidden(_ message: String) -> RequestError {
    RequestError(.forbidden, .accessDenied, message)
  }

  package static func notFound(_ message: String) -> RequestError {
    RequestError(.notFound, .itemNotFound, message)
  }

  package static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> RequestError {
    let names = allowed.map(\.rawValue).sorted().joined(separator: ", ")
    return RequestError(
      .methodNotAllowed, .methodNotAllowed, "This address accepts \(names).",
      headers: [.allow: names])
  }

  package static func bodyTooLarge(bytesMax: Int) -> RequestError {
    RequestError(
      .contentTooLarge, .requestEntityTooLarge,
      "The body is too large: at most \(bytesMax) bytes are accepted.", ntfyCode: 41301)
  }

  /// - Parameter wait: The time until a request may succeed; sent in whole seconds, at least one.
  static func tooManyRequests(after wait: Duration) -> RequestError {
    let seconds = max(1, Int((wait / .seconds(1)).rounded(.up)))
    return RequestError(
      .tooManyRequests, .tooManyRequests,
      "Too many requests with this token. Try again in \(seconds) s.",
      headers: [.retryAfter: String(seconds)])
  }

  package static func unauthenticated(_ reason: String) -> RequestError {
    RequestError(
      .unauthorized, .unauthenticated, "Not signed in: \(reason).",
      headers: [.wwwAuthenticate: "Bearer"])
  }
}

extension RequestError {
  /// Converts any error of a handler. The client does not see the details of an unknown error.
  init(_ error: any Error) {
    switch error {
    case let failure as RequestError: self = failure
    case let error as StoreError: self.init(error)
    case let error as WireError: self = .badRequest(error.description)
    case let error as ListSyntaxError: self = .badRequest(error.description)
    case let error as HTTPError:
      self.init(error.status, .invalidRequest, "The request is not valid.")
    default:  // open: any Error
      self.init(
        .internalServerError, .generalException,
        "The store failed and did not acknowledge this request. Try again.")
      logDetail = String(describing: error)
    }
  }

  /// Converts any error of a handler. Administrators learn the reason of a storage failure.
  init(_ error: any Error, for audience: StoreServer.Audience) {
    self.init(error)
    switch audience {
    case .everybody: break
    case .administration:
      if let error = error as? StoreError, case .unavailable = error {
        message = error.description.sentence
      }
    }
  }

  init(_ error: StoreError) {
    let message = error.description
    switch error {
    case .invalid(let field, let expectation):
      self = .badRequest("\(field) is wrong: expected \(expectation).")
    case .unauthenticated(let reason): self = .unauthenticated(reason)
    case .revoked(let revocation):
      self = .unauthenticated("the access token was revoked")
      self.revocation = revocation
    case .accessDenied(let reason): self = .forbidden(reason.sentence)
    case .notFound(let what): self = .notFound("There is no such \(what).")
    case .alreadyExists: self.init(.conflict, .nameAlreadyExists, message)
    case .modified: self.init(.preconditionFailed, .resourceModified, message)
    case .idempotencyConflict:
      self.init(.unprocessableContent, .idempotencyConflict, message)
    case .resyncRequired: self.init(.gone, .resyncRequired, message)
    case .outboxGap(let expected):
      self.init(.conflict, .outboxGap, message)
      expectedSequence = expected
    case .outboxDiverged: self.init(.conflict, .outboxDiverged, message)
    case .notSupported: self.init(.badRequest, .notSupported, message)
    case .busy:
      self.init(
        .serviceUnavailable, .serviceNotAvailable, message, headers: [.retryAfter: "1"])
    case .tooManyStreams:
      self.init(
        .tooManyRequests, .tooManyRequests, message, headers: [.retryAfter: "60"])
    case .tooManyLists:
      self.init(
        .tooManyRequests, .tooManyRequests, message, headers: [.retryAfter: "1"])
    case .tooManySubscriptions: self.init(.forbidden, .quotaLimitReached, message)
    case .quotaReached: self.init(.insufficientStorage, .quotaLimitReached, message)
    case .tooManyRequests(let wait):
      self.init(
        .tooManyRequests, .tooManyRequests, message,
        headers: [.retryAfter: "\(wait.wholeSeconds)"])
    case .storageFull: self.init(.insufficientStorage, .insufficientStorage, message)
    case .newerSchema, .moved, .unfinishedCopy, .inUse:
      self.init(.serviceUnavailable, .serviceNotAvailable, message)
    case .outcomeUnknown:
      self.init(
        .serviceUnavailable, .serviceNotAvailable, message, headers: [.retryAfter: "5"])
    case .unavailable(let reason):
      self.init(
        .serviceUnavailable, .serviceNotAvailable,
        "The storage failed; nothing was changed. Try again later.", headers: [.retryAfter: "5"])
      logDetail = reason
    }
  }
}

extension HTTPResponse.Status {
  static var insufficientStorage: Self { .init(code: 507, reasonPhrase: "Insufficient Storage") }
}
