package import BellhopModel
internal import BellhopOutbound
package import BellhopStore
internal import BellhopWire

/// The limits and the behaviour of a server. Every value is a setting, with its record in
/// `StoreSettings.schema`.
package struct ServerConfiguration: Sendable {
  /// The version in the response of `/health`, which clients compare with their own.
  package var version: String
  /// The maximum size of a request body, except for `/operations`.
  package var bodyBytesMax = 64 * 1024
  /// The maximum size of an outbox request. Each of its operations may name a thousand items.
  package var operationsBodyBytesMax = 4 * 1024 * 1024
  /// The maximum size of a bulk publication. Each of its lines is limited by ``bodyBytesMax``.
  package var bulkBodyBytesMax = 8 * 1024 * 1024
  /// The maximum number of publications in one bulk request, which is one transaction.
  package var bulkLinesMax = 1000
  /// The maximum size of a `$batch`: twenty bodies at their limit, some of them in base64.
  package var batchBodyBytesMax = 2 * 1024 * 1024
  /// The maximum total size of the bodies in a `$batch` response. Bodies beyond it are omitted.
  package var batchAnswerBytesMax = 16 * 1024 * 1024
  /// The maximum total size of all header lines.
  package var headerBytesMax = 16 * 1024
  /// The maximum number of header fields: more than any client sends.
  package var headerFieldsMax = 100
  /// The maximum size of a request's path and query.
  package var targetBytesMax = 8 * 1024
  /// The maximum nesting of a JSON body.
  package var jsonDepthMax = 64
  /// The number of rows in a delta page unless the client specifies one.
  package var deltaRowsDefault = 500
  /// The number of rows in a history page unless the client specifies one.
  package var listRowsDefault = 100
  package var listRowsMax = 1000
  /// The interval of comment lines that keep a signal stream alive and detect dead ones.
  package var heartbeatInterval = Duration.seconds(30)
  /// The time after which a connection without any activity is closed.
  package var idleTimeout = Duration.seconds(75)
  /// The time limit for a request's head, from its first byte or from the connection.
  ///
  /// Counts only the time spent waiting for the client.
  package var headerTimeout = Duration.seconds(15)
  /// The time limit for a body.
  ///
  /// It is extended while the body arrives at ``transferBytesPerSecondMin`` or faster.
  package var bodyTimeout = Duration.seconds(15)
  /// The time limit for a client that reads slower than ``transferBytesPerSecondMin``.
  ///
  /// The server closes the connection after it.
  package var answerTimeout = Duration.seconds(30)
  /// The minimum transfer rate in either direction.
  package var transferBytesPerSecondMin = 1024
  /// The maximum number of open connections on one listener. Further ones wait to be accepted.
  package var connectionsMax = 4096
  /// The limits for signing in devices; a table of its own in the file.
  package var signIn = SignInLimits()
  /// The clients that may sign in devices, by `client_id`; in the same table.
  package var signInClients = [OAuthClient.bellhop]
  /// The maximum number of open connections from one IPv4 address or one IPv6 /64 network.
  ///
  /// Further ones are closed at once.
  package var connectionsPerAddressMax = 512
  /// The addresses and networks of trusted reverse proxies and load balancers.
  ///
  /// Their connections are shared by many users and not limited per address, and only their
  /// `X-Forwarded-For` and `X-Forwarded-Proto` are believed.
  package var trustedProxies = Self.thisMachine
  /// The sustained rate limit of one access token, in requests per second.
  ///
  /// Further requests receive a 429.
  package var tokenRequestsPerSecond = 1000
  /// The number of requests that an idle token may send at once.
  package var tokenRequestBurst = 60_000
  /// The callers that may read `/metrics`.
  package var metrics = MetricsAccess.local
  /// The time for which a readiness result is reused.
  package var readinessInterval = Duration.seconds(5)
  /// The time limit for a check of the storage, after which the store reports that it is not ready.
  package var readinessTimeout = Duration.seconds(5)
  /// The free disk space below which the store reports that it is not ready.
  package var diskFreeBytesMin = 64 * 1024 * 1024
  /// The interval at which expired items and old tombstones are removed.
  package var sweepInterval = Duration.seconds(60)
  /// The delay of deferred work, such as adding texts to the search index, after the writes.
  package var catchUpDelay = Duration.seconds(1)
  /// The time for which a server that must stop still serves, while it reports that it is not ready.
  ///
  /// A load balancer sends its requests elsewhere meanwhile.
  package var drainDelay = Duration.zero
  /// The time that running requests have to finish at shutdown, after ``drainDelay``.
  package var drainTimeout = Duration.seconds(10)
  package var hooks = HookConfiguration()
  package var ntfy = NtfyConfiguration()
  /// The templates of web hooks that other services call, by name.
  package var templates: [String: HookTemplate] = [:]

  package init(version: String) {
    self.version = version
  }

  /// The addresses of programs on this machine.
  private static let thisMachine = ["127.0.0.0/8", "::1"]

  /// The trusted proxies by the setting's former name, with which this machine was always trusted.
  var proxies: [String] {
    get { trustedProxies }
    set { trustedProxies = newValue + Self.thisMachine.filter { !newValue.contains($0) } }
  }
}

/// The server's source of ids, random numbers, delays, time and host addresses.
package struct ServerEnvironment: Sendable {
  /// A new `request-id`; printable ASCII.
  package var makeRequestID: @Sendable () -> String
  /// Waits for a duration; throws when the task is cancelled.
  package var sleep: @Sendable (Duration) async throws -> Void
  /// The time since a fixed instant, on a monotonic clock.
  package var elapsed: @Sendable () -> Duration
  /// Resolves a host that a user, its owner, named; returns nothing for an unknown host.
  package var resolve: @Sendable (_ host: String, _ owner: Int64) async throws -> [IPAddress]
  /// The source of wall-clock time, for publishers that send times in words.
  package var wallClock: WallClock
  /// Returns numbers from 0 up to 1, which spread the times at which clients return.
  package var random: @Sendable () -> Double
  /// The machine and the process, by which metrics tell processes apart.
  package var process: ProcessLabel

  /// - Parameter elapsed: Nil for the system's monotonic clock, starting now.
  package init(
    makeRequestID: @escaping @Sendable () -> String,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    elapsed: (@Sendable () -> Duration)? = nil,
    resolve: (@Sendable (_ host: String, _ owner: Int64) async throws -> [IPAddress])? = nil,
    wallClock: WallClock = .utc, random: @escaping @Sendable () -> Double = { 0 },
    process: ProcessLabel = ProcessLabel(host: "", number: 0)
  ) {
    self.makeRequestID = makeRequestID
    self.sleep = sleep
    self.wallClock = wallClock
    self.random = random
    self.process = process
    let start = ContinuousClock.now
    self.elapsed = elapsed ?? { start.duration(to: .now) }
    let lookup = NameLookup()
    self.resolve = resolve ?? { try await lookup.addresses(of: $0, for: $1) }
  }
}

/// The name of a process among those that serve one database.
package struct ProcessLabel: Hashable, Sendable {
  /// The name of the machine.
  package var host: String
  /// The process id on the machine.
  package var number: Int32

  package init(host: String, number: Int32) {
    self.host = host
    self.number = number
  }
}
