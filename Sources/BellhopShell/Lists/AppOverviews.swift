internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel

extension MergedReader {
  /// Returns an overview of each app with items, from counters, however many items there are.
  ///
  /// - Throws: `CacheError`.
  func appOverviews(of account: AccountName?) throws(CacheError) -> [AppOverview] {
    var overviews: [AppOverview] = []
    for reader in readers where account == nil || reader.account == account {
      overviews += try reader.appOverviews()
    }
    return overviews
  }
}

extension ListReader {
  fileprivate func appOverviews() throws(CacheError) -> [AppOverview] {
    let seen = try cache.lastArrivals()
    return try cache.apps().compactMap { summary in
      let totals = summary.totals
      let history = totals.history.count
      // Counters of an app without items remain at zero.
      guard history + totals.scheduled.count > 0 else { return nil }
      return AppOverview(
        key: AppKey(account: account, app: summary.app), tray: totals.tray.count,
        unread: totals.tray.unread, history: history, lastSeen: seen[summary.app])
    }
  }
}
