package import BellhopInbox
package import BellhopModel

extension ItemShelf {
  /// Each app with its counts, computed from scratch.
  package func appOverviews(at now: Timestamp) -> [AppOverview] {
    let delivered = items.values.map(\.item).filter {
      [.tray, .handled, .snoozed].contains(placement($0, at: now, on: .utc).placement)
    }
    return Dictionary(grouping: delivered) { $0.content.app }.map { app, items in
      let tray = items.filter { placement($0, at: now, on: .utc).placement == .tray }
      return AppOverview(
        key: AppKey(account: Self.account, app: app), tray: tray.count,
        unread: tray.count { $0.state.readState.value == .unread }, history: items.count,
        lastSeen: items.map(\.arrival).max())
    }.sorted { $0.key.app < $1.key.app }
  }

  /// The message with the user's settings of all apps.
  package var appsConfigured: Message {
    .account(
      .apps(
        settings.values.filter { !$0.areOfEveryApp }.sorted { $0.app < $1.app }, waiting: [],
        of: Self.account))
  }
}
