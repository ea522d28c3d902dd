/// A rule that decides when the device has entered or left a place.
///
/// A device enters at once. It leaves after it was outside for ``settleTime`` without interruption,
/// so that neither a change of the access point nor a reconnection counts. While nothing is known,
/// it stays where it was.
///
/// Instants are times since the program started, on a monotonic clock.
package struct PlaceTracker: Hashable, Sendable {
  /// The places whose state is known.
  package struct State: Hashable, Sendable {
    package var inside: Set<String> = []
    package var outside: Set<String> = []
  }

  /// The time outside after which a place counts as left.
  package static let settleTime: Duration = .seconds(10)

  package private(set) var state = State()
  /// The instants since when the device is outside of places that it has not left yet.
  private var leaving: [String: Duration] = [:]

  package init() {}

  /// The earliest instant at which a place may count as left; nil if the device leaves none.
  package var nextCheck: Duration? { leaving.values.min().map { $0 + Self.settleTime } }

  /// Records the surroundings at an instant.
  ///
  /// - Parameter presences: The relation to each learned place. Others are forgotten.
  package mutating func note(_ presences: [String: Presence], at instant: Duration) {
    for (name, presence) in presences {
      switch presence {
      case .inside:
        state.inside.insert(name)
        state.outside.remove(name)
        leaving[name] = nil
      case .unknown: leaving[name] = nil
      case .outside:
        guard !state.outside.contains(name) else { continue }
        let since = leaving[name] ?? instant
        leaving[name] = since
        guard instant - since >= Self.settleTime else { continue }
        state.inside.remove(name)
        state.outside.insert(name)
        leaving[name] = nil
      }
    }
    let names = Set(presences.keys)
    state.inside.formIntersection(names)
    state.outside.formIntersection(names)
    leaving = leaving.filter { names.contains($0.key) }
  }
}
