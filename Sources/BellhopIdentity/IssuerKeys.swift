internal import BellhopWire

/// A provider's keys: fetched when they are needed, shared by everybody who waits, kept as
/// ``KeyCachePolicy`` says.
actor IssuerKeys {
  private let issuer: String
  private let fetching: any ProviderFetching
  private let uptime: @Sendable () -> Duration
  private let report: @Sendable (ProviderFailure) -> Void
  private var cache: KeyCache
  /// The one fetch under way.
  private var flight: Task<Void, Never>?

  init(
    issuer: String, policy: KeyCachePolicy, fetching: any ProviderFetching,
    uptime: @escaping @Sendable () -> Duration,
    report: @escaping @Sendable (ProviderFailure) -> Void
  ) {
    self.issuer = issuer
    self.fetching = fetching
    self.uptime = uptime
    self.report = report
    cache = KeyCache(policy: policy)
  }

  /// The keys to check a token with that names this key, or none.
  ///
  /// - Throws: ``TokenRefusal/providerUnavailable(_:)``.
  func keys(for keyID: String?) async throws(TokenRefusal) -> KeySet {
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
    // A fetch that is under way may bring what is missing, whoever began it.
    if let flight { await flight.value }
    do throws(ProviderFailure) {
      return try cache.keys(for: keyID, since: arrival, at: uptime())
    } catch {
      throw .providerUnavailable(error.description)
    }
  }

  /// The fetch under way, begun if there was none.
  private func fetch() -> Task<Void, Never> {
    if let flight { return flight }
    cache.begin(at: uptime())
    // Not a child of the request that is first: the others wait for it too.
    let task = Task {
      do throws(ProviderFailure) {
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

  private func refresh() async throws(ProviderFailure) {
    let policy = cache.policy
    if cache.currentDocument(at: uptime()) == nil {
      do throws(ProviderFailure) {
        let answer = try await fetching.get(
          ProviderAddress.configuration(of: issuer), entityTag: nil,
          bytesMax: policy.documentBytesMax, within: policy.answerLimit)
        guard answer.status == 200 else {
          throw .badAnswer("its configuration came with status \(answer.status)")
        }
        cache.note(try ProviderDocument(json: answer.body, issuer: issuer), at: uptime())
      } catch {
        // The address known from before is as good as it was.
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
    default: throw .badAnswer("its key set came with status \(answer.status)")  // open: Int
    }
  }
}
