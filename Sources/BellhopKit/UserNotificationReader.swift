internal import BellhopCache
public import BellhopModel

/// The start of a reader and the filter of its changes.
public struct ReaderOptions: Hashable, Sendable {
  public enum Start: Hashable, Sendable {
    /// All stored notifications, the oldest arrival first, followed by later changes.
    case beginning
    /// Changes from now on.
    case end
  }

  public var start: Start
  /// The read states to include; nil for all.
  ///
  /// The states of a deleted notification are unknown, so that only ``statuses`` and ``apps`` apply
  /// to it.
  public var readStates: Set<ReadState>?
  public var actionStates: Set<UserActionState.Kind>?
  public var placements: Set<Placement>?
  public var statuses: Set<NotificationStatus>
  /// The apps whose notifications to include, wherever rules moved them; nil for all.
  public var apps: Set<String>?

  public init(
    start: Start = .end, readStates: Set<ReadState>? = nil,
    actionStates: Set<UserActionState.Kind>? = nil, placements: Set<Placement>? = nil,
    statuses: Set<NotificationStatus> = [.active, .deleted], apps: Set<String>? = nil
  ) {
    self.start = start
    self.readStates = readStates
    self.actionStates = actionStates
    self.placements = placements
    self.statuses = statuses
    self.apps = apps
  }

  func wants(_ change: CachedChange) -> Bool {
    switch change {
    case .removed(let item):
      return statuses.contains(.deleted) && apps?.contains(item.app) ?? true
    case .item(let item):
      let state = item.notification.state
      let placement = item.isPendingDelete ? .gone : item.placement
      return statuses.contains(.active)
        && apps?.contains(item.notification.content.app) ?? true
        && readStates?.contains(state.readState.value) ?? true
        && actionStates?.contains(state.userActionState.value.kind) ?? true
        && placements?.contains(placement) ?? true
    }
  }
}

/// The position of a reader, which a program can store in any coded form.
///
/// It is valid for the same folder and account, also after a restart, and regardless of which
/// process writes the cache.
public struct ReaderPosition: Hashable, Sendable, Codable {
  let value: ChangePosition

  init(_ value: ChangePosition) { self.value = value }

  public init(from decoder: any Decoder) throws { value = try ChangePosition(from: decoder) }
  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

/// The next changes for a reader.
public struct NotificationBatch: Hashable, Sendable {
  public var changes: [NotificationChange]
  /// The position after the changes, to store once they are handled.
  ///
  /// A reader that starts there continues with later changes.
  public var position: ReaderPosition
  /// Whether more can be read at once.
  ///
  /// An empty batch may have more, if the filter matches few of many changes.
  public var hasMore: Bool
}

/// A cursor over the changes of a feed's notifications, in their local order.
///
/// It reads the local copy, so that no call needs the network. A notification that changes several
/// times between two reads is returned once, in its current state.
///
/// A change is anything that the user would notice: new content, read or unread, handled, pinned,
/// snoozed and back in the tray, deleted. The store's acceptance of a local change is not one. A
/// delete that awaits the store is returned as `Placement.gone`, and as deleted once the store
/// has applied it. Changes are kept for 30 days, at most the last 100,000.
public actor UserNotificationReader {
  private let log: any ChangeReading
  private let options: ReaderOptions
  private let news: FeedEvents
  private var value: ChangePosition

  /// The maximum number of queries for one batch, so that no call takes long.
  private static let queriesMax = 32

  init(
    log: any ChangeReading, options: ReaderOptions, position: ReaderPosition?, news: FeedEvents
  ) throws(FeedError) {
    self.log = log
    self.options = options
    self.news = news
    value = try FeedError.wrapping {
      try position?.value ?? log.changePosition(at: ChangeStart(options.start))
    }
  }

  /// The position after the last batch that was read.
  public var position: ReaderPosition { ReaderPosition(value) }

  /// Returns the next changes, at most `max`; an empty batch at the end.
  ///
  /// - Throws: ``FeedError/positionTooOld`` or ``FeedError/positionElsewhere``, after which only
  ///   ``startOver(at:)`` helps; ``FeedError/cache(_:)``.
  public func readBatch(max: Int = 50) throws(FeedError) -> NotificationBatch {
    var changes: [CachedChange] = []
    var hasMore = true
    var queries = 0
    while hasMore, changes.count < Swift.max(1, max), queries < Self.queriesMax {
      let limit = Swift.max(1, max) - changes.count
      let answer = try FeedError.wrapping {
        try log.changes(after: value, limit: limit, where: options.wants)
      }
      switch answer {
      case .startOver(.tooOld): throw .positionTooOld
      case .startOver: throw .positionElsewhere
      case .batch(let batch):
        changes += batch.changes
        value = batch.position
        hasMore = batch.hasMore
      }
      queries += 1
    }
    return NotificationBatch(
      changes: changes.map { NotificationChange($0) }, position: position, hasMore: hasMore)
  }

  /// Returns the next changes, waiting for them if necessary.
  ///
  /// Nil after the feed was stopped or the task cancelled, and everything was read.
  ///
  /// - Throws: The errors of ``readBatch(max:)``.
  public func nextBatch(max: Int = 50) async throws(FeedError) -> NotificationBatch? {
    // The subscription begins before the first read, so that no change is missed.
    var changes = dataChanges().makeAsyncIterator()
    while true {
      let batch = try readBatch(max: max)
      if !batch.changes.isEmpty { return batch }
      if batch.hasMore {
        await Task.yield()
      } else if await changes.next(isolation: self) == nil {
        return nil
      }
    }
  }

  /// Returns a stream with an element whenever there may be changes to read.
  ///
  /// Changes that occur while the consumer is busy become one element. The stream ends with the
  /// feed, and with the task that reads it.
  public nonisolated func dataChanges() -> AsyncStream<Void> { news.dataChanges() }

  /// Returns to a start: the given one or, for nil, that of the options.
  ///
  /// - Throws: ``FeedError/cache(_:)``.
  public func startOver(at start: ReaderOptions.Start? = nil) throws(FeedError) {
    value = try FeedError.wrapping {
      try log.changePosition(at: ChangeStart(start ?? options.start))
    }
  }
}

extension ChangeStart {
  init(_ start: ReaderOptions.Start) {
    switch start {
    case .beginning: self = .beginning
    case .end: self = .end
    }
  }
}
