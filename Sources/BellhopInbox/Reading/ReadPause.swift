import BellhopModel

/// The pause after a failed read, during which nothing is read.
struct ReadPause: Sendable {
  /// The length: long enough to keep the program idle, short enough for users to wait.
  static let length = Duration.seconds(1)

  /// The end of the pause; nil while reading is allowed.
  private(set) var end: Timestamp?

  var holds: Bool { end != nil }

  mutating func begin(at now: Timestamp) { end = now.advanced(by: Self.length) }

  /// Ends the pause once its time has passed, or if the store's clock was set back.
  mutating func advance(to now: Timestamp) {
    guard let end else { return }
    if now >= end || end.duration(since: now) > Self.length { self.end = nil }
  }
}
