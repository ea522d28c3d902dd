internal import BellhopCache
public import BellhopModel
internal import Synchronization

/// The notifications of a feed, with methods to get, handle and follow them.
///
/// A change takes effect locally before the call returns, survives a power loss, and is sent by the
/// process that synchronises. A user handles only what they have seen: if the publisher has
/// replaced the notification in the meantime, the store does not change it, and
/// ``FeedEvent/undone(_:)`` reports the rejected change.
public final class UserNotificationChannel: Sendable {
  private let parts: FeedParts
  let news: FeedEvents
  private let shared = Mutex<Shared>(Shared())

  private struct Shared {
    weak var feed: UserDataFeed?
    var reader: (any ChangeReading)?
    var ids: UniqueIDSource?
  }

  init(parts: FeedParts, news: FeedEvents) {
    self.parts = parts
    self.news = news
  }

  func attach(_ feed: UserDataFeed) { shared.withLock { $0.feed = feed } }

  // MARK: Reading

  /// Returns the local state of the notification with this id; nil if there is none.
  ///
  /// - Throws: ``FeedError/cache(_:)``.
  public func notification(_ id: NotificationID) throws(FeedError) -> FeedNotification? {
    try FeedError.wrapping { try reader().item(id).map { FeedNotification($0) } }
  }

  /// Returns a reader of changes.
  ///
  /// - Parameter position: The position of an earlier reader; nil starts as the options say. The
  ///   first read throws if the position is no longer valid.
  /// - Throws: ``FeedError/cache(_:)``.
  public func makeReader(
    _ options: ReaderOptions = ReaderOptions(), at position: ReaderPosition? = nil
  ) throws(FeedError) -> UserNotificationReader {
    let log = try FeedError.wrapping { try newReader() }
    return try UserNotificationReader(log: log, options: options, position: position, news: news)
  }

  // MARK: Publishing

  /// Publishes a notification of this user, as `UNUserNotificationCenter.add(_:)` does.
  ///
  /// It is among the notifications before the call returns, and a delayed one or one with a trigger is
  /// delivered in time, even without a connection. It keeps its id when it has been sent, unless it
  /// replaces a notification with the same app notification id: then it is that one. The store may
  /// refuse it, for content that exceeds its limits or an app that the user has denied;
  /// ``FeedEvent/undone(_:)`` reports that.
  ///
  /// - Parameter content: The content. Its attachments must be links.
  /// - Returns: The id of the notification.
  /// - Throws: ``FeedError/cache(_:)``; then nothing was published.
  @discardableResult
  public func publish(_ content: Content) async throws(FeedError) -> NotificationID {
    let id: OperationID
    do {
      let storage = try parts.storage()
      let now = parts.localTime().advanced(by: try storage.syncState().clockOffset)
      id = nextID(at: now)
      _ = try storage.enqueue(
        [Operation(id: id, publishing: content, at: now)], now: now, sealAfter: nil)
    } catch {
      throw FeedError(wrapping: error)
    }
    await shared.withLock({ $0.feed })?.outboxChanged()
    return NotificationID(sameAs: id)
  }

  // MARK: Handling

  /// Marks the notification as read; it stays in the tray.
  public func read(_ id: NotificationID) async throws(FeedError) {
    try await perform(.read, on: id)
  }

  /// Marks the notification as unread.
  public func unread(_ id: NotificationID) async throws(FeedError) {
    try await perform(.unread, on: id)
  }

  /// Marks the notification as activated and read, after the user opened it.
  public func activate(_ id: NotificationID) async throws(FeedError) {
    try await perform(.activate, on: id)
  }

  /// Dismisses the notification: removes it from every tray, but not from the history.
  public func dismiss(_ id: NotificationID) async throws(FeedError) {
    try await perform(.dismiss, on: id)
  }

  /// Snoozes the notification: removes it from every tray until a time on the store's clock.
  ///
  /// The store does not change a notification that expires before that time;
  /// ``FeedEvent/undone(_:)`` reports it.
  public func snooze(_ id: NotificationID, until: Timestamp) async throws(FeedError) {
    try await perform(.snooze(until: until), on: id)
  }

  /// Returns the notification to the tray.
  public func restore(_ id: NotificationID) async throws(FeedError) {
    try await perform(.restore, on: id)
  }

  /// Cancels the deliveries by the notification's trigger. Its latest delivery stays as it is.
  public func cancelDeliveries(of id: NotificationID) async throws(FeedError) {
    try await perform(.cancel, on: id)
  }

  /// Resumes the deliveries by the notification's trigger.
  public func resumeDeliveries(of id: NotificationID) async throws(FeedError) {
    try await perform(.resume, on: id)
  }

  /// Returns the notification's actions: its own, and those of its category as they are now.
  ///
  /// - Throws: ``FeedError/noSuchNotification``, ``FeedError/cache(_:)``.
  public func actions(of id: NotificationID) throws(FeedError) -> [ContentExtras.Action] {
    try FeedError.wrapping {
      guard let item = try reader().item(id) else { throw FeedError.noSuchNotification }
      return item.notification.actions(with: try reader().category(of: item.notification))
    }
  }

  /// Returns the user's settings of an app: whether it may notify, and in which ways.
  ///
  /// An app without settings of its own is authorized.
  ///
  /// - Throws: ``FeedError/cache(_:)``.
  public func settings(ofApp app: String) throws(FeedError) -> AppSettings {
    try FeedError.wrapping { try reader().appSettings(of: app) ?? AppSettings(app: app) }
  }

  /// Returns the user's places by name, with the devices that are there.
  ///
  /// - Throws: ``FeedError/cache(_:)``.
  public func places() throws(FeedError) -> [String: Place] {
    try settings(ofApp: AppSettings.everyApp).places
  }

  /// Reports that this device is at a place of the user, or no longer there.
  ///
  /// Items that wait for it arrive on every device. Has no effect if the user has no such place. A
  /// device that stays must repeat the report within `Place.reportLifetime`.
  ///
  /// - Throws: ``FeedError/cache(_:)``.
  public func report(isInside: Bool, place name: String) async throws(FeedError) {
    let places = try places()
    do {
      let storage = try parts.storage()
      let state = try storage.syncState()
      let now = parts.localTime().advanced(by: state.clockOffset)
      var change = AppSettingsChange()
      change.places = places.reports(
        [name: isInside], of: state.author?.device ?? DeviceID(""), repeatingAfter: nil, at: now)
      guard change.places?.isEmpty == false else { return }
      let operation = Operation(
        id: nextID(at: now), target: .app(AppSettings.everyApp), mutation: .configure(change))
      _ = try storage.enqueue([operation], now: now, sealAfter: nil)
    } catch {
      throw FeedError(wrapping: error)
    }
    await shared.withLock({ $0.feed })?.outboxChanged()
  }

  /// Chooses an action of the notification, as ``actions(of:)`` returned it.
  ///
  /// Every device shows the choice, and the app learns of it. The caller performs what the action does
  /// besides, such as opening its link. A choice of an action that changed meanwhile has no effect;
  /// ``FeedEvent/undone(_:)`` reports it.
  ///
  /// - Parameter text: The text that the user typed; only for a reply.
  public func choose(
    _ action: ContentExtras.Action, text: String? = nil, of id: NotificationID
  ) async throws(FeedError) {
    try await perform(
      action.has(.clear) ? .dismiss : .activate, on: id,
      choosing: ActionChoice(action, text: text))
  }

  /// Deletes the notification, on every device and for good.
  public func delete(_ id: NotificationID) async throws(FeedError) {
    try await perform(.delete, on: id)
  }

  /// - Returns: The operation that was made.
  /// - Throws: ``FeedError/noSuchNotification``, ``FeedError/cache(_:)``.
  @discardableResult
  func perform(
    _ command: ItemCommand, on id: NotificationID, choosing choice: ActionChoice? = nil
  ) async throws(FeedError) -> OperationID {
    let made: OperationID
    do {
      guard let item = try reader().item(id), !item.isPendingDelete else {
        throw FeedError.noSuchNotification
      }
      let storage = try parts.storage()
      let now = parts.localTime().advanced(by: try storage.syncState().clockOffset)
      let operation = Operation(
        id: nextID(at: now), onShown: id, item.version,
        mutation: command.mutation.choosing(choice))
      made = operation.id
      _ = try storage.enqueue([operation], now: now, sealAfter: nil)
    } catch {
      throw FeedError(wrapping: error)
    }
    await shared.withLock({ $0.feed })?.outboxChanged()
    return made
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
    // Creates the cache, or migrates it, if necessary.
    _ = try parts.storage()
    return try parts.reader()
  }
}
