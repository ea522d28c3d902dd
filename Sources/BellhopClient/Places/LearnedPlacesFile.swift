package import BellhopModel
internal import BellhopSync
internal import FoundationEssentials

/// The places that this device has learned for an account, in a file that only its owner can read.
///
/// The file stays on the device. It contains the coordinates of areas, and networks only as salted
/// hashes.
package struct LearnedPlacesFile: Sendable {
  package let path: String
  private let random: @Sendable () -> UInt64

  /// The content of the file.
  private struct Content: Codable {
    var version = Self.version
    var places: [String: LearnedPlace]

    static let version = 1
  }

  /// The most places, far more than a user has.
  package static let placesMax = 256

  package init(_ account: AccountName, _ context: ClientContext) {
    self.init(path: context.directories.learnedPlacesPath(account), random: context.random)
  }

  /// - Parameter random: Returns 64 random bits, for salts.
  init(path: String, random: @escaping @Sendable () -> UInt64) {
    self.path = path
    self.random = random
  }

  /// Returns the places; empty without a file.
  ///
  /// - Throws: ``ClientError`` if the file is damaged, or if other users can read it.
  package func load() throws -> LearnedPlaces {
    var learned = LearnedPlaces()
    guard let text = try PrivateFile.read(path) else { return learned }
    guard let content = try? JSONDecoder().decode(Content.self, from: Data(text.utf8)),
      content.version == Content.version, content.places.values.allSatisfy(\.isValid)
    else {
      throw ClientError(
        .badData, "\(path) is damaged, or was written by a newer version of this program.",
        next: "Nothing was changed. If it is damaged, remove it, and learn your places again.")
    }
    learned.places = content.places
    return learned
  }

  /// Adds the networks of a survey to those of a place.
  ///
  /// - Returns: The place as it is now.
  /// - Throws: ``ClientError`` if the survey found no network, or the file cannot be changed;
  ///   `CancellationError`.
  @discardableResult
  package func learn(_ survey: NetworkSurvey, as name: String) async throws -> LearnedPlace {
    guard !survey.fingerprints.isEmpty else {
      throw ClientError(
        .tryLater, "This device is not on a network that it can recognise.",
        next: "Nothing was learned. bellhop doctor shows what is missing.")
    }
    return try await change(name) { place in
      for fingerprint in survey.fingerprints.sorted(by: { $0.kind.rawValue < $1.kind.rawValue }) {
        guard place.learn(fingerprint) else {
          throw ClientError(
            .usage, "“\(name)” has \(LearnedPlace.networksMax) networks already.",
            next: "Nothing was learned. Let this device forget the place, and learn it again.")
        }
      }
    }
  }

  /// Sets the area of a place, instead of an earlier one.
  ///
  /// - Returns: The place as it is now.
  /// - Throws: ``ClientError`` if the file cannot be changed; `CancellationError`.
  @discardableResult
  package func set(_ area: Area, of name: String) async throws -> LearnedPlace {
    try await change(name) { $0.area = area }
  }

  /// Forgets a place, with its networks and its area.
  ///
  /// - Returns: Whether the device had learned it.
  /// - Throws: ``ClientError`` if the file cannot be changed; `CancellationError`.
  @discardableResult
  package func forget(_ name: String) async throws -> Bool {
    try await locked {
      var learned = try load()
      guard learned.places.removeValue(forKey: name) != nil else { return false }
      try write(learned)
      return true
    }
  }

  private func change(
    _ name: String, _ change: (inout LearnedPlace) throws -> Void
  ) async throws -> LearnedPlace {
    try await locked {
      var learned = try load()
      guard learned.places[name] != nil || learned.places.count < Self.placesMax else {
        throw ClientError(
          .usage, "This device has learned \(Self.placesMax) places already.",
          next: "Nothing was changed. Let it forget one first.")
      }
      var place = learned.places[name] ?? LearnedPlace(salt: newSalt())
      try change(&place)
      learned.places[name] = place
      try write(learned)
      return place
    }
  }

  /// Runs a change while no other process changes the file.
  private func locked<Result>(_ body: () throws -> Result) async throws -> Result {
    let lock = EngineLock(path: path + ".lock")
    try await lock.waitForLock()
    defer { lock.unlock() }
    return try body()
  }

  private func write(_ learned: LearnedPlaces) throws {
    try PrivateFile.write(
      json: Content(places: learned.places), to: path,
      orThrow: ClientError(.software, "The places cannot be saved.", next: "Nothing was changed."))
  }

  private func newSalt() -> [UInt8] {
    [random(), random()].flatMap { bits in withUnsafeBytes(of: bits) { Array($0) } }
  }
}

extension Directories {
  /// Returns the path of the file with the places that this device has learned.
  package func learnedPlacesPath(_ name: AccountName) -> String {
    account(name) + "/learned-places.json"
  }
}
