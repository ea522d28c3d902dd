package import BellhopCache
package import BellhopModel
package import BellhopNetwork
package import BellhopWire

/// What the store answered to a pull.
package struct PullAnswer: Hashable, Sendable {
  package var changes: [Change]
  /// Where the next page, or the next delta, begins.
  package var end: ChangeChunk.End
  /// The life of the store that answered, when it says so.
  package var epoch: Epoch?
  /// See ``ChangeChunk/validThrough``.
  package var validThrough: SequenceNumber?
  /// See ``ChangeChunk/readAt``.
  package var readAt: SequenceNumber?
  /// In a first synchronisation, how many items there are, when the store says so.
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

  /// The answer cut into chunks.
  package func chunks(
    for request: ChangeChunk.Request, generation: Int64, atMost limit: Int = ChangeChunk.changesMax
  ) -> [ChangeChunk] {
    ChangeChunk.chunks(
      of: changes, request: request, generation: generation, end: end, validThrough: validThrough,
      readAt: readAt, atMost: limit)
  }

  /// Leaves out of a first synchronisation's page what arrived before `since`. Pages begin with the
  /// newest arrival, so that such a page is the last one.
  ///
  /// What happens to those items later comes as rows of state, which are for items that are here;
  /// one that is published anew comes whole.
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

/// What the store answered to a batch of operations.
package struct SendAnswer: Hashable, Sendable {
  /// One result for each operation, in order.
  package var results: [OperationResult]
  /// Base contains every effect once it has reached this sequence.
  package var sequence: SequenceNumber

  package init(results: [OperationResult], sequence: SequenceNumber) {
    self.results = results
    self.sequence = sequence
  }
}

/// What arrives on a signal channel.
package enum SignalEvent: Hashable, Sendable {
  /// The channel is open; nothing has been heard yet.
  case opened
  /// The user's items have reached this sequence; what changed may have come along.
  case changed(Epoch, SequenceNumber, EnclosedDelta? = nil)
  /// The channel is alive.
  case heartbeat
}

/// The store's answer to a delta that nobody asked for: it came along with a signal.
///
/// Guarantees: it is what a delta from `since` answered, whole, when the store sent the signal.
package struct EnclosedDelta: Hashable, Sendable {
  package var since: DeltaToken
  package var answer: PullAnswer

  package init(since: DeltaToken, answer: PullAnswer) {
    self.since = since
    self.answer = answer
  }

  /// More changes than these are left to a pull.
  static let changesMax = ChangeChunk.changesMax

  /// Both as one, when `next` goes on where this one ends; else nil.
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

  /// One row for each item and app, as in a delta from where the first begin: whoever took two for an
  /// item would show, and ring for, what was handled by then.
  private static func changes(_ first: [Change], followedBy next: [Change]) -> [Change] {
    var contents: [NotificationID: UserNotification] = [:]
    for case .item(let item) in first { contents[item.id] = item }
    let later = next.map { change -> Change in
      guard case .state(let id, let state) = change, var item = contents[id] else { return change }
      // Its content is as it was; the first base had not seen it.
      item.state = state
      return .item(item)
    }
    let replaced = Set(later.map(Subject.init))
    return first.filter { !replaced.contains(Subject($0)) } + later
  }

  /// What a row is about.
  private enum Subject: Hashable {
    case item(NotificationID)
    case app(String)

    init(_ change: Change) {
      switch change {
      case .item(let item): self = .item(item.id)
      case .state(let id, _), .removed(let id, _): self = .item(id)
      case .app(let settings): self = .app(settings.app)
      }
    }
  }
}

/// What an item's publisher gets back.
package struct PublishedItem: Hashable, Sendable {
  package var id: NotificationID
  /// The `#N` of the item.
  package var shortNumber: Int64

  package init(id: NotificationID, shortNumber: Int64) {
    self.id = id
    self.shortNumber = shortNumber
  }
}

/// A store, as a client of one account reaches it.
///
/// Guarantees: a call that returns was answered by the store; a call that throws may or may not
/// have taken effect there. No call retries by itself. Cancelling the task ends the call.
package protocol Transport: Sendable {
  /// One page of a first synchronisation, or of changes.
  func pull(_ request: ChangeChunk.Request) async throws(TransportError) -> PullAnswer

  /// Applies the batch in order, each operation exactly once.
  func send(_ batch: OutboxBatch) async throws(TransportError) -> SendAnswer

  /// The signal channel, until it ends or the consumer stops. An error ends it.
  func signals() -> AsyncThrowingStream<SignalEvent, any Error>

  /// Registers this device, or renews its registration. Answers how the store names it.
  func registerDevice(channel: ChannelType) async throws(TransportError) -> Author

  /// Publishes `content` for the user. `idempotencyKey` makes a repetition harmless.
  func publish(
    _ content: Content, idempotencyKey: String?
  ) async throws(TransportError) -> PublishedItem

  /// The store's clock minus this machine's, from the answers so far; nil before the first.
  var clockOffset: Duration? { get }

  /// Waits a little for what is under way and would be lost if the process ended, also when the
  /// caller is cancelled.
  func settle() async

  /// Gives up the connections there are: the machine slept, or an answer did not come in time, and
  /// they may be dead without a word.
  /// What is under way fails at once instead of when its time is over.
  func reconnect()
}

extension Transport {
  package func settle() async {}
  package func reconnect() {}
}

/// Why a request to the store has no usable answer. Texts of the server are untrusted.
package enum TransportError: Error, Hashable, Sendable {
  /// No connection could be made, or it broke.
  case offline(NetworkError)
  case timedOut
  /// The token is missing, wrong or expired (401).
  case unauthorized
  /// The identity provider does not renew the sign-in.
  case signInEnded
  /// The token was taken back (401): this device was signed out.
  case revoked(RevocationPayload)
  /// The token may not do this (403).
  case forbidden(String)
  /// The token of the delta is not valid any more (410): base has to be rebuilt.
  case resyncRequired
  /// The operation's number leaves a gap (409); the store expects this one.
  case outOfOrder(expected: Int64)
  /// The number was used for another operation (409): a copied home, a restored disk.
  case outboxDiverged
  /// Too many requests (429), or not now (503) with a time.
  case throttled(retryAfter: Duration?)
  /// Any other status that is no success.
  case server(status: Int, message: String)
  /// The answer is not what the interface promises.
  case badAnswer(String)
  /// The store does not know this device (any more): it has to register.
  case unknownDevice
  /// The address of the store is none.
  case badAddress(String)
  /// The address is not allowed without encryption.
  case insecure(host: String)
  /// The identity provider could not be asked.
  case providerOffline(String)
  /// The identity provider's answer is of no use, in words that begin with it.
  case provider(String)
  /// The cache could not keep what arrived, or the sign-in could not be read: what and why, in one
  /// or more sentences.
  case cache(String)
  /// The task was cancelled.
  case cancelled
}

extension TransportError: ExplainedError {
  /// What failed, as a clause without a capital letter and a full stop.
  package var description: String {
    switch self {
    case .offline(let failure): failure.description
    case .timedOut: "the store did not answer in time"
    case .unauthorized: "the store does not accept this device's token: sign in again"
    case .signInEnded: "the sign-in at the identity provider is over: sign in again"
    case .revoked(let revocation): "this device was signed out \(revocation.words)"
    case .forbidden(let message): "the store does not allow this: \(message.clause)"
    case .resyncRequired: "the store asks for a new first synchronisation"
    case .outOfOrder(let expected): "the store expects operation number \(expected)"
    case .outboxDiverged: "the store knows another operation under this number"
    case .throttled(let after):
      if let after {
        "the store is busy and asks to wait \(after.components.seconds) s"
      } else {
        "the store is busy"
      }
    case .server(let status, let message): "the store answered \(status): \(message.clause)"
    case .badAnswer(let reason): "the store's answer cannot be understood: \(reason)"
    case .unknownDevice: "the store does not know this device"
    case .badAddress(let text):
      "“\(text)” is not the address of a store: it looks like https://host, "
        + "http://127.0.0.1:port or unix:/path"
    case .insecure(let host):
      "the address is not encrypted and \(host) is not this machine: use https, or allow it with "
        + "--insecure-http"
    case .providerOffline(let reason): "the identity provider cannot be reached (\(reason))"
    case .provider(let words), .cache(let words): words.clause
    case .cancelled: "the request was cancelled"
    }
  }

  /// What failed, as a sentence.
  package var sentence: String { description.sentence }

  /// What the person can do, in one or more sentences; nil where ``description`` says it, or nothing
  /// can be done.
  package var advice: String? {
    switch self {
    case .offline(let failure): failure.advice
    case .timedOut: "Check the network, or try again later."
    case .throttled: "Try again later."
    case .server(let status, _) where status >= 500: "Try again later. The store's log says more."
    case .badAnswer: "Check that the address is the one of a Bellhop store."
    case .providerOffline: "Try again later."
    case .resyncRequired, .outOfOrder, .unknownDevice: "bellhop sync puts this right."
    case .outboxDiverged: "bellhop sync numbers this device's changes again."
    case .unauthorized, .signInEnded, .revoked, .forbidden, .server, .badAddress, .insecure,
      .provider, .cache, .cancelled:
      nil
    }
  }

  /// Whether nothing helps but signing in again.
  package var endsSignIn: Bool {
    switch self {
    case .unauthorized, .signInEnded, .revoked: true
    case .offline, .timedOut, .forbidden, .resyncRequired, .outOfOrder, .outboxDiverged,
      .throttled, .server, .badAnswer, .unknownDevice, .badAddress, .insecure, .providerOffline,
      .provider, .cache, .cancelled:
      false
    }
  }

  /// Whether registering this device may help: the store does not know it, or knows it by another
  /// token.
  package var mayNeedRegistration: Bool {
    switch self {
    case .unknownDevice, .forbidden: true
    case .offline, .timedOut, .unauthorized, .signInEnded, .revoked, .resyncRequired, .outOfOrder,
      .outboxDiverged, .throttled, .server, .badAnswer, .badAddress, .insecure, .providerOffline,
      .provider, .cache, .cancelled:
      false
    }
  }

  /// Whether the store could not be asked at all, as opposed to having said no.
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
  /// `from laptop` or `by who runs the store`: untrusted text, for a person.
  package var words: String { by.map { "from \($0)" } ?? "by who runs the store" }
}
