internal import BellhopCache
package import BellhopModel
internal import BellhopSync
internal import Glibc
internal import Synchronization

/// A reporter of the places that this device enters and leaves, for one account.
///
/// It appends each report to the outbox, so that it is sent once there is a connection. Several
/// processes of the device may run one: a report that the account already has is not repeated.
package final class PlaceReporter: Sendable {
  /// The time after which a device repeats that it is at a place.
  ///
  /// By ``Place/reportLifetime``, it would otherwise have left.
  static let repetition: Duration = .seconds(6 * 3600)
  /// The time between two checks for a repetition.
  private static let spacing: Duration = .seconds(3600)

  private struct State {
    /// The places whose state the device knows.
    var known = PlaceTracker.State()
    /// The learned places when they were last read: the file's time of modification.
    var file: Int64?
  }

  private let access: CacheAccess
  private let watch: PlaceWatch
  private let path: String
  private let now: @Sendable () -> Timestamp
  private let reported: @Sendable () -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - now: The store's time.
  ///   - reported: Called when a report is in the outbox.
  package init(
    access: CacheAccess, now: @escaping @Sendable () -> Timestamp,
    reported: @escaping @Sendable () -> Void
  ) {
    let file = LearnedPlacesFile(access.account.name, access.context)
    self.access = access
    self.now = now
    self.reported = reported
    path = file.path
    watch = PlaceWatch(file, environment: access.context.environment)
    state.withLock { $0.file = Self.modification(of: file.path) }
  }

  /// Reports until the task is cancelled. Call it once.
  package func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        await watch.run { known in
          state.withLock { $0.known = known }
          check()
        }
      }
      group.addTask { [self] in
        while !Task.isCancelled {
          try? await Task.sleep(for: Self.spacing, tolerance: .seconds(600))
          check()
        }
      }
    }
  }

  /// Checks again after a change of the cache: a place was added, or this device has learned one.
  package func dataChanged() {
    let modification = Self.modification(of: path)
    let isNew = state.withLock { state in
      defer { state.file = modification }
      return state.file != modification
    }
    if isNew { watch.checkAgain() } else { check() }
  }

  /// Reports where the device is, as far as the account does not have it yet.
  private func check() {
    let known = state.withLock { $0.known }
    guard !known.inside.isEmpty || !known.outside.isEmpty else { return }
    let presences = Dictionary(
      known.inside.map { ($0, true) } + known.outside.map { ($0, false) },
      uniquingKeysWith: { $1 })
    let operation = try? access.reportPlaces(
      presences, repeatingAfter: Self.repetition, now: now())
    if operation != nil { reported() }
  }

  private static func modification(of path: String) -> Int64? {
    var status = Glibc.stat()
    guard stat(path, &status) == 0 else { return nil }
    return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
  }
}

extension CacheAccess {
  /// Appends reports of this device's places to the outbox.
  ///
  /// Places that the user does not have are passed over, as are reports that the account has.
  ///
  /// - Parameters:
  ///   - presences: Whether the device is at each place.
  ///   - repetition: The time after which it repeats that it is at a place; nil for always.
  /// - Returns: The operation; nil if there is nothing to report.
  /// - Throws: `CacheError` or ``ClientError``.
  package func reportPlaces(
    _ presences: [String: Bool], repeatingAfter repetition: Duration?, now: Timestamp
  ) throws -> BellhopModel.Operation? {
    let places = try reader().appSettings(of: AppSettings.everyApp)?.places ?? [:]
    let changes = places.reports(
      presences, of: account.device, repeatingAfter: repetition, at: now)
    guard !changes.isEmpty else { return nil }
    var change = AppSettingsChange()
    change.places = changes
    let operation = Operation(
      id: context.newID(), target: .app(AppSettings.everyApp), mutation: .configure(change))
    _ = try storage().enqueue([operation], now: now, sealAfter: nil)
    return operation
  }
}
