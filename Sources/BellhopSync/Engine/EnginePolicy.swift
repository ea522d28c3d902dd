package import BellhopWire

/// The times and limits of synchronisation, each with its reason.
package struct EnginePolicy: Hashable, Sendable {
  /// What the device is registered with.
  package var channel: ChannelType
  /// Polling right after something happened: a person is looking, or a publisher is busy.
  package var pollFastest: Duration = .seconds(3)
  /// Polling when nothing has happened for long: what an idle device costs the store.
  package var pollSlowest: Duration = .seconds(60)
  /// The poll that remains beside a live signal channel, because a signal may be lost.
  package var safetyPoll: Duration = .seconds(300)
  /// Two heart-beats of 30 s and some slack: a channel silent for longer is taken for dead.
  package var signalSilence: Duration = .seconds(70)
  /// The first wait after a failure; it doubles with each further one.
  package var backOffFirst: Duration = .seconds(1)
  /// The longest wait, so that a store that returns is noticed by itself.
  package var backOffLongest: Duration = .seconds(60)
  /// The longest `Retry-After` that is believed; a wrong header must not silence a client for days.
  package var retryAfterLongest: Duration = .seconds(3600)
  /// Between two pulls that signals caused, so that a storm of them costs a bounded number.
  package var pullSpacing: Duration = .milliseconds(100)
  /// Between the answer to this device's own operations and the pull that brings base that far. The
  /// screen has shown them since they were made; what is done next shares the pull, and the store has
  /// its hands free for the devices that are still to see it.
  package var ownPullDelay: Duration = .milliseconds(30)
  /// How long a delete can be taken back before it is sealed.
  package var deleteGrace: Duration = .seconds(5)
  /// Operations in one request; the store's own limit.
  package var sendBatchMax = 1000
  /// Pages of a first synchronisation between two looks at the delta, where no signal asks for one:
  /// about a second, and rarely enough that the next page is mostly asked for ahead.
  package var pagesPerDelta = 16
  /// How late a timer must be to mean that the machine was asleep.
  package var sleepDetection: Duration = .seconds(20)
  /// A registration is renewed this often while the engine runs, and at each start.
  package var registrationRenewal: Duration = .seconds(86_400)

  /// Whether a signal channel is wanted.
  var opensSignals: Bool { channel == .signal }

  /// The usual times, on `channel`.
  package init(channel: ChannelType = .signal) {
    self.channel = channel
  }

  /// The usual times, on the polling channel.
  package static let polling = EnginePolicy(channel: .polling)
}

/// Waits that double with each failure, with jitter, up to a limit.
struct BackOff: Hashable, Sendable {
  /// Failures since the last success.
  private(set) var failures = 0
  private(set) var until: Duration?

  /// Whether requests have to wait at `instant`.
  func isWaiting(at instant: Duration) -> Bool {
    if let until { instant < until } else { false }
  }

  /// Records a failure. The wait is between half and the whole of the doubled time, so that many
  /// clients do not return at the same moment; `atLeast` is what the store asked for.
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

  mutating func succeed() { self = BackOff() }

  /// Lets the next attempt go at once without forgetting the failures.
  mutating func skipWait() { until = nil }
}
