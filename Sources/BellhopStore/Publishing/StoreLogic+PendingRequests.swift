package import BellhopModel

/// An item that is still to be delivered, or will be delivered again.
///
/// Modelled on the pending requests of the UserNotifications framework.
package struct PendingRequest: Hashable, Sendable {
  package var item: UserNotification
  /// The time of the next delivery.
  package var next: Timestamp
}

/// A page of pending requests, by the time of their next delivery.
package struct PendingPage: Sendable {
  package var requests: [PendingRequest]
  /// The token of the next page; nil on the last one.
  package var next: PageToken?
}

/// Items of an app, as its publisher names them.
package struct ItemNames: Hashable, Sendable {
  package var ids: [NotificationID] = []
  package var appNotificationIDs: [String] = []

  /// Creates the names of the given items.
  package init(_ ids: NotificationID...) { self.ids = ids }

  package var isEmpty: Bool { ids.isEmpty && appNotificationIDs.isEmpty }
}

extension StoreLogic {
  /// Returns a page of pending requests: scheduled items, and items whose trigger will deliver them.
  ///
  /// An item that the user handled is pending like any other, but not one whose deliveries were
  /// cancelled. All items with a trigger are read for each page, so a page may have more than `rows`
  /// requests.
  ///
  /// A publisher's list does not show what its user did, which the publisher must not learn: an item
  /// that the user cancelled, or that a place delivered once, is still pending. Only an item that the
  /// publisher itself cancelled is not.
  ///
  /// - Parameters:
  ///   - app: the app of the items, or one of its aliases; nil for all apps.
  ///   - page: the token of the page; nil for the first one.
  ///   - isForPublisher: whether the list is a publisher's.
  ///   - reader: the environment of the reader; a publisher sees all of its own requests, as a
  ///     reader in development does.
  /// - Throws: ``StoreError/invalid(field:expectation:)`` for a token of another list.
  package func pendingRequests(
    of app: String?, page: PageToken?, rows: Int, isForPublisher: Bool, for user: UserID,
    reader: RegistrationEnvironment, in state: any StoreReading
  ) throws -> PendingPage {
    let now = now
    let clock = try wallClock(of: user, in: state)
    let app = try app.map { try self.app(named: $0, of: user, in: state) }
    var request = ListRequest(
      filter: app.map { .test(.compare(.publishedHostName, .equal, .text($0))) },
      order: OrderByClause(.arrival, isAscending: true), rows: rows, reader: reader)
    let start = ListPlace.arrival(.last(at: now))
    request.page = page ?? token(start, in: request, for: user)
    let scheduled = try list(request, for: user, in: state)
    let from = try request.page.map { try arrival(of: $0, in: request, for: user) } ?? now
    let through = try scheduled.next.map { try arrival(of: $0, in: request, for: user) }
    func next(_ item: UserNotification) -> Timestamp? {
      (isForPublisher ? item.asPublisherKnowsIt : item).nextDelivery(after: now, on: clock)
    }
    let triggered = try triggeredItems(of: user, reader: reader, in: state).filter { item in
      guard app == nil || item.content.app == app,
        let next = next(item)
      else { return false }
      return next > from && through.map { next <= $0 } ?? true
    }
    // An item with a trigger arrived when it was published, so the list has none of them.
    let requests = (scheduled.items + triggered).compactMap { item in
      next(item).map { PendingRequest(item: item, next: $0) }
    }
    return PendingPage(
      requests: requests.sorted { ($0.next, $0.item.shortNumber) < ($1.next, $1.item.shortNumber) },
      next: scheduled.next)
  }

  private func arrival(
    of token: PageToken, in request: ListRequest, for user: UserID
  ) throws -> Timestamp {
    switch try place(of: token, in: request, for: user).place {
    case .arrival(let key): key.arrival
    case .number: .distantFuture
    }
  }

  /// Returns the ids of an app's live items that have these names; others are passed over.
  package func ids(
    of names: ItemNames, app: String, for user: UserID, in state: any StoreReading
  ) throws -> [NotificationID] {
    let app = try self.app(named: app, of: user, in: state)
    let named = try names.appNotificationIDs.compactMap {
      try item(app: app, named: $0, of: user, in: state)?.id
    }
    return try named
      + names.ids.filter { try liveItem($0, of: user, in: state)?.content.app == app }
  }

  /// Cancels pending requests for their publisher. Ids of other items are passed over.
  ///
  /// An item that was never delivered is deleted. One that was delivered stays as it is, with what
  /// the user did with its latest occurrence. The publisher becomes the author of a cancellation that
  /// its user made before, so that the item leaves the publisher's list too.
  ///
  /// - Returns: the user's sequence afterwards.
  package func cancelRequests(
    _ ids: [NotificationID], for user: UserID, in transaction: any StoreTransaction
  ) throws -> SequenceNumber {
    let clock = try wallClock(of: user, in: transaction)
    return try change(ids, of: user, in: transaction) { item, now in
      // A pinned item may be delivered after its expiration, which its publisher does not know.
      guard
        item.nextDelivery(after: now, on: clock) != nil
          || item.asPublisherKnowsIt.nextDelivery(after: now, on: clock) != nil
      else { return nil }
      return item.delivered(by: now, on: clock) == nil
        ? .delete : .set(StateChange(cancelled: true))
    }
  }

  /// Removes delivered items for their publisher. Ids of other items are passed over.
  ///
  /// An item that will be delivered again stays, and its latest occurrence is dismissed. Others are
  /// deleted.
  ///
  /// - Returns: the user's sequence afterwards.
  package func removeDelivered(
    _ ids: [NotificationID], for user: UserID, in transaction: any StoreTransaction
  ) throws -> SequenceNumber {
    let clock = try wallClock(of: user, in: transaction)
    return try change(ids, of: user, in: transaction) { item, now in
      guard let delivered = item.delivered(by: now, on: clock) else { return nil }
      guard item.nextDelivery(after: now, on: clock) != nil else { return .delete }
      switch delivered.state.userActionState.value {
      case .activated, .dismissed: return nil
      case .noInteraction, .snoozed: return .set(StateChange(userActionState: .dismissed))
      }
    }
  }

  /// A change that a publisher makes to one of its items.
  private enum PublisherChange {
    case delete
    case set(StateChange)
  }

  /// Makes a publisher's changes; items for which `change` returns nil stay as they are.
  ///
  /// - Returns: the user's sequence afterwards.
  private func change(
    _ ids: [NotificationID], of user: UserID, in transaction: any StoreTransaction,
    _ change: (UserNotification, _ now: Timestamp) -> PublisherChange?
  ) throws -> SequenceNumber {
    let now = now
    var ledger = try CounterUpdates(user, in: transaction)
    for id in ids {
      guard let item = try liveItem(id, of: user, in: transaction) else { continue }
      switch change(item, now) {
      case nil: break
      case .delete: try replaceWithTombstone(item, ledger: &ledger, at: now, in: transaction)
      case .set(let change):
        let app = item.content.app
        _ = try apply(
          Operation(id: newID(), target: .item(item.id), mutation: .set(change)), to: item,
          by: Author(kind: .publisher, id: app, name: app), ledger: &ledger, at: now,
          in: transaction)
      }
    }
    try ledger.close(in: transaction)
    return ledger.counters.sequence
  }

  /// Returns the ids of an app's items with a trigger.
  package func triggeredIDs(
    of app: String, for user: UserID, in state: any StoreReading
  ) throws -> [NotificationID] {
    let app = try self.app(named: app, of: user, in: state)
    return try triggeredItems(of: user, in: state).filter { $0.content.app == app }.map(\.id)
  }

  /// Returns the next of an app's items without a trigger, newest first.
  package func items(
    of app: String, below place: ArrivalKey?, for user: UserID, in state: any StoreReading
  ) throws -> BulkMatches {
    var predicate = Predicate()
    predicate.app = try self.app(named: app, of: user, in: state)
    let query = BulkQuery(
      now: expiryNow, below: place, predicate: predicate, itemsMax: limits.sweepItemsMax,
      scanMax: limits.listScanMax)
    return try state.matches(query, of: user, until: deadline(after: limits.listTimeMax))
  }
}

extension UserNotification {
  /// The item without anything that its user and their devices did.
  ///
  /// The registers have the values of publication, except a cancellation by the publisher itself.
  fileprivate var asPublisherKnowsIt: UserNotification {
    var item = self
    item.state.crossed = nil
    item.state.registers = ItemRegisters()
    if state.cancelled.value, state.cancelled.change?.by.kind == .publisher {
      item.state.cancelled = state.cancelled
    }
    return item
  }
}

extension ItemNames {
  /// The most names in one request.
  package static let countMax = 100
}
