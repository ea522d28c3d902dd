package import BellhopModel
package import BellhopWire

/// The times and limits of synchronisation, each with its reason.
package struct EnginePolicy: Hashable, Sendable {
  /// The channel that the device is registered with.
  package var channel: ChannelType
  /// The environment that the device is registered in.
  package var environment: RegistrationEnvironment = .production
  /// The polling interval right after activity: a user is watching, or a publisher is busy.
  package var pollFastest: Duration = .seconds(3)
  /// The polling interval after a long time without activity: the cost of an idle device.
  package var pollSlowest: Duration = .seconds(60)
  /// The polling interval beside a live signal channel, because a signal may be lost.
  package var safetyPoll: Duration = .seconds(300)
  /// The silence after which a channel counts as dead: two heartbeats of 30 s and some slack.
  package var signalSilence: Duration = .seconds(70)
  /// The first wait after a failure. It doubles with each further failure.
  package var backOffFirst: Duration = .seconds(1)
  /// The longest wait, so that the client notices by itself that a store has returned.
  package var backOffLongest: Duration = .seconds(60)
  /// The time within which clients connect again after a working signal channel ended.
  ///
  /// Each waits for a random part of it, because a store's end is the end of all its channels.
  package var reconnectSpread: Duration = .seconds(5)
  /// The shortest wait that a store may request before the next channel.
  ///
  /// Channels that end at once must not cause a storm of requests.
  package var reconnectShortest: Duration = .milliseconds(250)
  /// The longest `Retry-After` that is accepted. A wrong header must not silence a client for days.
  package var retryAfterLongest: Duration = .seconds(3600)
  /// The minimum time between two pulls caused by signals.
  ///
  /// A storm of signals thus has a bounded cost.
  package var pullSpacing: Duration = .milliseconds(100)
  /// The time between the answer to this device's operations and the pull that updates base.
  ///
  /// The screen has shown them since they were made. Later operations share the pull, and the store
  /// can first serve the devices that have not seen them yet.
  package var ownPullDelay: Duration = .milliseconds(30)
  /// The time during which a delete can be cancelled before it is sealed.
  package var deleteGrace: Duration = .seconds(5)
  /// The maximum number of operations in one request: the store's own limit.
  package var sendBatchMax = 1000
  /// The number of pages between two deltas in a first synchronisation, if no signal requests one.
  ///
  /// That is about a second, and rare enough that the next page is mostly requested ahead.
  package var pagesPerDelta = 16
  /// The delay of a timer that means that the machine was asleep.
  package var sleepDetection: Duration = .seconds(20)
  /// The interval at which a running engine renews its registration, besides at each start.
  package var registrationRenewal: Duration = .seconds(86_400)

  /// Whether the device registers before it reads from the store, and before it reads everything
  /// again.
  ///
  /// A device that the store does not know is one in production, and receives no development items.
  var registersFirst: Bool { environment == .development }

  /// Whether the engine opens a signal channel.
  var opensSignals: Bool { channel == .signal }

  /// Creates the usual policy for `channel`.
  package init(channel: ChannelType = .signal) {
    self.channel = channel
  }

  /// The usual policy for the polling channel.
  package static let polling = EnginePolicy(channel: .polling)
}

/// A back-off that doubles with each failure, with jitter, up to a limit.
struct BackOff: Hashable, Sendable {
  /// The number of failures since the last success.
  private(set) var failures = 0
  private(set) var until: Duration?

  /// Returns whether requests have to wait at `instant`.
  func isWaiting(at instant: Duration) -> Bool {
    if let until { instant < until } else { false }
  }

  /// Records a failure.
  ///
  /// The wait is between half of the doubled time and all of it, so that many clients do not return
  /// at the same moment. `atLeast` is the wait that the store requested.
  mutating func fail(
    at instant: Duration, policy: EnginePolicy, atLeast: Duration? = nil, jitter: Double
  ) {
    let doubled = policy.backOffFirst * (1 << min(failures, 12))
    let wait = min(doubled, policy.backOffLongest) * (0.5 + jitter / 2)
    failures += 1
    if let atLeast {
      let asked = min(atLeast, policy.retryAfterLongest)
      until = instant + max(wait, asked * (1 + jitter / 10))
    } else {
      until = instant + wait
    }
  }

  /// Records the end of a connection that worked, after which the next one waits for `duration`.
  mutating func wait(_ duration: Duration, at instant: Duration) {
    failures += 1
    until = instant + duration
  }

  mutating func succeed() { self = BackOff() }

  /// Permits the next attempt at once, without forgetting the failures.
  mutating func skipWait() { until = nil }
}
