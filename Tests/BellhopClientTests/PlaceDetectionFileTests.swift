import BellhopModel
import BellhopTestSupport
import Foundation
import Synchronization
import Testing

@testable import BellhopClient

@Suite("The file of learned places")
struct PlaceDetectionFileTests {
  private static let survey = NetworkSurvey(
    fingerprints: [NetworkFingerprint(wifiName: Array("Home".utf8))], isComplete: true)

  /// Runs a test with a file whose salts are counted up.
  private static func with(
    _ body: (LearnedPlacesFile) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let count = Mutex<UInt64>(0)
    try await body(
      LearnedPlacesFile(path: folder.path + "/learned-places.json") {
        count.withLock { count in
          count += 1
          return count
        }
      })
  }

  @Test("networks and areas are kept, in a file that only its owner can read")
  func roundTrip() async throws {
    try await Self.with { file in
      #expect(try file.load().isEmpty)
      let home = try await file.learn(Self.survey, as: "home")
      let area = try Area(latitude: 52.5, longitude: 13.25, radiusMeters: 150)
      try await file.set(area, of: "park")
      try await file.set(area, of: "home")
      let learned = try file.load()
      #expect(learned.places.keys.sorted() == ["home", "park"])
      #expect(learned.places["home"]?.area == area && learned.places["park"]?.area == area)
      #expect(learned.places["home"]?.networks == home.networks)
      #expect(learned.places["home"]?.salt != learned.places["park"]?.salt)
      #expect(learned.inside(Surroundings(networks: Self.survey)) == ["home"])
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
  }

  @Test("the file contains no name and no address of a network")
  func secrecy() async throws {
    try await Self.with { file in
      try await file.learn(Self.survey, as: "home")
      let text = try #require(try PrivateFile.read(file.path))
      #expect(!text.contains("Home") && !text.contains(Array("Home".utf8).hexadecimal))
    }
  }

  @Test("learning again adds a network to the place, and forgetting removes the place")
  func changes() async throws {
    try await Self.with { file in
      try await file.learn(Self.survey, as: "home")
      let before = try file.load()
      try await file.learn(Self.survey, as: "home")
      #expect(try file.load() == before, "the network is known already")
      let guest = NetworkSurvey(
        fingerprints: [NetworkFingerprint(wifiName: Array("Guest".utf8))], isComplete: true)
      let home = try await file.learn(guest, as: "home")
      #expect(home.networkCount == 2)
      #expect(try await file.forget("home"))
      #expect(try await !file.forget("home"))
      #expect(try file.load().isEmpty)
    }
  }

  @Test("nothing is learned where the device recognises no network")
  func noNetwork() async throws {
    try await Self.with { file in
      await #expect(throws: ClientError.self) {
        try await file.learn(NetworkSurvey(), as: "home")
      }
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }
  }

  @Test(
    "a damaged file is reported, and never overwritten",
    arguments: [
      "", "{", "[]", #"{"version": 2, "places": {}}"#,
      #"{"version": 1, "places": {"a": {"salt": "1", "networks": []}}}"#,
      #"{"version": 1, "places": {"a": {"salt": "00112233445566778899aabbccddeeff", "#
        + #""networks": [{"kind": "wifi", "hash": "12"}]}}}"#,
      #"{"version": 1, "places": {"a": {"salt": "00112233445566778899aabbccddeeff", "#
        + #""networks": [], "area": {"latitude": 91, "longitude": 0, "radiusMeters": 100}}}}"#,
    ])
  func damaged(_ text: String) async throws {
    try await Self.with { file in
      try PrivateFile.write(text, to: file.path)
      let error = #expect(throws: ClientError.self) { try file.load() }
      #expect(error?.exitCode == .badData)
      await #expect(throws: ClientError.self) { try await file.learn(Self.survey, as: "home") }
      await #expect(throws: ClientError.self) { try await file.forget("a") }
      #expect(try PrivateFile.read(file.path) == text)
    }
  }

  @Test("a file that others can read is refused, with the fix")
  func laxMode() async throws {
    try await Self.with { file in
      try await file.learn(Self.survey, as: "home")
      chmod(file.path, 0o644)
      let error = #expect(throws: ClientError.self) { try file.load() }
      #expect(error?.next == "Run: chmod 600 \(file.path)")
    }
  }

  @Test("changes of two processes at once are both kept")
  func concurrency() async throws {
    try await Self.with { file in
      let area = try Area(latitude: 1, longitude: 2, radiusMeters: 100)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 1...8 {
          group.addTask { try await file.set(area, of: "place \(number)") }
        }
        try await group.waitForAll()
      }
      #expect(try file.load().places.count == 8)
    }
  }
}
