import BellhopModel

/// The time after a failed read in which nothing is read.
struct ReadPause: Sendable {
  /// Long enough for a program to stay idle, short enough for a person to wait.
  static let length = Duration.seconds(1)

  /// Nil while reading goes on.
  private(set) var end: Timestamp?

  var holds: Bool { end != nil }

  mutating func begin(at now: Timestamp) { end = now.advanced(by: Self.length) }

  /// Takes note that time has passed. The store's clock may have been set back meanwhile.
  mutating func advance(to now: Timestamp) {
    guard let end else { return }
    if now >= end || end.duration(since: now) > Self.length { self.end = nil }
  }
}
