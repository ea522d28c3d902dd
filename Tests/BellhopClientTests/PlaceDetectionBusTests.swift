import BellhopTestSupport
import Glibc
import Synchronization
import Testing

@testable import BellhopClient

@Suite(
  "NetworkManager and GeoClue on a fake bus",
  .enabled("This machine has no libsystemd.so.0.") { dlopen("libsystemd.so.0", RTLD_LAZY) != nil },
  .realPrograms)
struct PlaceDetectionBusTests {
  /// Runs a test with a bus and an environment that names it.
  private static func with(
    _ body: (FakeSystemBus, [String: String]) async throws -> Void
  ) async throws {
    let bus = try FakeSystemBus()
    defer { bus.end() }
    try await body(bus, ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
  }

  @Test("the name of the Wi-Fi network is the one of the primary connection")
  func wifiName() async throws {
    try await Self.with { bus, environment in
      #expect(WiFiName.present(environment: environment) == .absent, "on Ethernet")
      // A name need not be UTF-8.
      bus.change { $0.wifiName = [0xff, 0x00, 0x41] }
      #expect(WiFiName.present(environment: environment) == .known([0xff, 0x00, 0x41]))
      bus.change { $0.hasNetworkManager = false }
      #expect(WiFiName.present(environment: environment) == .absent)
    }
  }

  @Test("a bus that does not answer tells nothing, within a second")
  func silence() async throws {
    try await Self.with { bus, environment in
      bus.change { $0.answers = false }
      let start = ContinuousClock.now
      #expect(WiFiName.present(environment: environment) == .unknown)
      #expect(start.duration(to: .now) < .seconds(30))
    }
    let nowhere = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/no-such-folder/bus"]
    #expect(WiFiName.present(environment: nowhere) == .absent)
  }

  @Test("positions arrive from the start, as they change, and end with GeoClue")
  func positions() async throws {
    try await Self.with { bus, environment in
      bus.change { $0.position = (52.5, 13.25, 30) }
      let seen = Mutex<[Position?]>([])
      let reading = Task.besidePrograms {
        for await position in GeoClue.positions(environment: environment, thresholdMeters: 25) {
          seen.withLock { $0.append(position) }
        }
      }
      try await eventually("the first position") {
        seen.withLock { $0.last } == Position(latitude: 52.5, longitude: 13.25, accuracyMeters: 30)
      }
      #expect(
        bus.settings == [
          "DesktopId", "DistanceThreshold", "TimeThreshold", "RequestedAccuracyLevel",
        ])
      bus.move(latitude: 52.75, longitude: 13.5)
      try await eventually("the next position") {
        seen.withLock { $0.last }
          == Position(latitude: 52.75, longitude: 13.5, accuracyMeters: 20)
      }
      bus.endGeoClue()
      try await eventually("no position") { seen.withLock { $0.last } == .some(nil) }
      reading.cancel()
      try await reading.value
    }
  }

  @Test("a client of GeoClue ends with its reader")
  func end() async throws {
    try await Self.with { bus, environment in
      let reading = Task.besidePrograms {
        for await _ in GeoClue.positions(environment: environment, thresholdMeters: 25) {}
      }
      try await eventually("a client") { bus.startedCount == 1 }
      reading.cancel()
      try await reading.value
      try await eventually("no client") { bus.startedCount == 0 }
    }
  }

  @Test("the explanations for the user say which services work")
  func explanations() async throws {
    try await Self.with { bus, environment in
      func wifi() -> PlaceCapabilities.Source { PlaceCapabilities.wifi(environment) }
      func position(isUsed: Bool = true) -> PlaceCapabilities.Source {
        PlaceCapabilities.position(environment, isUsed: isUsed)
      }
      #expect(wifi().works && wifi().explanation.contains("not on Wi-Fi"))
      #expect(position().works)
      bus.change {
        $0.wifiName = Array("Home".utf8)
        $0.allowsPositions = false
      }
      #expect(wifi().works && !wifi().explanation.contains("Home"))
      #expect(position().explanation == "GeoClue refuses access to this program.")
      #expect(position(isUsed: false).works)
      bus.change {
        $0.hasNetworkManager = false
        $0.hasGeoClue = false
      }
      #expect(wifi() == .init(works: false, explanation: "NetworkManager does not run."))
      #expect(
        position()
          == .init(works: false, explanation: "GeoClue is not installed, or cannot be started."))
    }
  }
}
