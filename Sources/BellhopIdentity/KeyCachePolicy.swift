/// The policy for caching a provider's documents and for requesting them. Every value can be
/// configured.
package struct KeyCachePolicy: Hashable, Sendable {
  /// The lifetime of a key set whose response specifies none.
  package var life = Duration.seconds(600)
  /// The minimum lifetime of a key set, also when the response requests a shorter one or forbids
  /// caching.
  package var lifeMin = Duration.seconds(60)
  package var lifeMax = Duration.seconds(86_400)
  /// The time past their lifetime for which keys are used while new ones are fetched. Later
  /// requests wait for the fetch.
  package var revalidation = Duration.seconds(600)
  /// The time for which keys are used after the provider last responded.
  package var staleMax = Duration.seconds(86_400)
  /// The minimum interval between requests to a provider, regardless of incoming tokens and of its
  /// responses.
  package var interval = Duration.seconds(30)
  /// The time limit for a provider's response.
  package var answerLimit = Duration.seconds(5)
  /// The time for which the address of the key set is cached.
  package var documentLife = Duration.seconds(3600)
  package var documentBytesMax = 64 * 1024
  package var keySetBytesMax = 256 * 1024

  package init() {}
}

/// The cached state of a provider's keys, which decides when to fetch again.
///
/// It is a value type. Times are readings of a clock that does not step.
struct KeyCache: Sendable {
  /// The way to obtain the keys for a token.
  enum Decision: Sendable {
    case use(KeySet)
    /// Use these keys, and fetch new ones meanwhile.
    case useAndFetch(KeySet)
    /// Fetch keys from the provider first.
    case fetch
    /// No usable keys are cached, and the provider was contacted too recently to try again.
    case unavailable
  }

  let policy: KeyCachePolicy
  private(set) var keys: KeySet?
  private(set) var entityTag: String?
  private(set) var document: (value: ProviderDocument, at: Duration)?
  private var confirmedAt: Duration = .zero
  private var freshUntil: Duration = .zero
  private var askedAt: Duration?
  private var failure: ProviderError?

  init(policy: KeyCachePolicy) { self.policy = policy }

  /// Decides how to obtain the keys for a token with this key id, or without one.
  func decision(keyID: String?, at now: Duration) -> Decision {
    let mayAsk = askedAt.map { now - $0 >= policy.interval } ?? true
    guard let keys, now - confirmedAt < policy.staleMax else {
      return mayAsk ? .fetch : .unavailable
    }
    // The provider may have changed its keys.
    if lacks(keyID) { return mayAsk ? .fetch : .use(keys) }
    if now < freshUntil { return .use(keys) }
    guard mayAsk else { return .use(keys) }
    // After a failure, fetch in the background, so that no request waits for a slow provider.
    let waits = failure == nil && now - freshUntil >= policy.revalidation
    return waits ? .fetch : .useAndFetch(keys)
  }

  /// Whether a token names an unknown key.
  func lacks(_ keyID: String?) -> Bool {
    guard let keyID, let keys else { return keyID != nil }
    return !keys.knows(keyID)
  }

  /// The time after a response during which arriving tokens do not count as newer than it: requests
  /// come in bursts.
  private static let moment = Duration.seconds(1)

  /// Returns the keys that are available after all attempts to fetch them.
  ///
  /// - Parameter arrival: the time at which the token arrived.
  /// - Throws: the reason why there are no keys, or why an unknown key may still be the provider's.
  func keys(
    for keyID: String?, since arrival: Duration, at now: Duration
  ) throws(ProviderError) -> KeySet {
    guard let keys, now - confirmedAt < policy.staleMax else {
      throw failure ?? .unreachable("it did not answer")
    }
    if lacks(keyID) {
      if let failure { throw failure }
      // The provider may have changed its keys since, but was contacted too recently to try again.
      if confirmedAt + Self.moment < arrival {
        throw .unreachable("it was contacted too recently to try again")
      }
    }
    return keys
  }

  /// Returns the cached document, or nil when it must be fetched again.
  func currentDocument(at now: Duration) -> ProviderDocument? {
    guard let document, now - document.at < policy.documentLife else { return nil }
    return document.value
  }

  mutating func begin(at now: Duration) { askedAt = now }

  mutating func note(_ document: ProviderDocument, at now: Duration) {
    if document != self.document?.value { entityTag = nil }
    self.document = (document, now)
  }

  /// Stores new keys; nil confirms the cached ones.
  mutating func note(_ keys: KeySet?, from answer: ProviderAnswer, at now: Duration) {
    if let keys {
      self.keys = keys
      entityTag = answer.headers["etag"].flatMap { (1...256).contains($0.utf8.count) ? $0 : nil }
    }
    confirmedAt = now
    freshUntil = now + min(max(answer.life ?? policy.life, policy.lifeMin), policy.lifeMax)
    failure = nil
  }

  mutating func note(_ failure: ProviderError) { self.failure = failure }
}

extension ProviderAnswer {
  /// The time for which the response may be cached, or nil when it specifies none.
  ///
  /// It follows from `Cache-Control` and `Age` (RFC 9111 §5.1, §5.2.2).
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
