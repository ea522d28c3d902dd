/// The surroundings of the device, by which it recognises places.
package struct Surroundings: Hashable, Sendable {
  package var networks = NetworkSurvey()
  /// The position; nil if no service reports one.
  package var position: Position?
}

/// A place as this device recognises it: by its networks or by its area, or by either.
package struct LearnedPlace: Hashable, Sendable, Codable {
  /// A fingerprint as it is stored.
  struct Network: Hashable, Sendable, Codable {
    var kind: NetworkFingerprint.Kind
    /// The salted hash, in hexadecimal digits.
    var hash: String
  }

  /// 16 random bytes, in hexadecimal digits.
  let salt: String
  private(set) var networks: [Network] = []
  package var area: Area?

  /// The most networks of a place.
  ///
  /// A building has few, and each is compared at every change.
  package static let networksMax = 64

  init(salt: [UInt8]) { self.salt = salt.hexadecimal }

  package var networkCount: Int { networks.count }

  /// Whether a file contains the place as this program writes it.
  var isValid: Bool {
    func isHexadecimal(_ text: String, _ count: Int) -> Bool {
      text.utf8.count == count && text.allSatisfy { $0.isHexDigit && !$0.isUppercase }
    }
    return isHexadecimal(salt, 32) && networks.allSatisfy { isHexadecimal($0.hash, 64) }
      && networks.count <= Self.networksMax && (!networks.isEmpty || area != nil)
  }

  /// Adds a network, unless the place has it.
  ///
  /// - Returns: False if the place has too many networks already.
  mutating func learn(_ fingerprint: NetworkFingerprint) -> Bool {
    let network = Network(kind: fingerprint.kind, hash: hash(of: fingerprint))
    if networks.contains(network) { return true }
    guard networks.count < Self.networksMax else { return false }
    networks.append(network)
    return true
  }

  private func hash(of fingerprint: NetworkFingerprint) -> String {
    // The salt and the kind have no byte 0, so no other parts give the same bytes.
    SHA256.hexadecimal(
      Array(salt.utf8) + [0] + Array(fingerprint.kind.rawValue.utf8) + [0] + fingerprint.value)
  }

  /// Returns whether surroundings are those of the place.
  ///
  /// One network or the area is enough to be inside. The area does not count without a position if
  /// the place has networks, too: most devices have no service for positions.
  package func presence(in surroundings: Surroundings) -> Presence {
    var parts: [Presence] = []
    if !networks.isEmpty { parts.append(presence(on: surroundings.networks)) }
    if let area {
      if let position = surroundings.position {
        parts.append(area.presence(of: position))
      } else if networks.isEmpty {
        parts.append(.unknown)
      }
    }
    if parts.contains(.inside) { return .inside }
    return parts.isEmpty || parts.contains(.unknown) ? .unknown : .outside
  }

  private func presence(on survey: NetworkSurvey) -> Presence {
    let known = Set(networks.map(\.hash))
    if survey.fingerprints.contains(where: { known.contains(hash(of: $0)) }) { return .inside }
    return survey.isComplete ? .outside : .unknown
  }
}

/// The places that this device has learned for an account, by their names.
package struct LearnedPlaces: Hashable, Sendable {
  package internal(set) var places: [String: LearnedPlace] = [:]

  package init() {}

  package var isEmpty: Bool { places.isEmpty }

  /// Returns whether the device is inside each place.
  package func presences(in surroundings: Surroundings) -> [String: Presence] {
    places.mapValues { $0.presence(in: surroundings) }
  }

  /// Returns the places that the device is inside of; nil if the surroundings show nothing about
  /// any place.
  package func inside(_ surroundings: Surroundings) -> Set<String>? {
    let presences = presences(in: surroundings)
    guard presences.values.contains(where: { $0 != .unknown }) else { return nil }
    return Set(presences.filter { $0.value == .inside }.keys)
  }

  /// The radius of the smallest area; nil if no place has an area.
  var smallestRadiusMeters: Double? { places.values.compactMap { $0.area?.radiusMeters }.min() }
}
