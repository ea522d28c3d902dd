package import BellhopCache
package import BellhopModel
package import BellhopNetwork
package import BellhopWire

/// The store's answer to a pull.
package struct PullAnswer: Hashable, Sendable {
  package var changes: [Change]
  /// The position at which the next page, or the next delta, begins.
  package var end: ChangeChunk.End
  /// The epoch of the store that answered, if it reports it.
  package var epoch: Epoch?
  /// See `ChangeChunk.validThrough`.
  package var validThrough: SequenceNumber?
  /// See `ChangeChunk.readAt`.
  package var readAt: SequenceNumber?
  /// The number of items in a first synchronisation, if the store reports it.
  package var itemCount: Int?

  package init(
    changes: [Change], end: ChangeChunk.End, epoch: Epoch? = nil,
    validThrough: SequenceNumber? = nil, readAt: SequenceNumber? = nil, itemCount: Int? = nil
  ) {
    self.changes = changes
    self.end = end
    self.epoch = epoch
    self.validThrough = validThrough
    self.readAt = readAt
    self.itemCount = itemCount
  }

  /// Returns the answer split into chunks.
  package func chunks(
    for request: ChangeChunk.Request, generation: Int64, atMost limit: Int = ChangeChunk.changesMax
  ) -> [ChangeChunk] {
    ChangeChunk.chunks(
      of: changes, request: request, generation: generation, end: end, validThrough: validThrough,
      readAt: readAt, atMost: limit)
  }

  /// Removes items that arrived before `since` from a page of a first synchronisation.
  ///
  /// Pages begin with the newest arrival, so that such a page becomes the last one.
  ///
  /// Later changes of the removed items come as state rows, which apply only to items in the cache.
  /// An item that is published again comes whole.
  mutating func end(before since: Timestamp) {
    guard case .page(_, let start, let startSequence) = end else { return }
    let kept = changes.filter { change in
      if case .item(let item) = change { item.arrival >= since } else { true }
    }
    guard kept.count < changes.count else { return }
    changes = kept
    end = .page(next: nil, start: start, startSequence: startSequence)
  }
}

/// The store's answer to a batch of operations.
package struct SendAnswer: Hashable, Sendable {
  /// The results of the operations, in order.
  package var results: [OperationResult]
  /// The sequence at which base contains every effect.
  package var sequence: SequenceNumber

  package init(results: [OperationResult], sequence: SequenceNumber) {
    self.results = results
    self.sequence = sequence
  }
}

/// An event on a signal channel.
package enum SignalEvent: Hashable, Sendable {
  /// The channel is open, but nothing has arrived yet.
  case opened
  /// The user's items have reached this sequence. The changes may be enclosed.
  case changed(Epoch, SequenceNumber, EnclosedDelta? = nil)
  /// The channel is alive.
  case heartbeat
  /// The store asks the client to open the next channel after this time once this one has ended.
  case reconnect(after: Duration)
}

/// The answer to a delta that the store enclosed in a signal without a request.
///
/// Guarantees: it is the complete answer that a delta from `since` had when the store sent the
/// signal.
package struct EnclosedDelta: Hashable, Sendable {
  package var since: DeltaToken
  package var answer: PullAnswer

  package init(since: DeltaToken, answer: PullAnswer) {
    self.since = since
    self.answer = answer
  }

  /// The maximum number of changes. More changes are left to a pull.
  static let changesMax = ChangeChunk.changesMax

  /// Returns both deltas as one if `next` continues where this one ends, and nil otherwise.
  func followed(by next: EnclosedDelta) -> EnclosedDelta? {
    guard case .delta(let token, _, isCaughtUp: true) = answer.end, token == next.since,
      answer.epoch == next.answer.epoch,
      answer.changes.count + next.answer.changes.count <= Self.changesMax
    else { return nil }
    var joined = next.answer
    joined.changes = Self.changes(answer.changes, followedBy: joined.changes)
    joined.validThrough = answer.validThrough ?? joined.validThrough
    return EnclosedDelta(since: since, answer: joined)
  }

  /// Returns one row for each item, app and rule, as in a delta from the beginning of the first.
  ///
  /// With two rows for an item, a client would show and announce what was already handled.
  private static func changes(_ first: [Change], followedBy next: [Change]) -> [Change] {
    var contents: [NotificationID: UserNotification] = [:]
    for case .item(let item) in first { contents[item.id] = item }
    let later = next.map { change -> Change in
      guard case .state(let id, let state) = change, var item = contents[id] else { return change }
      // The content has not changed, but base does not contain it yet.
      item.state = state
      return .item(item)
    }
    let replaced = Set(later.map(Subject.init))
    return first.filter { !replaced.contains(Subject($0)) } + later
  }

  /// The subject of a row.
  private enum Subject: Hashable {
    case item(NotificationID)
    case app(String)
    case rule(RuleID)

    init(_ change: Change) {
      switch change {
      case .item(let item): self = .item(item.id)
      case .state(let id, _), .removed(let id, _): self = .item(id)
      case .app(let settings): self = .app(settings.app)
      case .rule(let rule): self = .rule(rule.id)
      case .ruleRemoved(let id, _): self = .rule(id)
      }
    }
  }
}

/// The store's answer to a publication.
package struct PublishedItem: Hashable, Sendable {
  package var id: NotificationID
  /// The item's `#N`.
  package var shortNumber: Int64

  package init(id: NotificationID, shortNumber: Int64) {
    self.id = id
    self.shortNumber = shortNumber
  }
}

/// A connection from the client of one account to its store.
///
/// Guarantees: a call that returns was answered by the store. A call that throws may or may not
/// have taken effect there. No call retries by itself. Cancelling the task ends the call.
package protocol Transport: Sendable {
  /// Pulls one page of a first synchronisation, or of changes.
  func pull(_ request: ChangeChunk.Request) async throws(TransportError) -> PullAnswer

  /// Sends a batch. The store applies it in order, each operation exactly once.
  func send(_ batch: OutboxBatch) async throws(TransportError) -> SendAnswer

  /// Returns the events of the signal channel, until it ends or the consumer stops.
  ///
  /// An error ends the channel.
  func signals() -> AsyncThrowingStream<SignalEvent, any Error>

  /// Registers this device, or renews its registration. Returns the device as the store names it.
  func registerDevice(channel: ChannelType) async throws(TransportError) -> Author

  /// Publishes `content` for the user. `idempotencyKey` makes a repetition harmless.
  func publish(
    _ content: Content, idempotencyKey: String?
  ) async throws(TransportError) -> PublishedItem

  /// The store's clock minus this machine's, from the answers so far; nil before the first.
  var clockOffset: Duration? { get }

  /// Waits briefly for work that would be lost if the process ended.
  ///
  /// It waits even if the caller is cancelled.
  func settle() async

  /// Drops the present connections, which may be dead without notice.
  ///
  /// Call it after the machine slept, or if an answer did not come in time. Requests in progress
  /// fail at once instead of at their time limit.
  func reconnect()
}

extension Transport {
  package func settle() async {}
  package func reconnect() {}
}

/// The reason why a request to the store has no usable answer. Texts of the server are untrusted.
package enum TransportError: Error, Hashable, Sendable {
  /// No connection could be made, or it broke.
  case offline(NetworkError)
  case timedOut
  /// The token is missing, wrong or expired (401).
  case unauthorized
  /// The identity provider does not renew the sign-in.
  case signInEnded
  /// The token was revoked (401): this device was signed out.
  case revoked(RevocationPayload)
  /// The token does not permit the request (403).
  case forbidden(String)
  /// The delta token is no longer valid (410): base must be rebuilt.
  case resyncRequired
  /// The operation's number leaves a gap (409); the store expects this one.
  case outOfOrder(expected: Int64)
  /// The number was used for another operation (409): a copied home directory, a restored disk.
  case outboxDiverged
  /// Too many requests (429), or a store that is unavailable (503) and names a time.
  case throttled(retryAfter: Duration?)
  /// Any other failure status.
  case server(status: Int, message: String)
  /// The answer does not conform to the interface.
  case badAnswer(String)
  /// The store does not know this device, or no longer knows it. The device must register.
  case unknownDevice
  /// The text is not a valid address of a store.
  case badAddress(String)
  /// The address is not allowed without encryption.
  case insecure(host: String)
  /// The identity provider could not be reached.
  case providerOffline(String)
  /// The identity provider's answer is not usable. The text begins with the provider.
  case provider(String)
  /// The cache could not save what arrived, or the sign-in could not be read.
  ///
  /// The text contains what failed and why, in one or more sentences.
  case cache(String)
  /// The task was cancelled.
  case cancelled
}

extension TransportError: ExplainedError {
  /// The failure as a clause, without a capital letter and a full stop.
  package var description: String {
    switch self {
    case .offline(let failure): failure.description
    case .timedOut: "the store did not answer in time"
    case .unauthorized: "the store does not accept this device's token: sign in again"
    case .signInEnded: "the sign-in at the identity provider has expired: sign in again"
    case .revoked(let revocation): "this device was signed out \(revocation.words)"
    case .forbidden(let message): "the store does not allow this: \(message.clause)"
    case .resyncRequired: "the store requires a full resynchronisation"
    case .outOfOrder(let expected): "the store expects operation number \(expected)"
    case .outboxDiverged: "the store has another operation with this number"
    case .throttled(let after):
      if let after {
        "the store is busy: wait \(after.components.seconds) s"
      } else {
        "the store is busy"
      }
    case .server(let status, let message): "the store answered \(status): \(message.clause)"
    case .badAnswer(let reason): "the store's response is not valid: \(reason)"
    case .unknownDevice: "the store does not know this device"
    case .badAddress(let text):
      "“\(text)” is not a valid store address: use https://host, "
        + "http://127.0.0.1:port or unix:/path"
    case .insecure(let host):
      "the address is not encrypted and \(host) is not this machine: use https, or allow it with "
        + "--insecure-http"
    case .providerOffline(let reason): "the identity provider cannot be reached (\(reason))"
    case .provider(let words), .cache(let words): words.clause
    case .cancelled: "the request was cancelled"
    }
  }

  /// The failure as a sentence.
  package var sentence: String { description.sentence }

  /// The advice to the user, in one or more sentences.
  ///
  /// Nil if ``description`` contains the advice, or if nothing can be done.
  package var advice: String? {
    switch self {
    case .offline(let failure): failure.advice
    case .timedOut: "Check the network, or try again later."
    case .throttled: "Try again later."
    case .server(let status, _) where status >= 500: "Try again later. See the store's log."
    case .badAnswer: "Check that this is the address of a Bellhop store."
    case .providerOffline: "Try again later."
    case .resyncRequired, .outOfOrder, .unknownDevice: "Run bellhop sync to fix this."
    case .outboxDiverged: "Run bellhop sync to renumber this device's changes."
    case .unauthorized, .signInEnded, .revoked, .forbidden, .server, .badAddress, .insecure,
      .provider, .cache, .cancelled:
      nil
    }
  }

  /// Whether only a new sign-in helps.
  package var endsSignIn: Bool {
    switch self {
    case .unauthorized, .signInEnded, .revoked: true
    case .offline, .timedOut, .forbidden, .resyncRequired, .outOfOrder, .outboxDiverged,
      .throttled, .server, .badAnswer, .unknownDevice, .badAddress, .insecure, .providerOffline,
      .provider, .cache, .cancelled:
      false
    }
  }

  /// Whether registering this device may help.
  ///
  /// The store then does not know the device, or knows it by another token.
  package var mayNeedRegistration: Bool {
    switch self {
    case .unknownDevice, .forbidden: true
    case .offline, .timedOut, .unauthorized, .signInEnded, .revoked, .resyncRequired, .outOfOrder,
      .outboxDiverged, .throttled, .server, .badAnswer, .badAddress, .insecure, .providerOffline,
      .provider, .cache, .cancelled:
      false
    }
  }

  /// Whether the store could not be reached at all, as opposed to having refused.
  package var isUnreachable: Bool {
    switch self {
    case .offline, .providerOffline, .timedOut: true
    case .server(let status, _): status >= 500
    case .unauthorized, .signInEnded, .revoked, .forbidden, .resyncRequired, .outOfOrder,
      .outboxDiverged, .throttled, .badAnswer, .unknownDevice, .badAddress, .insecure, .provider,
      .cache, .cancelled:
      false
    }
  }
}

extension RevocationPayload {
  /// The origin of the revocation, `by laptop` or `by the store's administrator`: untrusted text.
  package var words: String { "by " + (by ?? "the store's administrator") }
}
