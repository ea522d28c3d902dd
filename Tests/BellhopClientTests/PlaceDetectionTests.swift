import BellhopTestSupport
import Testing

@testable import BellhopClient

@Suite("Places that the device recognises")
struct PlaceDetectionTests {
  private static let home = NetworkFingerprint(wifiName: Array("Home".utf8))
  private static let office = NetworkFingerprint(wifiName: Array("Office".utf8))

  private static func area(radiusMeters: Double = 100) throws -> Area {
    try Area(latitude: 52.5163, longitude: 13.3777, radiusMeters: radiusMeters)
  }

  /// A position north of the area's centre.
  private static func position(meters: Double, accuracyMeters: Double = 10) -> Position {
    Position(
      latitude: 52.5163 + meters / 111_195, longitude: 13.3777, accuracyMeters: accuracyMeters)
  }

  private static func surroundings(
    _ fingerprints: Set<NetworkFingerprint>, isComplete: Bool = true, _ position: Position? = nil
  ) -> Surroundings {
    Surroundings(
      networks: NetworkSurvey(fingerprints: fingerprints, isComplete: isComplete),
      position: position)
  }

  private static func place(
    _ fingerprints: NetworkFingerprint..., area: Area? = nil, salt: UInt8 = 1
  ) -> LearnedPlace {
    var place = LearnedPlace(salt: [UInt8](repeating: salt, count: 16))
    for fingerprint in fingerprints {
      let isLearned = place.learn(fingerprint)
      #expect(isLearned)
    }
    place.area = area
    return place
  }

  // MARK: - Networks

  @Test("a place is recognised by any of its networks, and is left on any other")
  func networks() {
    let place = Self.place(Self.home, Self.office)
    #expect(place.networkCount == 2)
    #expect(place.presence(in: Self.surroundings([Self.home])) == .inside)
    #expect(place.presence(in: Self.surroundings([Self.office], isComplete: false)) == .inside)
    let other = NetworkFingerprint(wifiName: Array("home".utf8))
    #expect(place.presence(in: Self.surroundings([other])) == .outside)
    #expect(place.presence(in: Self.surroundings([])) == .outside, "a network without a name")
    #expect(place.presence(in: Self.surroundings([other], isComplete: false)) == .unknown)
    #expect(place.presence(in: Surroundings()) == .unknown, "no network")
  }

  @Test("the same network has another hash at each place")
  func salts() {
    let (one, two) = (Self.place(Self.home), Self.place(Self.home, salt: 2))
    #expect(one.networks.map(\.hash) != two.networks.map(\.hash))
    #expect(one.networks.allSatisfy { $0.hash.count == 64 })
    var again = one
    let isLearned = again.learn(Self.home)
    #expect(isLearned && again == one, "a network is learned once")
  }

  @Test("a place has a limited number of networks")
  func networkLimit() {
    var place = Self.place()
    let names = 0..<LearnedPlace.networksMax
    let networks = names.map { NetworkFingerprint(wifiName: Array("\($0)".utf8)) }
    let learned = (networks + [Self.home, networks[0]]).map { place.learn($0) }
    #expect(learned == networks.map { _ in true } + [false, true])
  }

  @Test("a place with networks and an area is recognised by either")
  func either() throws {
    let place = Self.place(Self.home, area: try Self.area())
    let (near, far) = (Self.position(meters: 0), Self.position(meters: 500))
    #expect(place.presence(in: Self.surroundings([Self.home], far)) == .inside)
    #expect(place.presence(in: Self.surroundings([Self.office], near)) == .inside)
    #expect(place.presence(in: Self.surroundings([Self.office], far)) == .outside)
    #expect(place.presence(in: Self.surroundings([Self.office])) == .outside, "no positions here")
    #expect(place.presence(in: Self.surroundings([], isComplete: false, far)) == .unknown)
    let border = Self.position(meters: 105)
    #expect(place.presence(in: Self.surroundings([Self.office], border)) == .unknown)
    let onlyArea = Self.place(area: try Self.area())
    #expect(onlyArea.presence(in: Self.surroundings([Self.office])) == .unknown)
  }

  @Test("nothing is known without surroundings, which is not outside of everything")
  func inside() throws {
    var learned = LearnedPlaces()
    #expect(learned.inside(Self.surroundings([Self.home])) == nil)
    learned.places = [
      "home": Self.place(Self.home), "office": Self.place(Self.office),
      "park": Self.place(area: try Self.area()),
    ]
    #expect(learned.inside(Surroundings()) == nil)
    #expect(learned.inside(Self.surroundings([Self.home])) == ["home"])
    #expect(learned.inside(Self.surroundings([])) == [])
    let park = Self.position(meters: 0)
    #expect(learned.inside(Surroundings(position: park)) == ["park"])
    #expect(learned.inside(Self.surroundings([Self.office], park)) == ["office", "park"])
    #expect(learned.smallestRadiusMeters == 100)
  }

  // MARK: - Areas

  @Test(
    "distances are great circles",
    arguments: [
      (52.5163, 13.3777, 0.0), (52.5163, 13.3792, 101.5), (48.8584, 2.2945, 878_500),
      (-52.5163, -166.6223, 20_015_115),
    ])
  func distances(_ latitude: Double, _ longitude: Double, _ meters: Double) throws {
    let position = Position(latitude: latitude, longitude: longitude, accuracyMeters: 1)
    let distance = try Self.area().meters(to: position)
    #expect(abs(distance - meters) <= max(1, meters / 200), "\(distance)")
  }

  @Test(
    "between entering and leaving is a margin, in which nothing changes",
    arguments: [
      (0, 10, Presence.inside), (99, 10, .inside), (99, 200, .inside), (99, 201, .unknown),
      (101, 10, .unknown), (119, 10, .unknown), (121, 10, .outside), (149, 50, .unknown),
      (151, 50, .outside), (900, 5000, .unknown),
    ])
  func hysteresis(_ meters: Double, _ accuracyMeters: Double, _ presence: Presence) throws {
    let position = Self.position(meters: meters, accuracyMeters: accuracyMeters)
    #expect(try Self.area().presence(of: position) == presence)
  }

  @Test("the margin grows with the radius")
  func margin() throws {
    let area = try Self.area(radiusMeters: 1000)
    #expect(area.presence(of: Self.position(meters: 1099)) == .unknown)
    #expect(area.presence(of: Self.position(meters: 1101)) == .outside)
  }

  @Test(
    "coordinates out of range are refused",
    arguments: [
      (91, 0, 100), (-90.5, 0, 100), (0, 180.5, 100), (0, -181, 100), (0, 0, 19), (0, 0, 100_001),
      (Double.nan, 0, 100), (0, Double.infinity, 100), (0, 0, Double.nan),
    ])
  func ranges(_ latitude: Double, _ longitude: Double, _ radiusMeters: Double) {
    let error = #expect(throws: ClientError.self) {
      try Area(latitude: latitude, longitude: longitude, radiusMeters: radiusMeters)
    }
    #expect(error?.exitCode == .usage)
  }

  @Test("GeoClue is asked for fewer positions around larger areas")
  func threshold() {
    #expect(GeoClue.threshold(radiusMeters: 20) == 10)
    #expect(GeoClue.threshold(radiusMeters: 400) == 100)
    #expect(GeoClue.threshold(radiusMeters: 100_000) == 1000)
  }

  // MARK: - Hashes

  @Test(
    "SHA-256 has the published values",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        String(repeating: "a", count: 1000),
        "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"
      ),
    ])
  func hash(_ text: String, _ hash: String) {
    #expect(SHA256.hexadecimal(Array(text.utf8)) == hash)
  }
}

@Suite("Entering and leaving places")
struct PlaceTrackerTests {
  private static let settle = PlaceTracker.settleTime

  @Test("a place is entered at once, and left after ten seconds outside")
  func leaving() {
    var tracker = PlaceTracker()
    tracker.note(["home": .inside, "office": .unknown], at: .zero)
    #expect(tracker.state == .init(inside: ["home"]) && tracker.nextCheck == nil)
    tracker.note(["home": .outside, "office": .inside], at: .seconds(5))
    #expect(tracker.state == .init(inside: ["home", "office"]))
    #expect(tracker.nextCheck == .seconds(5) + Self.settle)
    tracker.note(["home": .outside, "office": .inside], at: .seconds(14))
    #expect(tracker.state.inside == ["home", "office"])
    tracker.note(["home": .outside, "office": .inside], at: .seconds(15))
    #expect(tracker.state == .init(inside: ["office"], outside: ["home"]))
    #expect(tracker.nextCheck == nil)
  }

  @Test("a reconnection and a moment without a network are no exits")
  func interruptions() {
    var tracker = PlaceTracker()
    tracker.note(["home": .inside], at: .zero)
    tracker.note(["home": .outside], at: .seconds(1))
    tracker.note(["home": .inside], at: .seconds(9))
    tracker.note(["home": .outside], at: .seconds(12))
    #expect(tracker.state.inside == ["home"])
    tracker.note(["home": .unknown], at: .seconds(20))
    #expect(tracker.nextCheck == nil)
    tracker.note(["home": .outside], at: .seconds(21))
    tracker.note(["home": .outside], at: .seconds(30))
    #expect(tracker.state.inside == ["home"])
    tracker.note(["home": .unknown], at: .seconds(500))
    #expect(tracker.state.inside == ["home"])
  }

  @Test("at the start nothing is claimed before it has settled, except for an entry")
  func start() {
    var tracker = PlaceTracker()
    tracker.note(["home": .outside, "office": .unknown], at: .zero)
    #expect(tracker.state == PlaceTracker.State())
    tracker.note(["home": .outside, "office": .unknown], at: Self.settle)
    #expect(tracker.state == .init(outside: ["home"]))
  }

  @Test("a forgotten place has no state")
  func forgotten() {
    var tracker = PlaceTracker()
    tracker.note(["home": .inside, "office": .outside], at: .zero)
    tracker.note([:], at: .seconds(1))
    #expect(tracker == PlaceTracker())
  }
}
