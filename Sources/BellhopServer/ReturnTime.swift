/// The times at which clients return after a refusal or the end of their streams.
///
/// They are spread, so that thousands of clients do not return at the same moment.
enum ReturnTime {
  /// The minimum spread of `Retry-After`, in seconds: 1 becomes 1 to 5.
  private static let secondsSpreadMin = 4
  /// The rate at which the readers of a stopping process connect to the other processes.
  private static let readersPerSecond = 200
  /// The shortest and the longest time within which all of them connect.
  private static let readersSpread = Duration.seconds(1)...Duration.seconds(60)

  /// Returns `Retry-After` of a response with status 503.
  ///
  /// - Parameters:
  ///   - shortest: The header with the shortest time, in seconds; nil for one second.
  ///   - random: From 0 up to 1.
  static func retryAfter(_ shortest: String?, random: Double) -> String {
    let shortest = max(1, shortest.flatMap { Int($0) } ?? 1)
    let spread = max(secondsSpreadMin, shortest / 2)
    return String(shortest + min(spread, Int(random * Double(spread + 1))))
  }

  /// Returns the time after which the reader of an ended stream should connect again.
  ///
  /// - Parameters:
  ///   - streams: The number of streams that end together.
  ///   - random: From 0 up to 1.
  static func reconnection(amongStreams streams: Int, random: Double) -> Duration {
    let needed = Duration.seconds(streams) / readersPerSecond
    let spread = min(max(needed, readersSpread.lowerBound), readersSpread.upperBound)
    return spread * random
  }
}
