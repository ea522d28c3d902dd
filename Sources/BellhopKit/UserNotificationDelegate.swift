public import BellhopModel

/// A program that handles the notifications of its own app (`UNUserNotificationCenterDelegate`).
///
/// A call may be repeated after a restart. A program that must not act twice stores the ids of what it
/// has handled.
public protocol UserNotificationDelegate: Sendable {
  /// Returns what happens with a notification that has arrived in the tray (`willPresent`).
  func willPresent(_ notification: FeedNotification) async -> NotificationPresentation

  /// Handles the user's response, made on any of their devices (`didReceive`).
  func didReceive(_ response: NotificationResponse) async

  /// Handles a notification with raw content only, which the user does not see.
  func didReceive(silent notification: FeedNotification) async

  /// Gives a token to the app's server (`didRegisterForRemoteNotificationsWithDeviceToken`).
  ///
  /// Called after ``UserDataFeed/registerForPublishing(app:)``, and for each token that replaces an
  /// earlier one. It may run at the same time as the other methods. Does nothing by default.
  func didReceive(publishToken token: PublishToken) async

  /// Handles a failed request for a token (`didFailToRegisterForRemoteNotificationsWithError`).
  ///
  /// The feed tries again by itself. Does nothing by default.
  func didFailToRegisterForPublishing(_ error: FeedError) async
}

extension UserNotificationDelegate {
  public func didReceive(publishToken token: PublishToken) async {}
  public func didFailToRegisterForPublishing(_ error: FeedError) async {}
}

/// The way in which a program presents a notification that has arrived.
public enum NotificationPresentation: Hashable, Sendable, CaseIterable {
  /// The notification stays as it is.
  case show
  /// The notification stays in the tray, marked as read on every device.
  case quiet
  /// The program has handled the notification: it is dismissed on every device.
  case handled
}

/// A user's response to a notification.
public struct NotificationResponse: Hashable, Sendable, Identifiable {
  public enum Kind: Hashable, Sendable {
    /// The user opened the notification.
    case opened
    /// The user dismissed the notification, without an action.
    case dismissed
    /// The user chose an action, with the text that they typed.
    case action(id: String, text: String?)
  }

  /// The operation that made the response, the same each time it is delivered.
  public let id: OperationID
  public let kind: Kind
  /// The notification as it is now.
  public let notification: FeedNotification
  /// The time of the response, by the store's clock, and the device that made it.
  public let at: Timestamp
  public let by: Author

  /// Creates the response that a notification's state contains; nil if there is none.
  init?(_ notification: FeedNotification) {
    let state = notification.notification.state.userActionState
    guard let change = state.change, let operation = change.operation else { return nil }
    switch (change.choice, state.value.kind) {
    case (let choice?, _): kind = .action(id: choice.id, text: choice.text)
    case (nil, .activated): kind = .opened
    case (nil, .dismissed): kind = .dismissed
    case (nil, .noInteraction), (nil, .snoozed): return nil
    }
    (id, at, by) = (operation, change.at, change.by)
    self.notification = notification
  }
}

extension UserNotificationChannel {
  /// Hands the notifications of an app and the responses to them to a delegate, in order.
  ///
  /// Returns when the feed stops or the task is cancelled. What happened while the program was not
  /// running is delivered if it continues from the position that it saved. The app's publish token
  /// is delivered at the start, if there is one, and whenever another one replaces it.
  ///
  /// - Parameters:
  ///   - position: The position that was saved last; nil for what happens from now on.
  ///   - save: Called after each batch with the position to continue from.
  /// - Throws: The errors of ``UserNotificationReader/readBatch(max:)``.
  public func deliver(
    ofApp app: String, to delegate: some UserNotificationDelegate,
    from position: ReaderPosition? = nil,
    saving save: @Sendable (ReaderPosition) async -> Void = { _ in }
  ) async throws(FeedError) {
    let reader = try makeReader(ReaderOptions(statuses: [.active], apps: [app]), at: position)
    let tokens = Task { await deliverTokens(ofApp: app, to: delegate) }
    defer { tokens.cancel() }
    var delivery = Delivery()
    while let batch = try await reader.nextBatch() {
      for case .active(let notification) in batch.changes {
        await deliver(notification, to: delegate, &delivery)
      }
      await save(batch.position)
    }
  }

  private func deliverTokens(
    ofApp app: String, to delegate: some UserNotificationDelegate
  ) async {
    let tokens = news.publishTokens()
    var last = news.token(ofApp: app)
    if let last { await delegate.didReceive(publishToken: last) }
    for await arrival in tokens where arrival.app == app {
      switch arrival.result {
      // The stream may begin with the token that was delivered at the start.
      case .success(let token) where token == last: break
      case .success(let token):
        last = token
        await delegate.didReceive(publishToken: token)
      case .failure(let error): await delegate.didFailToRegisterForPublishing(error)
      }
    }
  }

  private func deliver(
    _ notification: FeedNotification, to delegate: some UserNotificationDelegate,
    _ delivery: inout Delivery
  ) async {
    if let response = NotificationResponse(notification) {
      if delivery.isNew(.response(response.id)) { await delegate.didReceive(response) }
      return
    }
    guard notification.isArrival, delivery.isNew(notification.arrival) else { return }
    guard notification.notification.content.visual != nil else {
      return await delegate.didReceive(silent: notification)
    }
    // A notification that is gone meanwhile needs no change.
    switch await delegate.willPresent(notification) {
    case .show: break
    case .quiet: _ = try? await read(notification.id)
    case .handled:
      guard let made = try? await perform(.dismiss, on: notification.id) else { return }
      // The user did not make this change, so the delegate does not receive it as a response.
      _ = delivery.isNew(.response(made))
    }
  }
}

/// The things that were delivered most recently, each of which is delivered once.
private struct Delivery {
  enum Thing: Hashable {
    case response(OperationID)
    /// One publication of a notification with its repeats, or one of its deliveries by a trigger.
    ///
    /// The time of the next delivery tells the deliveries apart.
    case arrival(NotificationID, SequenceNumber, next: Timestamp?)
  }

  private static let countMax = 1000
  private var things: Set<Thing> = []
  private var order: [Thing] = []

  /// Records a thing; returns whether it was not delivered before.
  mutating func isNew(_ thing: Thing) -> Bool {
    guard things.insert(thing).inserted else { return false }
    order.append(thing)
    if order.count > Self.countMax { things.remove(order.removeFirst()) }
    return true
  }
}

extension FeedNotification {
  /// Whether the notification has not changed since it arrived in the tray.
  ///
  /// A silent one never enters the tray.
  fileprivate var isArrival: Bool {
    let state = notification.state
    guard !isPending, notification.content.trigger != nil || state.sequence == state.contentSequence
    else { return false }
    if notification.content.visual == nil { return placement != .scheduled && placement != .gone }
    return placement == .tray && state.userActionState.value == .noInteraction
      && state.readState.value == .unread
  }

  fileprivate var arrival: Delivery.Thing {
    .arrival(id, notification.state.meaningSequence, next: nextDelivery)
  }
}
