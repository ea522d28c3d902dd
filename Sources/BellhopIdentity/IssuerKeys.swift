internal import BellhopWire

/// The keys of a provider, fetched on demand and shared by all waiting requests.
///
/// ``KeyCachePolicy`` decides how long they are cached.
actor IssuerKeys {
  private let issuer: String
  private let fetching: any ProviderFetching
  private let uptime: @Sendable () -> Duration
  private let report: @Sendable (ProviderError) -> Void
  private var cache: KeyCache
  /// The fetch in progress; there is at most one.
  private var flight: Task<Void, Never>?

  init(
    issuer: String, policy: KeyCachePolicy, fetching: any ProviderFetching,
    uptime: @escaping @Sendable () -> Duration,
    report: @escaping @Sendable (ProviderError) -> Void
  ) {
    self.issuer = issuer
    self.fetching = fetching
    self.uptime = uptime
    self.report = report
    cache = KeyCache(policy: policy)
  }

  /// Returns the keys for verifying a token with this key id, or without one.
  ///
  /// - Throws: ``TokenError/providerUnavailable(_:)``.
  func keys(for keyID: String?) async throws(TokenError) -> KeySet {
    let arrival = uptime()
    switch cache.decision(keyID: keyID, at: uptime()) {
    case .use(let keys):
      if cache.lacks(keyID) { break }
      return keys
    case .useAndFetch(let keys):
      _ = fetch()
      return keys
    case .fetch: _ = fetch()
    case .unavailable: break
    }
    // A fetch in progress may bring the missing key, whichever request started it.
    if let flight { await flight.value }
    do throws(ProviderError) {
      return try cache.keys(for: keyID, since: arrival, at: uptime())
    } catch {
      throw .providerUnavailable(error.description)
    }
  }

  /// Returns the fetch in progress, or starts one.
  private func fetch() -> Task<Void, Never> {
    if let flight { return flight }
    cache.begin(at: uptime())
    // Not a child task of the first request: other requests wait for it too.
    let task = Task {
      do throws(ProviderError) {
        try await self.refresh()
      } catch {
        self.cache.note(error)
        self.report(error)
      }
      self.flight = nil
    }
    flight = task
    return task
  }

  private func refresh() async throws(ProviderError) {
    let policy = cache.policy
    if cache.currentDocument(at: uptime()) == nil {
      do throws(ProviderError) {
        let answer = try await fetching.get(
          ProviderAddress.configuration(of: issuer), entityTag: nil,
          bytesMax: policy.documentBytesMax, within: policy.answerLimit)
        guard answer.status == 200 else {
          throw .badAnswer("its configuration request returned status \(answer.status)")
        }
        cache.note(try ProviderDocument(json: answer.body, issuer: issuer), at: uptime())
      } catch {
        // The previously known address remains usable.
        guard cache.document != nil else { throw error }
        report(error)
      }
    }
    guard let document = cache.document?.value else { return }
    let answer = try await fetching.get(
      document.keySetURL, entityTag: cache.entityTag, bytesMax: policy.keySetBytesMax,
      within: policy.answerLimit)
    switch answer.status {
    case 200: cache.note(try KeySet(json: answer.body), from: answer, at: uptime())
    case 304 where cache.keys != nil: cache.note(nil, from: answer, at: uptime())
    default: throw .badAnswer("its key set request returned status \(answer.status)")  // open: Int
    }
  }
}
