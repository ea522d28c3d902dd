internal import BellhopServer
internal import BellhopWire
internal import HTTPTypes

/// The refusals that ntfy's clients distinguish, with ntfy's error codes.
///
/// The first three digits are the status.
enum NtfyError: Int {
  case badRequest = 40000
  case noEmail = 40001
  case delayNotStored = 40002
  case delayUnreadable = 40004
  case delayPast = 40005
  case delayTooLong = 40006
  case priority = 40007
  case since = 40008
  case topic = 40009
  case topicReserved = 40010
  case messageNotText = 40011
  case attachmentURL = 40013
  case noAttachments = 40014
  case notWebSocket = 40016
  case notMessage = 40017
  case actions = 40018
  case iconURL = 40021
  case notJSON = 40024
  case noCalls = 40032
  case sequence = 40049
  case unauthorized = 40101
  case forbidden = 40301
  case notFound = 40401
  case tooLarge = 41301
  case jsonTooLarge = 41303
  case tooManyRequests = 42901
  case tooManyStreams = 42903

  /// The text that clients receive, and that some compare.
  var words: String {
    switch self {
    case .badRequest: "invalid request"
    case .noEmail: "e-mail notifications are not enabled"
    case .delayNotStored: "cannot disable cache for delayed message"
    case .delayUnreadable: "invalid delay parameter: unable to parse delay"
    case .delayPast: "invalid delay parameter: too small"
    case .delayTooLong: "invalid delay parameter: too large"
    case .priority: "invalid priority parameter"
    case .since: "invalid since parameter"
    case .topic: "invalid request: topic invalid"
    case .topicReserved: "invalid request: topic name is not allowed"
    case .messageNotText: "invalid request: message must be UTF-8 encoded"
    case .attachmentURL: "invalid request: attachment URL is invalid"
    case .noAttachments: "invalid request: attachments not allowed"
    case .notWebSocket: "invalid request: client not using the websocket protocol"
    case .notMessage: "invalid request: request body must be message JSON"
    case .actions: "invalid request: actions invalid"
    case .iconURL: "invalid request: icon URL is invalid"
    case .notJSON: "invalid request: request body must be valid JSON"
    case .noCalls: "invalid request: calling is disabled"
    case .sequence: "invalid request: sequence ID invalid"
    case .unauthorized: "unauthorized"
    case .forbidden: "forbidden"
    case .notFound: "page not found"
    case .tooLarge: "attachment too large, or bandwidth limit reached"
    case .jsonTooLarge: "JSON body too large"
    case .tooManyRequests: "limit reached: too many requests"
    case .tooManyStreams: "limit reached: too many active subscriptions"
    }
  }

  var status: HTTPResponse.Status { HTTPResponse.Status(code: rawValue / 100) }

  /// Converts the store's own refusal to ntfy's terms; nil if ntfy has no equivalent.
  init?(_ failure: RequestError) {
    switch failure.status {
    case .badRequest: self = .badRequest
    case .unauthorized: self = .unauthorized
    case .forbidden: self = .forbidden
    case .notFound: self = .notFound
    case .contentTooLarge: self = .tooLarge
    case .tooManyRequests: self = .tooManyRequests
    default: return nil  // open: HTTPResponse.Status
    }
  }

  /// Whether clients receive only these words.
  var isTerse: Bool {
    [Self.unauthorized, .forbidden, .notFound, .tooManyRequests].contains(self)
  }
}

extension RequestError {
  /// Creates a refusal with one of ntfy's error codes.
  ///
  /// - Parameter detail: A human-readable addition after the words that clients know.
  static func ntfy(_ fault: NtfyError, _ detail: String? = nil) -> RequestError {
    var failure = RequestError(
      fault.status, .invalidRequest, fault.words + (detail.map { ", " + $0 } ?? ""))
    failure.ntfyCode = fault.rawValue
    return failure
  }
}
