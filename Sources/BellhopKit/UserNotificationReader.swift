internal import BellhopCache
public import BellhopModel

/// Where a reader begins, and what it is told.
public struct ReaderOptions: Hashable, Sendable {
  public enum Start: Hashable, Sendable {
    /// With everything that is kept, oldest arrival first; then what changes.
    case beginning
    /// With what changes from now on.
    case end
  }

  public var start: Start
  /// Only these; nil for all. Of a deleted notification no state is known: it is told when
  /// ``statuses`` says so.
  public var readStates: Set<ReadState>?
  public var actionStates: Set<UserActionState.Kind>?
  public var placements: Set<Placement>?
  public var statuses: Set<NotificationStatus>
  /// Only of these apps; nil for all.
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

/// How far a reader has come. To be kept by the program, in any coded form; good for the same folder
/// and account, after a restart too, and whichever process writes the cache meanwhile.
public struct ReaderPosition: Hashable, Sendable, Codable {
  let value: ChangePosition

  init(_ value: ChangePosition) { self.value = value }

  public init(from decoder: any Decoder) throws { value = try ChangePosition(from: decoder) }
  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

/// The next changes a reader was told.
public struct NotificationBatch: Hashable, Sendable {
  public var changes: [NotificationChange]
  /// To be kept once the changes are handled: a reader that begins there is told what follows.
  public var position: ReaderPosition
  /// Whether there is more to read at once. A batch may be empty and have more, where few of many
  /// changes are wanted.
  public var hasMore: Bool
}

/// A cursor over the changes of a feed's notifications, in the order in which they came in here.
///
/// It reads the local copy: no call needs the network. A notification that changes several times
/// between two reads is told once, as it is now. A change is what a person would see: new content,
/// read or not, handled, kept, snoozed and back, deleted. That the store took in what was done here
/// is none. A delete that waits for the store is told as ``Placement/gone``, and as deleted once it
/// is true. Changes are remembered for 30 days, the last 100,000 of them.
public actor UserNotificationReader {
  private let log: any ChangeReading
  private let options: ReaderOptions
  private let news: FeedNews
  private var value: ChangePosition

  /// Calls on the log for one batch, so that none takes long.
  private static let looksMax = 32

  init(
    log: any ChangeReading, options: ReaderOptions, position: ReaderPosition?, news: FeedNews
  ) throws(FeedError) {
    self.log = log
    self.options = options
    self.news = news
    do throws(CacheError) {
      if let position {
        value = position.value
      } else {
        value = try log.changePosition(at: ChangeStart(options.start))
      }
    } catch {
      throw FeedError(error)
    }
  }

  /// Behind the last batch that was read.
  public var position: ReaderPosition { ReaderPosition(value) }

  /// The next changes, at most `max`; an empty batch at the end.
  ///
  /// - Throws: ``FeedError/positionTooOld`` or ``FeedError/positionElsewhere``, after which only
  ///   ``startOver(at:)`` helps; ``FeedError/cache(_:)``.
  public func readBatch(max: Int = 50) throws(FeedError) -> NotificationBatch {
    var changes: [CachedChange] = []
    var hasMore = true
    var looks = 0
    while hasMore, changes.count < Swift.max(1, max), looks < Self.looksMax {
      let limit = Swift.max(1, max) - changes.count
      let answer: ChangesAnswer
      do throws(CacheError) {
        answer = try log.changes(after: value, limit: limit, where: options.wants)
      } catch {
        throw FeedError(error)
      }
      switch answer {
      case .startOver(.tooOld): throw .positionTooOld
      case .startOver: throw .positionElsewhere
      case .batch(let batch):
        changes += batch.changes
        value = batch.position
        hasMore = batch.hasMore
      }
      looks += 1
    }
    return NotificationBatch(
      changes: changes.map { NotificationChange($0) }, position: position, hasMore: hasMore)
  }

  /// The next changes, as soon as there are some; nil when the feed was stopped, or the task
  /// cancelled, and everything was read.
  ///
  /// - Throws: as ``readBatch(max:)``.
  public func nextBatch(max: Int = 50) async throws(FeedError) -> NotificationBatch? {
    // Heard from before the look: nothing falls between.
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

  /// An element whenever there may be something to read; several changes are one element while
  /// nobody looks. It ends with the feed, and with the task that reads it.
  public nonisolated func dataChanges() -> AsyncStream<Void> { news.dataChanges() }

  /// Begins anew, as the reader was told to, or there.
  public func startOver(at start: ReaderOptions.Start? = nil) throws(FeedError) {
    do throws(CacheError) {
      value = try log.changePosition(at: ChangeStart(start ?? options.start))
    } catch {
      throw FeedError(error)
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
