import BellhopTestSupport
import Synchronization
import Testing

@testable import BellhopClient

@Suite("The watch over places")
struct PlaceDetectionWatchTests {
  /// A device whose surroundings, clock and learned places a test changes.
  private final class Scene: Sendable {
    private struct State {
      var learned = LearnedPlaces()
      var survey = NetworkSurvey()
      var reads = 0
      var thresholds: [UInt32] = []
      var reports: [PlaceTracker.State] = []
      var changes: AsyncStream<Void>.Continuation?
      var positions: AsyncStream<Position?>.Continuation?
    }

    private let state = Mutex(State())
    let clock = ManualClock()

    var reads: Int { state.withLock { $0.reads } }
    var reports: [PlaceTracker.State] { state.withLock { $0.reports } }
    var thresholds: [UInt32] { state.withLock { $0.thresholds } }

    func learn(_ fingerprint: NetworkFingerprint?, area: Area? = nil, as name: String) {
      state.withLock { state in
        var place = LearnedPlace(salt: [UInt8](repeating: 7, count: 16))
        if let fingerprint { _ = place.learn(fingerprint) }
        place.area = area
        state.learned.places[name] = place
      }
    }

    func forget(_ name: String) { state.withLock { $0.learned.places[name] = nil } }

    /// Moves the device to a network, and reports a change.
    func join(_ fingerprint: NetworkFingerprint?) {
      state.withLock { state in
        state.survey = NetworkSurvey(
          fingerprints: fingerprint.map { [$0] } ?? [], isComplete: fingerprint != nil)
        state.changes?.yield()
      }
    }

    func move(to position: Position?) { _ = state.withLock { $0.positions?.yield(position) } }

    /// Ends the system's reports of changes.
    func endChanges() { state.withLock { $0.changes?.finish() } }

    func watch() -> PlaceWatch {
      PlaceWatch(
        load: { self.state.withLock { $0.learned } },
        sources: PlaceSources(
          networkChanges: {
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            self.state.withLock { $0.changes = continuation }
            return stream
          },
          networks: {
            self.state.withLock { state in
              state.reads += 1
              return state.survey
            }
          },
          positions: { threshold in
            let (stream, continuation) = AsyncStream<Position?>.makeStream()
            self.state.withLock { state in
              state.positions = continuation
              state.thresholds.append(threshold)
            }
            return stream
          }), clock: clock)
    }

    /// Runs a test beside a watch.
    static func play(
      _ scene: Scene, _ body: (PlaceWatch) async throws -> Void
    ) async throws {
      let watch = scene.watch()
      let running = Task {
        await watch.run { report in scene.state.withLock { $0.reports.append(report) } }
      }
      defer { running.cancel() }
      try await body(watch)
      running.cancel()
      await running.value
    }

    func wait(_ what: String, for report: PlaceTracker.State) async throws {
      try await eventually(what, every: .zero, last: "\(self.reports)") {
        self.reports.last == report
      }
    }

    /// Waits until the watch sleeps until an instant.
    func waitForSleep(until instant: Duration) async throws {
      try await eventually(
        "a sleep", every: .zero, last: "\(String(describing: self.clock.untilNextWake))"
      ) {
        self.clock.untilNextWake.map { self.clock.now.sinceStart + $0 } == instant
      }
    }
  }

  private static let home = NetworkFingerprint(wifiName: Array("Home".utf8))
  private static let other = NetworkFingerprint(wifiName: Array("Café".utf8))

  @Test("an entry is reported at once, and an exit after ten seconds, from a fresh reading")
  func entryAndExit() async throws {
    let scene = Scene()
    scene.learn(Self.home, as: "home")
    scene.join(Self.home)
    try await Scene.play(scene) { _ in
      try await scene.wait("an entry", for: .init(inside: ["home"]))
      try await scene.waitForSleep(until: .seconds(2))
      scene.clock.advance(by: .seconds(2))
      try await scene.waitForSleep(until: .seconds(10))
      scene.clock.advance(by: .seconds(8))
      try await eventually("three readings", every: .zero) { scene.reads == 3 }
      try await eventually("no sleep", every: .zero) { scene.clock.sleeperCount == 0 }
      scene.join(Self.other)
      try await scene.waitForSleep(until: .seconds(12))
      scene.clock.advance(by: .seconds(2))
      try await scene.waitForSleep(until: .seconds(20))
      #expect(scene.reports.last == .init(inside: ["home"]))
      scene.clock.advance(by: .seconds(8))
      try await scene.wait("an exit", for: .init(outside: ["home"]))
      try await eventually("no sleep", every: .zero) { scene.clock.sleeperCount == 0 }
      #expect(scene.reads == 6)
    }
  }

  @Test("a network that returns within ten seconds was not left")
  func reconnection() async throws {
    let scene = Scene()
    scene.learn(Self.home, as: "home")
    scene.join(Self.home)
    try await Scene.play(scene) { _ in
      try await scene.wait("an entry", for: .init(inside: ["home"]))
      for fingerprint in [Self.other, nil, Self.home] {
        let before = scene.reads
        scene.join(fingerprint)
        try await eventually("a reading", every: .zero) { scene.reads > before }
        let next = scene.clock.now.sinceStart + .seconds(2)
        try await scene.waitForSleep(until: next)
        scene.clock.advance(by: .seconds(2))
        try await scene.waitForSleep(until: next + .seconds(8))
      }
      scene.clock.advance(by: .seconds(60))
      try await eventually("no sleep", every: .zero) { scene.clock.sleeperCount == 0 }
      #expect(scene.reports == [.init(inside: ["home"])])
    }
  }

  @Test("positions are asked for only if a place has an area")
  func positions() async throws {
    let scene = Scene()
    scene.learn(Self.home, as: "home")
    scene.join(Self.home)
    try await Scene.play(scene) { watch in
      try await scene.wait("an entry", for: .init(inside: ["home"]))
      #expect(scene.thresholds == [])
      let area = try Area(latitude: 52.5, longitude: 13.25, radiusMeters: 400)
      scene.learn(nil, area: area, as: "park")
      watch.checkAgain()
      try await eventually("a threshold", every: .zero) { scene.thresholds == [100] }
      scene.move(to: Position(latitude: 52.5, longitude: 13.25, accuracyMeters: 20))
      try await scene.wait("the park", for: .init(inside: ["home", "park"]))
      scene.move(to: nil)
      scene.forget("park")
      watch.checkAgain()
      try await scene.wait("only home", for: .init(inside: ["home"]))
    }
  }

  @Test("without learned places nothing is read, and nothing waits")
  func idle() async throws {
    let scene = Scene()
    try await Scene.play(scene) { watch in
      try await scene.wait("a first report", for: PlaceTracker.State())
      #expect(scene.reads == 0 && scene.clock.sleeperCount == 0)
      scene.learn(Self.home, as: "home")
      scene.join(Self.home)
      watch.checkAgain()
      try await scene.wait("an entry", for: .init(inside: ["home"]))
    }
  }

  @Test("where the system reports no changes, the networks are read once a minute")
  func polling() async throws {
    let scene = Scene()
    scene.learn(Self.home, as: "home")
    scene.join(Self.home)
    try await Scene.play(scene) { _ in
      try await scene.wait("an entry", for: .init(inside: ["home"]))
      scene.endChanges()
      try await eventually("the end of reports", every: .zero) { scene.reads == 2 }
      for instant in [2, 10, 70, 130, 190] {
        try await scene.waitForSleep(until: .seconds(instant))
        scene.clock.advance(by: .seconds(instant) - scene.clock.now.sinceStart)
      }
      try await scene.waitForSleep(until: .seconds(250))
    }
  }
}
