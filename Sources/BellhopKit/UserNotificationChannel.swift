internal import BellhopCache
public import BellhopModel
internal import Synchronization

/// The notifications of a feed: to get one, to handle it, and to follow what changes.
///
/// What is done holds here when the call returns, survives a power loss, and is sent by whichever
/// process synchronises. Nobody handles what they have not seen: when the notification was published
/// anew meanwhile, the store leaves it alone, and ``FeedEvent/undone(_:)`` says so.
public final class UserNotificationChannel: Sendable {
  private let parts: FeedParts
  private let news: FeedNews
  private let shared = Mutex<Shared>(Shared())

  private struct Shared {
    weak var feed: UserDataFeed?
    var reader: (any ChangeReading)?
    var ids: UniqueIDSource?
  }

  init(parts: FeedParts, news: FeedNews) {
    self.parts = parts
    self.news = news
  }

  func attach(_ feed: UserDataFeed) { shared.withLock { $0.feed = feed } }

  // MARK: Getting

  /// The notification with this id as it is here; nil when there is none.
  ///
  /// - Throws: ``FeedError/cache(_:)``.
  public func notification(_ id: NotificationID) throws(FeedError) -> FeedNotification? {
    do {
      return try reader().item(id).map { FeedNotification($0) }
    } catch {
      throw FeedError(wrapping: error)
    }
  }

  /// A reader of changes.
  ///
  /// - Parameter position: where an earlier reader stood; nil begins as the options say. A position
  ///   that is of no use any more is told by the first read.
  /// - Throws: ``FeedError/cache(_:)``.
  public func makeReader(
    _ options: ReaderOptions = ReaderOptions(), at position: ReaderPosition? = nil
  ) throws(FeedError) -> UserNotificationReader {
    let log: any ChangeReading
    do {
      log = try newReader()
    } catch {
      throw FeedError(wrapping: error)
    }
    return try UserNotificationReader(log: log, options: options, position: position, news: news)
  }

  // MARK: Handling

  /// Marks it read; it stays in the tray.
  public func read(_ id: NotificationID) async throws(FeedError) {
    try await perform(.read, on: id)
  }

  /// Marks it unread again.
  public func unread(_ id: NotificationID) async throws(FeedError) {
    try await perform(.unread, on: id)
  }

  /// It was opened: handled and read.
  public func activate(_ id: NotificationID) async throws(FeedError) {
    try await perform(.activate, on: id)
  }

  /// Takes it out of every tray; the history keeps it.
  public func dismiss(_ id: NotificationID) async throws(FeedError) {
    try await perform(.dismiss, on: id)
  }

  /// Takes it out of every tray until that time, by the store's clock. One that expires before is
  /// left alone, which ``FeedEvent/undone(_:)`` tells.
  public func snooze(_ id: NotificationID, until: Timestamp) async throws(FeedError) {
    try await perform(.snooze(until: until), on: id)
  }

  /// Puts it back into the tray.
  public func restore(_ id: NotificationID) async throws(FeedError) {
    try await perform(.restore, on: id)
  }

  /// Deletes it, on every device and for good.
  public func delete(_ id: NotificationID) async throws(FeedError) {
    try await perform(.delete, on: id)
  }

  /// - Throws: ``FeedError/noSuchNotification``, ``FeedError/cache(_:)``.
  private func perform(_ verb: Verb, on id: NotificationID) async throws(FeedError) {
    do {
      guard let item = try reader().item(id), !item.isPendingDelete else {
        throw FeedError.noSuchNotification
      }
      let storage = try parts.storage()
      let now = parts.localTime().advanced(by: try storage.syncState().clockOffset)
      let operation = Operation(
        id: nextID(at: now), target: .item(id), mutation: verb.mutation,
        seen: item.notification.state.contentSequence)
      _ = try storage.enqueue([operation], now: now, sealAfter: nil)
    } catch {
      throw FeedError(wrapping: error)
    }
    await shared.withLock({ $0.feed })?.outboxChanged()
  }

  private func nextID(at now: Timestamp) -> OperationID {
    let random = parts.random
    return shared.withLock { shared in
      var ids = shared.ids ?? UniqueIDSource(random: random)
      defer { shared.ids = ids }
      return ids.next(at: now)
    }
  }

  private func reader() throws -> any ChangeReading {
    if let reader = shared.withLock({ $0.reader }) { return reader }
    let reader = try newReader()
    shared.withLock { $0.reader = reader }
    return reader
  }

  private func newReader() throws -> any ChangeReading {
    // Makes the cache, or brings it up to date, where that is needed.
    _ = try parts.storage()
    return try parts.reader()
  }
}
