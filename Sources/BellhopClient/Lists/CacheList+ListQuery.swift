package import BellhopCache
package import BellhopInbox

extension CacheList {
  /// Returns the cache's list for a query of the inbox.
  package init(_ query: ListQuery) {
    self =
      switch query {
      case .tray: .tray
      case .handled: .handled
      case .history: .history
      case .later: .later
      case .search(let words): .search(words)
      case .group(let group): TrayGroup(group).map { .trayGroup($0) } ?? .search("")
      case .narrowed(let whole, let filter): .narrowed(CacheList(whole), filter)
      }
  }
}

extension TrayGroup {
  /// Creates the tray group with the key's app and name; nil if no group has that name.
  package init?(_ key: GroupKey) { self.init(app: key.app, name: key.name) }
}
