import BellhopModel

/// The settings of apps as shown: base with the pending operations applied (SYNC-13).
struct ShownSettings {
  /// The settings of all apps, ordered by app.
  let all: [AppSettings]

  /// - Parameter entries: The operations that change settings, in the order made.
  init(base: [AppSettings], entries: [OutboxEntry]) {
    var shown: [String: AppSettings] = [:]
    for settings in base { shown[settings.app] = settings }
    let known = shown
    for entry in entries {
      guard let app = entry.operation.app else { continue }
      // Base already contains it. Later settings from another device must not be hidden again.
      if let answered = entry.answered, let base = known[app], base.sequence >= answered {
        continue
      }
      shown[app] = entry.operation.apply(
        to: shown[app] ?? AppSettings(app: app), by: entry.author, at: entry.madeAt)
    }
    all = shown.values.sorted { $0.app.utf8.lexicographicallyPrecedes($1.app.utf8) }
  }
}

extension CacheLogic {
  /// Returns the settings of an app as shown, or nil if it was not configured.
  func shownSettings(of app: String) throws -> AppSettings? {
    let base = try transaction.appSettings(of: app)?.settings
    guard try !transaction.isOutboxEmpty() else { return base }
    return ShownSettings(
      base: base.map { [$0] } ?? [], entries: try transaction.entries(configuring: app)
    ).all.first
  }
}
