internal import BellhopSync
internal import Synchronization

/// The sources of the surroundings, which tests replace.
package struct PlaceSources: Sendable {
  /// Returns the events of changed networks, or nil if the system reports none.
  var networkChanges: @Sendable () -> AsyncStream<Void>?
  var networks: @Sendable () async -> NetworkSurvey
  /// Returns the positions, given the least distance between two of them.
  var positions: @Sendable (_ thresholdMeters: UInt32) -> AsyncStream<Position?>
}

/// A watch over the places that the device enters and leaves.
///
/// It waits for changes of the system, and polls only where the system reports none, once a minute.
/// It does nothing while the device has learned no places.
package final class PlaceWatch: Sendable {
  /// The times after a change of the network at which it is read again.
  ///
  /// NetworkManager learns of a connection a little later than the kernel's tables show it.
  static let rereads: [Duration] = [.seconds(2), PlaceTracker.settleTime]
  /// The time between two reads where the system does not report changes.
  static let pollSpacing: Duration = .seconds(60)

  /// The news for the loop.
  private struct Pending {
    var readsNetworks = true
    /// Whether the system reports changes of the network.
    var hearsChanges = false
    var position: Position?
  }

  private let load: @Sendable () throws -> LearnedPlaces
  private let sources: PlaceSources
  private let clock: EngineClock
  private let pending = Mutex(Pending())
  private let events: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  package convenience init(
    _ file: LearnedPlacesFile, environment: [String: String]
  ) {
    self.init(
      load: { try file.load() }, sources: .system(environment: environment),
      clock: QuietExecutor.clock)
  }

  init(
    load: @escaping @Sendable () throws -> LearnedPlaces, sources: PlaceSources,
    clock: any Clock<Duration>
  ) {
    self.load = load
    self.sources = sources
    self.clock = .make(clock)
    (events, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Reads the learned places and the networks again, after this device learned or forgot a place.
  package func checkAgain() {
    pending.withLock { $0.readsNetworks = true }
    wake.yield()
  }

  /// Watches until the task is cancelled. Call it once.
  ///
  /// - Parameter report: Called with the known states of all learned places, after the first check
  ///   and after each change.
  package func run(_ report: @Sendable (PlaceTracker.State) async -> Void) async {
    var round = Round()
    defer { round.end() }
    wake.yield()
    for await _ in events {
      if Task.isCancelled { return }
      guard let learned = try? load() else { continue }
      follow(learned, &round)
      let isDue = round.deadline.map { $0 <= clock.elapsed() } ?? false
      let news = pending.withLock { pending in
        defer { pending.readsNetworks = false }
        return pending
      }
      if learned.isEmpty {
        round.rereads = []
      } else if news.readsNetworks || isDue {
        round.surroundings.networks = await sources.networks()
        schedule(&round, news)
      }
      round.surroundings.position = news.position
      round.tracker.note(learned.presences(in: round.surroundings), at: clock.elapsed())
      arm(&round)
      guard round.tracker.state != round.reported else { continue }
      round.reported = round.tracker.state
      await report(round.tracker.state)
    }
  }

  // MARK: - The loop's parts

  /// The state of the loop.
  private struct Round {
    var surroundings = Surroundings()
    var tracker = PlaceTracker()
    var reported: PlaceTracker.State?
    /// The instants of further reads, in order.
    var rereads: [Duration] = []
    var threshold: UInt32?
    var networks: Task<Void, Never>?
    var positions: Task<Void, Never>?
    var timer: Task<Void, Never>?

    /// The instant of the next check without an event.
    var deadline: Duration? {
      [rereads.first, tracker.nextCheck].compactMap(\.self).min()
    }

    func end() {
      for task in [networks, positions, timer] { task?.cancel() }
    }
  }

  /// Starts the sources that the learned places need, and ends the others.
  private func follow(_ learned: LearnedPlaces, _ round: inout Round) {
    if learned.isEmpty {
      round.networks?.cancel()
      round.networks = nil
    } else if round.networks == nil {
      let changes = sources.networkChanges()
      pending.withLock { $0.hearsChanges = changes != nil }
      round.networks = Task { [weak self] in
        guard let changes else { return }
        for await _ in changes { self?.checkAgain() }
        // The system has ended the stream, so the watch polls from now on.
        guard !Task.isCancelled else { return }
        self?.pending.withLock { $0.hearsChanges = false }
        self?.checkAgain()
      }
    }
    let threshold = learned.smallestRadiusMeters.map(GeoClue.threshold)
    guard threshold != round.threshold else { return }
    round.threshold = threshold
    round.positions?.cancel()
    note(nil)
    round.positions = threshold.map { threshold in
      let positions = sources.positions(threshold)
      return Task { [weak self] in
        for await position in positions where !Task.isCancelled { self?.note(position) }
      }
    }
  }

  private func note(_ position: Position?) {
    let isNew = pending.withLock { pending in
      defer { pending.position = position }
      return pending.position != position
    }
    if isNew { wake.yield() }
  }

  private func schedule(_ round: inout Round, _ news: Pending) {
    let now = clock.elapsed()
    if news.readsNetworks {
      round.rereads = Self.rereads.map { now + $0 }
    } else {
      round.rereads.removeAll { $0 <= now }
    }
    if round.rereads.isEmpty, !news.hearsChanges { round.rereads = [now + Self.pollSpacing] }
  }

  /// Sets the single timer to the next check.
  private func arm(_ round: inout Round) {
    round.timer?.cancel()
    round.timer = round.deadline.map { deadline in
      Task { [clock, wake] in
        guard (try? await clock.sleep(deadline)) != nil else { return }
        wake.yield()
      }
    }
  }
}

extension PlaceSources {
  /// The sources of this machine.
  static func system(environment: [String: String]) -> PlaceSources {
    PlaceSources(
      networkChanges: { try? NetworkMonitor.stream() },
      networks: { await NetworkSurvey.present(environment: environment) },
      positions: { GeoClue.positions(environment: environment, thresholdMeters: $0) })
  }
}
