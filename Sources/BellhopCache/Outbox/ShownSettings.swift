import BellhopModel

/// Settings of apps as they are shown: base with the pending operations applied (SYNC-13).
struct ShownSettings {
  /// By app.
  let all: [AppSettings]

  /// - Parameter entries: those that change settings, in the order made.
  init(base: [AppSettings], entries: [OutboxEntry]) {
    var shown: [String: AppSettings] = [:]
    for settings in base { shown[settings.app] = settings }
    let known = shown
    for entry in entries {
      guard let app = entry.operation.app else { continue }
      // Base already contains it; what another device set after it must not be hidden again.
      if let answered = entry.answered, let base = known[app], base.sequence >= answered {
        continue
      }
      shown[app] = entry.operation.apply(to: shown[app] ?? AppSettings(app: app))
    }
    all = shown.values.sorted { $0.app.utf8.lexicographicallyPrecedes($1.app.utf8) }
  }
}

extension CacheLogic {
  /// The settings of an app as they are shown; nil when nobody has configured it.
  func shownSettings(of app: String) throws -> AppSettings? {
    let base = try transaction.appSettings(of: app)?.settings
    guard try !transaction.isOutboxEmpty() else { return base }
    return ShownSettings(
      base: base.map { [$0] } ?? [], entries: try transaction.entries(configuring: app)
    ).all.first
  }
}
