import BellhopCache
import BellhopModel
import Testing

@Suite("A cache and the environment of its device")
struct CacheEnvironmentTests {
  private func open(_ form: Int64, at path: String) throws -> SQLiteCache {
    try SQLiteCache(
      path: path,
      identity: CacheIdentity(account: CacheFixture.account, form: form) { Lineage("lineage-1") })
  }

  /// Ends the first synchronisation that the cache has begun, without items.
  private func synchronise(_ cache: SQLiteCache) throws {
    let state = try cache.syncState()
    for chunk in ChangeChunk.chunks(
      of: [], request: .page(state.firstSync?.nextPage), generation: state.generation,
      end: .page(next: nil, start: CacheFixture.token, startSequence: .zero))
    {
      _ = try cache.apply(chunk, now: CacheFixture.start)
    }
    for chunk in ChangeChunk.chunks(
      of: [], request: .delta(since: CacheFixture.token), generation: state.generation,
      end: .delta(CacheFixture.token, at: .zero, isCaughtUp: true))
    {
      _ = try cache.apply(chunk, now: CacheFixture.start)
    }
    #expect(try cache.syncState().firstSync == nil)
  }

  @Test("everything is read again after a change of the environment, in both directions")
  func change() throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path + "/cache.sqlite"
    let production = CacheIdentity.form(4, in: .production)
    let development = CacheIdentity.form(4, in: .development)
    #expect(production != development)
    try synchronise(try open(production, at: path))
    for (form, isRead) in [
      (production, true), (development, false), (development, true), (production, false),
      (production, true), (0, true),
    ] {
      let cache = try open(form, at: path)
      #expect((try cache.syncState().firstSync == nil) == isRead, "\(form)")
      if !isRead { try synchronise(cache) }
    }
  }

  @Test("an earlier form is read again, and a later one is not, in either environment")
  func forms() throws {
    for environment in RegistrationEnvironment.allCases {
      let folder = try TemporaryFolder()
      defer { withExtendedLifetime(folder) {} }
      let path = folder.path + "/cache.sqlite"
      try synchronise(try open(CacheIdentity.form(4, in: environment), at: path))
      let earlier = try open(CacheIdentity.form(3, in: environment), at: path)
      #expect(try earlier.syncState().firstSync == nil)
      let later = try open(CacheIdentity.form(5, in: environment), at: path)
      #expect(try later.syncState().firstSync != nil)
    }
  }
}
