package import BellhopModel
internal import BellhopOutbound

/// What a server accepts and how it behaves; every value can be configured, and has its line in
/// `SettingKey`.
package struct ServerConfiguration: Sendable {
  /// Told by `/health`; clients compare it with their own.
  package var version: String
  /// Of every request body but the outbox's.
  package var bodyBytesMax = 64 * 1024
  /// An outbox call may name a thousand items in each of its operations.
  package var operationsBodyBytesMax = 4 * 1024 * 1024
  /// Of a bulk publication; each of its lines is held to ``bodyBytesMax``.
  package var bulkBodyBytesMax = 8 * 1024 * 1024
  /// Publications in one bulk request, which is one transaction.
  package var bulkLinesMax = 1000
  /// Of a `$batch`; twenty bodies at their limit, some of them in base64.
  package var batchBodyBytesMax = 2 * 1024 * 1024
  /// The bodies of all answers to a `$batch` together; what would pass it is left out.
  package var batchAnswerBytesMax = 16 * 1024 * 1024
  /// All header lines together.
  package var headerBytesMax = 16 * 1024
  /// More header fields than any client sends.
  package var headerFieldsMax = 100
  /// The path and query of a request.
  package var targetBytesMax = 8 * 1024
  /// Brackets within brackets in a JSON body.
  package var jsonDepthMax = 64
  /// Rows in a page of a delta when the client names no number.
  package var deltaRowsDefault = 500
  /// Rows in a page of the history when the client names no number.
  package var listRowsDefault = 100
  package var listRowsMax = 1000
  /// A comment line so often keeps a stream of signals alive and finds dead ones.
  package var heartbeatInterval = Duration.seconds(30)
  /// A connection that sends nothing and waits for nothing is dropped after this.
  package var idleTimeout = Duration.seconds(75)
  /// The head of a request is to be there so long after its first byte, or after the connection
  /// was made, counting only the time spent waiting for the client.
  package var headerTimeout = Duration.seconds(15)
  /// A body may keep the server waiting so long, and longer as it arrives at least at
  /// ``transferBytesPerSecondMin``.
  package var bodyTimeout = Duration.seconds(15)
  /// A client that reads its answer slower than ``transferBytesPerSecondMin`` for so long is
  /// dropped.
  package var answerTimeout = Duration.seconds(30)
  /// The slowest transfer that is waited for, in either direction.
  package var transferBytesPerSecondMin = 1024
  /// Open connections on one listener; more wait to be accepted.
  package var connectionsMax = 4096
  /// Who may sign devices in, and what limits them; a table of its own in the file.
  package var signIn = SignInLimits()
  /// Open connections from one IPv4 address, or one IPv6 network of 64 bits; more are closed at
  /// once.
  package var connectionsPerAddressMax = 512
  /// Addresses and networks of reverse proxies, whose connections are many people's and not counted
  /// by address, and whose `X-Forwarded-For` is believed.
  package var proxies = ["127.0.0.1", "::1"]
  /// Requests per second of one access token, over time; more are answered with 429.
  package var tokenRequestsPerSecond = 1000
  /// Requests that a token may make at once when it was quiet before.
  package var tokenRequestBurst = 60_000
  /// Who may read `/metrics`.
  package var metrics = MetricsAccess.local
  /// How long an answer to whether the store is ready stands.
  package var readinessInterval = Duration.seconds(5)
  /// With less room on the disk the store calls itself not ready.
  package var diskFreeBytesMin = 64 * 1024 * 1024
  /// How often expired items and old tombstones are cleared away.
  package var sweepInterval = Duration.seconds(60)
  /// What writes leave for later, as adding texts to the search index, waits so long after them.
  package var catchUpDelay = Duration.seconds(1)
  /// Requests under way at shutdown get this long to finish.
  package var drainTimeout = Duration.seconds(10)
  package var hooks = HookConfiguration()
  package var ntfy = NtfyConfiguration()
  /// Of web hooks that other services call, by their names.
  package var templates: [String: HookTemplate] = [:]

  package init(version: String) {
    self.version = version
  }
}

/// Where a server gets ids, waiting and other hosts' addresses from.
package struct ServerEnvironment: Sendable {
  /// A new `request-id`; printable ASCII.
  package var makeRequestID: @Sendable () -> String
  /// Waits; throws when the task is cancelled.
  package var sleep: @Sendable (Duration) async throws -> Void
  /// The time since some instant, on a clock that does not step.
  package var elapsed: @Sendable () -> Duration
  /// The addresses of a host's name that the owner, a user, named; none for an unknown one.
  package var resolve: @Sendable (_ host: String, _ owner: Int64) async throws -> [IPAddress]
  /// What clocks on walls show, for publishers who say a time as people do.
  package var wallClock: WallClock

  /// - Parameter elapsed: nil for the system's own such clock, from now on.
  package init(
    makeRequestID: @escaping @Sendable () -> String,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    elapsed: (@Sendable () -> Duration)? = nil,
    resolve: (@Sendable (_ host: String, _ owner: Int64) async throws -> [IPAddress])? = nil,
    wallClock: WallClock = .utc
  ) {
    self.makeRequestID = makeRequestID
    self.sleep = sleep
    self.wallClock = wallClock
    let start = ContinuousClock.now
    self.elapsed = elapsed ?? { start.duration(to: .now) }
    let lookup = NameLookup()
    self.resolve = resolve ?? { try await lookup.addresses(of: $0, for: $1) }
  }
}
