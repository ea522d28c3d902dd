internal import BellhopModel
internal import BellhopNetwork
internal import BellhopOutbound
internal import BellhopStore
internal import BellhopWire

/// The counts of a server's hooks since its start.
struct HookCounts: Hashable, Sendable {
  /// The current number of subscriptions.
  var subscriptions = 0
  /// The number of hooks being called now.
  var calling = 0
  var changesDelivered = 0
  var requestsAccepted = 0
  var requestsFailed = 0
  /// How often the pending changes of a hook were dropped.
  var dropped = 0

  mutating func add(_ message: HookMessage, _ outcome: HookOutcome, _ record: HookRecord) {
    switch outcome {
    case .accepted:
      requestsAccepted += 1
      if case .changes(let changes) = message.content { changesDelivered += changes.count }
    case .failed: requestsFailed += 1
    }
    if record == .dropped { dropped += 1 }
  }
}

extension HookMessage {
  /// Returns the request's body in Graph's format.
  func body() throws(WireError) -> [UInt8] {
    let request = subscription.request
    switch content {
    case .changes(let changes):
      let resource = request.resource.drop { $0 == "/" }
      return try WireJSON.encode(
        ChangeNotificationListPayload(
          value: changes.map { change in
            ChangeNotificationPayload(
              subscriptionId: subscription.id, subscriptionExpirationDateTime: request.expires,
              clientState: request.clientState?.text, changeType: change.type,
              resource: "\(resource)/\(change.id)",
              resourceData: .init(path: "\(resource)/\(change.id)", id: change.id))
          }), sortingKeys: true)
    case .lifecycle(let event):
      return try WireJSON.encode(
        LifecycleNotificationListPayload(
          value: [
            LifecycleNotificationPayload(
              subscriptionId: subscription.id, subscriptionExpirationDateTime: request.expires,
              clientState: request.clientState?.text, resource: request.resource,
              lifecycleEvent: event)
          ]), sortingKeys: true)
    }
  }
}

extension HookMessage.Content {
  /// The content in words, for the log.
  var words: String {
    switch self {
    case .changes(let changes): changes.count.counted("change")
    case .lifecycle(let event): event.rawValue
    }
  }
}

extension OutboundRequest {
  /// Creates Graph's handshake: an empty request with the token in its query.
  init(handshakeWith url: OutboundURL, token: String) {
    self.init(
      url: url, target: url.target(adding: "validationToken", Route.escaped(token)),
      contentType: "text/plain; charset=utf-8", readsBody: true)
  }
}

extension OutboundResponse {
  /// Returns the problem with the response to a handshake; nil if there is none.
  func problem(expecting token: String) -> String? {
    guard status == 200 else { return "it answered \(status)" }
    let type = (contentType ?? "").prefix { $0 != ";" }.trimmed.lowercased()
    guard type == "text/plain" else { return "its Content-Type is different" }
    guard body == Array(token.utf8) else { return "its body is different" }
    return nil
  }
}

extension OutboundError {
  /// The failure in words that complete "the hook could not be called:".
  var words: String {
    switch self {
    case .unconnected(.unknownHost), .unconnected(.namesUnavailable): "its host is unknown"
    case .unconnected(let failure) where failure.isAboutTLS:
      "TLS failed; its certificate must be valid for its host"
    // Users name hooks, and must not find out how a host refuses connections.
    case .unconnected: "its host does not accept connections"
    case .refusedAddress(let kind):
      "its host's address is \(kind.words), and this store does not connect to such addresses"
    case .tooSlow: "it did not answer in time"
    case .tooLarge: "its answer is too large"
    case .brokenAnswer: "its answer was cut off, or is not HTTP"
    case .cancelled: "it was cancelled"
    }
  }
}

extension AddressKind {
  fileprivate var words: String {
    switch self {
    case .global: "public"
    case .metadata, .loopback, .linkLocal, .privateNetwork, .shared: "on a private network"
    case .multicast, .documentation, .benchmarking, .reserved: "not assigned to a host"
    }
  }
}

/// The `Retry-After` header (RFC 9110 §10.2.3).
enum RetryAfter {
  /// Parses the requested pause. Returns nil for an invalid value.
  static func duration(_ text: String, now: Timestamp) -> Duration? {
    if let seconds = Int64(text.trimmed) {
      return seconds >= 0 ? .seconds(min(seconds, 10_000_000)) : nil
    }
    guard let time = HTTPDate.time(text.trimmed) else { return nil }
    return max(time.duration(since: now), .zero)
  }
}
