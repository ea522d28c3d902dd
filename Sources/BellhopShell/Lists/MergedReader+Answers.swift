internal import BellhopCache
internal import BellhopInbox
internal import BellhopModel

extension MergedReader {
  /// Returns the answer to a request of the inbox. Searches and narrowed lists may take long.
  ///
  /// - Parameter midnight: The start of today in the screen's zone.
  /// - Throws: `CacheError`.
  func answer(_ read: CacheRead, since midnight: Timestamp) throws(CacheError) -> CacheAnswer {
    switch read {
    case .window(let query, let request):
      return .window(query, request, try window(query, request))
    case .detail(let key, let serial): return .detail(key, serial: serial, try detail(key))
    case .items(let keys): return .items(keys, try rows(of: keys))
    case .counts(let serial, let account):
      return .counts(serial: serial, try counts(since: midnight, of: account))
    case .actions(let key): return .actions(key, try detail(key))
    case .attachments(let key): return .attachments(key, try detail(key))
    case .schedule(let key): return .schedule(key, try detail(key))
    case .apps: return .apps(try appNames())
    case .texts(let keys, let use):
      var asJSON = false
      if case .pipe(_, let isWanted) = use { asJSON = isWanted }
      return .texts(use, try texts(keys, asJSON: asJSON))
    case .inspection(let key, let serial):
      return .inspection(key, serial: serial, try inspection(key))
    case .appOverviews(let serial, let account):
      return .appOverviews(serial: serial, try appOverviews(of: account))
    }
  }
}

extension ZoneRules {
  /// Returns the start of the day that contains an instant.
  func midnight(before instant: Timestamp) -> Timestamp {
    var local = local(instant)
    (local.hour, local.minute, local.second) = (0, 0, 0)
    return self.instant(of: local)
  }
}
