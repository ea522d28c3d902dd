internal import Glibc

/// A position on the Earth, with its accuracy.
package struct Position: Hashable, Sendable {
  /// Degrees north of the equator (WGS 84).
  package var latitude: Double
  /// Degrees east of Greenwich (WGS 84).
  package var longitude: Double
  /// The radius of the circle that probably contains the device.
  package var accuracyMeters: Double
}

/// A relation of the device to a place.
package enum Presence: Hashable, Sendable {
  case inside
  case outside
  /// The surroundings do not show it: what was known before still counts.
  case unknown
}

/// A circle on the Earth.
package struct Area: Hashable, Sendable, Codable {
  /// Degrees north of the equator (WGS 84).
  package let latitude: Double
  /// Degrees east of Greenwich (WGS 84).
  package let longitude: Double
  package let radiusMeters: Double

  /// A smaller circle would be within the error of satellite navigation; a larger one is not a
  /// place.
  package static let radii: ClosedRange<Double> = 20...100_000

  /// - Throws: ``ClientError`` if a value is out of range.
  package init(
    latitude: Double, longitude: Double, radiusMeters: Double
  ) throws(ClientError) {
    func check(
      _ value: Double, _ range: ClosedRange<Double>, _ message: String
    ) throws(ClientError) {
      // Infinity and NaN are in no range.
      guard range.contains(value) else {
        throw ClientError(.usage, message, next: "Nothing was changed.")
      }
    }
    try check(
      latitude, -90...90, "A latitude is from -90 to 90 degrees, such as 52.5163 for Berlin.")
    try check(
      longitude, -180...180, "A longitude is from -180 to 180 degrees, such as 13.3777 for Berlin.")
    try check(radiusMeters, Self.radii, "A radius is from 20 to 100000 metres, such as 150.")
    self.latitude = latitude
    self.longitude = longitude
    self.radiusMeters = radiusMeters
  }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      latitude: fields.decode(Double.self, forKey: .latitude),
      longitude: fields.decode(Double.self, forKey: .longitude),
      radiusMeters: fields.decode(Double.self, forKey: .radiusMeters))
  }

  /// Returns the length of the shortest way over the surface, to half a percent.
  func meters(to position: Position) -> Double {
    // The haversine formula, with the Earth's mean radius (IUGG).
    func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
    let north = sin(radians(position.latitude - latitude) / 2)
    let east = sin(radians(position.longitude - longitude) / 2)
    let chord =
      north * north + cos(radians(latitude)) * cos(radians(position.latitude)) * east * east
    return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
  }

  /// Returns whether a position is in the area.
  ///
  /// A device enters when its position is in the circle, to within twice the radius. It leaves when
  /// its position is outside by more than its accuracy, a tenth of the radius and 20 m. Between the
  /// two, nothing changes, so that an unsteady position does not enter and leave by turns.
  func presence(of position: Position) -> Presence {
    let distance = meters(to: position)
    if distance <= radiusMeters {
      return position.accuracyMeters <= 2 * radiusMeters ? .inside : .unknown
    }
    let margin = max(position.accuracyMeters, radiusMeters / 10, 20)
    return distance > radiusMeters + margin ? .outside : .unknown
  }
}
