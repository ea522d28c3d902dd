public import BellhopModel

/// A page of a first synchronisation or of a delta.
///
/// In JSON the ends are links, as Graph has them; here they are the tokens inside the links.
///
/// Items are the rows of `value`. Settings of apps are rows of their own kind, each in the form of
/// ``AppSettings`` and with its own `sequence`, in the annotation `@bellhop.apps`, which is left out
/// when no app was configured since: a client that does not know an annotation passes over it, and
/// every element of `value` stays an item. Both are in change order, and both go as far as the page
/// goes. In a first synchronisation the first page has the settings of all apps.
public struct DeltaPayload: Hashable, Sendable, Codable {
  /// What follows the page.
  public enum End: Hashable, Sendable {
    /// `@odata.nextLink`: ask for ``Route/deltaPage(_:)`` with this text.
    case next(page: String)
    /// `@odata.deltaLink`: nothing more; ask for ``Route/deltaSince(_:)`` later.
    case complete(DeltaToken)
  }

  public var changes: [Change]
  public var end: End
  /// First synchronisation: the position at which paging began (SYNC-14).
  public var started: DeltaToken?
  /// The user's change counter when the page was read.
  public var sequence: SequenceNumber
  /// The life of the store's data that the sequence counts in.
  public var epoch: Epoch
  /// First synchronisation: how many items the user has, for showing progress; those that expired
  /// just now may be among them. Nil in a delta, and from stores that do not say it.
  public var itemCount: Int?
  /// When the store was started again since the request's token was made: up to here, what was read
  /// before is still the store's past. A client that holds later rows has them from a past that was
  /// lost, as when an older data directory was put in place, and begins again as after a `410`.
  public var validThrough: SequenceNumber?
  /// What links begin with: `https://host`, or nothing for relative links. Decoding ignores it.
  public var linkBase: String

  public init(
    changes: [Change], end: End, started: DeltaToken?, sequence: SequenceNumber, epoch: Epoch,
    validThrough: SequenceNumber? = nil, itemCount: Int? = nil, linkBase: String = ""
  ) {
    self.itemCount = itemCount
    self.changes = changes
    self.end = end
    self.started = started
    self.sequence = sequence
    self.epoch = epoch
    self.validThrough = validThrough
    self.linkBase = linkBase
  }

  private enum CodingKeys: String, CodingKey {
    case value
    case apps = "@bellhop.apps"
    case nextLink = "@odata.nextLink"
    case deltaLink = "@odata.deltaLink"
    case startLink = "@bellhop.startLink"
    case sequence = "@bellhop.sequence"
    case epoch = "@bellhop.epoch"
    case itemCount = "@bellhop.itemCount"
    case validThrough = "@bellhop.validThrough"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let rows = try container.decode([ChangePayload].self, forKey: .value).map(\.change)
    let apps = try container.decodeIfPresent([AppSettings].self, forKey: .apps) ?? []
    sequence = try container.decode(SequenceNumber.self, forKey: .sequence)
    epoch = try container.decode(Epoch.self, forKey: .epoch)
    itemCount = try container.decodeIfPresent(Int.self, forKey: .itemCount)
    validThrough = try container.decodeIfPresent(SequenceNumber.self, forKey: .validThrough)
    linkBase = ""
    func token(_ key: CodingKeys, _ parameter: String) throws -> String? {
      guard let link = try container.decodeIfPresent(String.self, forKey: key) else { return nil }
      guard let token = Route.parameter(parameter, of: link), !token.isEmpty else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: "expected a link with \(parameter)")
      }
      return token
    }
    started = try token(.startLink, "$deltatoken").map { DeltaToken($0) }
    changes = Self.changes(rows, apps, isFirstSync: started != nil)
    if let page = try token(.nextLink, "$skiptoken") {
      end = .next(page: page)
    } else if let position = try token(.deltaLink, "$deltatoken") {
      end = .complete(DeltaToken(position))
    } else {
      throw DecodingError.dataCorruptedError(
        forKey: .deltaLink, in: container,
        debugDescription: "expected @odata.nextLink or @odata.deltaLink")
    }
  }

  /// Both kinds of rows as they were before the codec parted them: in change order, or settings first
  /// in a first synchronisation, whose items are ordered by arrival.
  static func changes(
    _ rows: [Change], _ apps: [AppSettings], isFirstSync: Bool
  ) -> [Change] {
    if apps.isEmpty { return rows }
    let settings = apps.map(Change.app)
    return isFirstSync
      ? settings + rows : (settings + rows).sorted { $0.sequence < $1.sequence }
  }

  /// The rows that are no items.
  var apps: [AppSettings] {
    changes.compactMap { if case .app(let settings) = $0 { settings } else { nil } }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(changes.compactMap(ChangePayload.init), forKey: .value)
    let apps = apps
    if !apps.isEmpty { try container.encode(apps, forKey: .apps) }
    try container.encode(sequence, forKey: .sequence)
    try container.encode(epoch, forKey: .epoch)
    try container.encodeIfPresent(itemCount, forKey: .itemCount)
    try container.encodeIfPresent(validThrough, forKey: .validThrough)
    if let started {
      try container.encode(linkBase + Route.deltaSince(started).path, forKey: .startLink)
    }
    switch end {
    case .next(let page):
      try container.encode(linkBase + Route.deltaPage(page).path, forKey: .nextLink)
    case .complete(let token):
      try container.encode(linkBase + Route.deltaSince(token).path, forKey: .deltaLink)
    }
  }
}

/// One row of `value`. A row with `payload` is a whole item, one with `@removed` a tombstone; any
/// other carries the state alone.
struct ChangePayload: Hashable, Sendable, Codable {
  var change: Change

  /// Nil for settings, which are no row of `value`.
  init?(_ change: Change) {
    if case .app = change { return nil }
    self.change = change
  }

  private struct Removal: Codable {
    var reason: String
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: ItemKey.self)
    if container.contains(.payload) {
      change = .item(try NotificationPayload(from: decoder).item)
      return
    }
    let id = try container.decode(NotificationID.self, forKey: .id)
    if container.contains(.removed) {
      change = .removed(
        id, sequence: try container.decode(SequenceNumber.self, forKey: .sequence))
    } else {
      change = .state(id, try StateCoding.decode(from: container))
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch change {
    case .item(let item):
      try NotificationPayload(item).encode(to: encoder)
    case .state(let id, let state):
      var container = ItemWriter(encoder)
      try container.encode(NotificationPayload.entityTag(state), forKey: .etag)
      try container.encode(id, forKey: .id)
      try StateCoding.encode(state, into: &container)
    case .removed(let id, let sequence):
      var container = ItemWriter(encoder)
      try container.encode(id, forKey: .id)
      try container.encode(sequence, forKey: .sequence)
      try container.encode(Removal(reason: "deleted"), forKey: .removed)
    case .app: break
    }
  }
}
