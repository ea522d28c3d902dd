import BellhopCache
import BellhopKit
import BellhopModel
import BellhopSimulation
import BellhopStore
import BellhopStoreMemory
import BellhopSync
import BellhopTestSupport
import BellhopWire
import Testing

/// A folder that is removed with the object.
final class KeptFolder: Sendable {
  private let folder: TemporaryFolder
  var path: String { folder.path }

  init() throws { folder = try TemporaryFolder() }

  deinit { folder.remove() }
}

/// A store and the feeds of one user, with real service logic and no network.
struct FeedHouse {
  let service: StoreService
  let user: UserID
  let time = SettableTime()
  let random: SharedRandom
  let folder: KeptFolder

  /// - Parameter seed: Another one makes another store.
  init(seed: UInt64 = 11) async throws {
    random = SharedRandom(seed: seed)
    folder = try KeptFolder()
    let (time, random) = (time, random)
    service = try await StoreService.open(
      .starting, on: MemoryBackend(),
      environment: StoreEnvironment(now: { time.now }, random: { random.word() }))
    user = try await service.addUser(named: "alice").id
  }

  /// The parts of a feed; pass a cache to share it with another process.
  func parts(
    _ name: String, cache: MemoryCache? = nil, lock: String? = nil, nudges: Bool = false
  ) async throws -> FeedParts {
    let transport = FaultyTransport(
      try await InProcessTransport(service: service, user: user, device: DeviceID(name)))
    let cache =
      cache
      ?? MemoryCache(
        identity: CacheIdentity(account: AccountName("alice"), newLineage: { Lineage(name) }))
    let (time, random) = (time, random)
    return FeedParts(
      account: AccountName("alice"), storage: { cache }, reader: { cache }, transport: transport,
      tokens: HouseTokens(service: service, user: user, wire: transport),
      lock: EngineLock(path: lock ?? folder.path + "/\(name).lock"),
      nudges: nudges ? try NudgeSocket(directory: folder.path + "/nudges") : nil,
      tokenFile: folder.path + "/\(name)-publish-tokens.json", policy: EnginePolicy(),
      localTime: { time.now }, random: { random.word() })
  }

  @discardableResult
  func publish(
    _ title: String, app: String = "ci", id: String? = nil,
    _ adjust: (inout Content) -> Void = { _ in }
  ) async throws -> UserNotification {
    var content = Content(app: app, appNotificationID: id, visual: VisualContent(title: title))
    adjust(&content)
    return try await service.publish(PublishRequest(content), for: user).item
  }
}

/// The user's tokens at the store, with the faults of a feed's transport.
struct HouseTokens: TokenManagement {
  let service: StoreService
  let user: UserID
  let wire: FaultyTransport

  func createToken(
    _ request: UserTokenRequestPayload
  ) async throws(TransportError) -> UserTokenPayload {
    try await answer { () async throws(StoreError) in
      guard let pattern = request.targetHostName.flatMap({ AppPattern($0) }) else {
        throw StoreError.invalid(field: "targetHostName", expectation: "an app")
      }
      let minted = try await service.mintToken(
        named: pattern.text, scope: .publish(pattern), expires: request.expirationDateTime,
        for: user)
      return UserTokenPayload(
        id: minted.token.id.description, name: pattern.text, scope: .publish,
        targetHostName: pattern.text, createdDateTime: minted.token.created,
        expirationDateTime: minted.token.expires, isCurrent: false, secret: minted.secret.text)
    }
  }

  func tokens() async throws(TransportError) -> [UserTokenPayload] {
    try await answer { () async throws(StoreError) in
      try await service.accessTokens(of: user).filter { $0.revoked == nil }.map { token in
        UserTokenPayload(
          id: token.id.description, name: token.name, scope: .publish,
          createdDateTime: token.created, expirationDateTime: token.expires, isCurrent: false)
      }
    }
  }

  func revokeToken(_ id: String) async throws(TransportError) {
    try await answer { () async throws(StoreError) in
      guard let id = AccessTokenID(id) else { throw StoreError.notFound(what: "token") }
      try await service.revokeToken(id, of: user)
    }
  }

  private func answer<Value>(
    _ body: () async throws(StoreError) -> Value
  ) async throws(TransportError) -> Value {
    try await wire.pass { () async throws(TransportError) in
      do throws(StoreError) {
        return try await body()
      } catch {
        throw TransportError(error)
      }
    }
  }
}

extension UserDataFeed {
  /// A time limit longer than any test takes, even on a busy machine.
  private static let limit = Duration.seconds(3600)

  /// Exchanges everything, with one retry after a network error.
  ///
  /// A request that was in progress when the network came back still fails, and its round with it.
  func exchange() async throws {
    do {
      try await sync(within: Self.limit)
    } catch FeedError.offline, FeedError.timedOut, FeedError.store {
      try await sync(within: Self.limit)
    }
  }

  func process(_ signal: String) async throws -> Bool {
    try await process(signal: signal.utf8, within: Self.limit)
  }
}

extension NotificationChange {
  /// The change as `title` or `-number`.
  var word: String {
    switch self {
    case .active(let item): item.notification.content.visual?.title ?? "data"
    case .deleted(let item): "-\(item.shortNumber)"
    }
  }
}

extension UserNotificationReader {
  /// Waits until this many changes have arrived, and returns them.
  func words(_ count: Int) async throws -> [String] {
    var words: [String] = []
    while words.count < count, let batch = try await nextBatch() {
      words += batch.changes.map(\.word)
    }
    return words
  }
}

/// Waits for the first event that matches.
func first<Value>(
  of events: AsyncStream<FeedEvent>, _ wanted: (FeedEvent) -> Value?
) async -> Value? {
  for await event in events {
    if let value = wanted(event) { return value }
  }
  return nil
}
