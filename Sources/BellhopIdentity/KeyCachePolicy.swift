/// How long a provider's documents are used, and how often it is asked. Every value can be
/// configured.
package struct KeyCachePolicy: Hashable, Sendable {
  /// Of a key set whose answer names no time.
  package var life = Duration.seconds(600)
  /// An answer that asks for a shorter life, or for none, gets this one.
  package var lifeMin = Duration.seconds(60)
  package var lifeMax = Duration.seconds(86_400)
  /// Past their life, keys are used this long while new ones are on their way; later, requests wait
  /// for them.
  package var revalidation = Duration.seconds(600)
  /// Keys of a provider that does not answer are used this long after it last did.
  package var staleMax = Duration.seconds(86_400)
  /// A provider is not asked more often, whatever tokens arrive and whatever it answers.
  package var interval = Duration.seconds(30)
  /// A provider that takes longer has not answered.
  package var answerLimit = Duration.seconds(5)
  /// How long the address of the key set is used.
  package var documentLife = Duration.seconds(3600)
  package var documentBytesMax = 64 * 1024
  package var keySetBytesMax = 256 * 1024

  package init() {}
}

/// What is known of a provider's keys and when to ask again, as a value. Times are of a clock that
/// does not step.
struct KeyCache: Sendable {
  /// What to do for a token.
  enum Decision: Sendable {
    case use(KeySet)
    /// Use these, and ask the provider meanwhile.
    case useAndFetch(KeySet)
    /// Ask the provider first.
    case fetch
    /// There are none, and the provider was asked a moment ago.
    case unavailable
  }

  let policy: KeyCachePolicy
  private(set) var keys: KeySet?
  private(set) var entityTag: String?
  private(set) var document: (value: ProviderDocument, at: Duration)?
  private var confirmedAt: Duration = .zero
  private var freshUntil: Duration = .zero
  private var askedAt: Duration?
  private var failure: ProviderFailure?

  init(policy: KeyCachePolicy) { self.policy = policy }

  /// What to do for a token that names this key, or none.
  func decision(keyID: String?, at now: Duration) -> Decision {
    let mayAsk = askedAt.map { now - $0 >= policy.interval } ?? true
    guard let keys, now - confirmedAt < policy.staleMax else {
      return mayAsk ? .fetch : .unavailable
    }
    // The provider may have changed its keys.
    if lacks(keyID) { return mayAsk ? .fetch : .use(keys) }
    if now < freshUntil { return .use(keys) }
    guard mayAsk else { return .use(keys) }
    // One that failed before is asked on the side, so that nobody waits for a slow one.
    let waits = failure == nil && now - freshUntil >= policy.revalidation
    return waits ? .fetch : .useAndFetch(keys)
  }

  /// Whether a token names a key that is not known.
  func lacks(_ keyID: String?) -> Bool {
    guard let keyID, let keys else { return keyID != nil }
    return !keys.knows(keyID)
  }

  /// An answer is not older than a token that came so shortly after it: requests come in bursts.
  private static let moment = Duration.seconds(1)

  /// The keys there are after all that could be done.
  ///
  /// - Parameter arrival: when the token came.
  /// - Throws: why there are none, or why a key that is not known may still be the provider's.
  func keys(
    for keyID: String?, since arrival: Duration, at now: Duration
  ) throws(ProviderFailure) -> KeySet {
    guard let keys, now - confirmedAt < policy.staleMax else {
      throw failure ?? .unreachable("it did not answer")
    }
    if lacks(keyID) {
      if let failure { throw failure }
      // The provider may have changed its keys since, and can't be asked again so soon.
      if confirmedAt + Self.moment < arrival { throw .unreachable("it was asked a moment ago") }
    }
    return keys
  }

  /// The document to go by, unless it is time to get it anew.
  func currentDocument(at now: Duration) -> ProviderDocument? {
    guard let document, now - document.at < policy.documentLife else { return nil }
    return document.value
  }

  mutating func begin(at now: Duration) { askedAt = now }

  mutating func note(_ document: ProviderDocument, at now: Duration) {
    if document != self.document?.value { entityTag = nil }
    self.document = (document, now)
  }

  /// New keys, or with nil the confirmation of the known ones.
  mutating func note(_ keys: KeySet?, from answer: ProviderAnswer, at now: Duration) {
    if let keys {
      self.keys = keys
      entityTag = answer.headers["etag"].flatMap { (1...256).contains($0.utf8.count) ? $0 : nil }
    }
    confirmedAt = now
    freshUntil = now + min(max(answer.life ?? policy.life, policy.lifeMin), policy.lifeMax)
    failure = nil
  }

  mutating func note(_ failure: ProviderFailure) { self.failure = failure }
}

extension ProviderAnswer {
  /// How long the answer may be used, as `Cache-Control` and `Age` say (RFC 9111 §5.1, §5.2.2); nil
  /// when they say nothing.
  var life: Duration? {
    guard let control = headers["cache-control"]?.lowercased() else { return nil }
    var seconds: Int64?
    for part in control.split(separator: ",") {
      let directive = part.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
      if directive == "no-store" || directive == "no-cache" { return .zero }
      if directive.hasPrefix("max-age=") { seconds = Int64(directive.dropFirst("max-age=".count)) }
    }
    guard let seconds, seconds >= 0 else { return nil }
    let age = headers["age"].flatMap { Int64($0) } ?? 0
    return .seconds(max(0, min(seconds, 31_536_000) - max(0, min(age, 31_536_000))))
  }
}
