internal import BellhopModel

/// The search for the live item that a publication repeats.
struct RepeatSearch {
  let repeatKey: RepeatKey
  /// The key of the publication.
  let collapseKey: [UInt8]
  /// The newest live item with the key; nil if there is none.
  let holder: UserNotification?

  /// Returns the holder if the content repeats it.
  ///
  /// An item of another environment reaches other devices, and one that has expired is gone. Two texts
  /// may have the same key.
  func repeated(by content: Content, at now: Timestamp) -> UserNotification? {
    guard let holder, !holder.hasExpired(at: now),
      holder.content.extras.environment == content.extras.environment,
      content.isRepeat(of: holder.content, by: repeatKey)
    else { return nil }
    return holder
  }
}

extension StoreLogic {
  /// Searches for the live item that a publication repeats. Reads only.
  ///
  /// A rule decides before the settings of the app.
  ///
  /// - Returns: nil if the publication never repeats another one.
  func repeatSearch(
    for content: Content, by outcome: RuleOutcome, ledger: inout CounterUpdates,
    in state: any StoreReading
  ) throws -> RepeatSearch? {
    let ofApp = try ledger.app(content.app, in: state).repeats
    guard let repeatKey = outcome.collapse ?? ofApp,
      let collapseKey = content.collapseKey(repeatKey)
    else { return nil }
    return RepeatSearch(
      repeatKey: repeatKey, collapseKey: collapseKey,
      holder: try state.item(collapsedUnder: collapseKey, of: ledger.user))
  }

  /// Returns the live item with an app notification id, which may be one of several. It may have
  /// expired.
  ///
  /// - Parameter app: the app, not one of its aliases.
  func item(
    app: String, named appNotificationID: String, of user: UserID, in state: any StoreReading
  ) throws -> UserNotification? {
    if let item = try state.item(app: app, appNotificationID: appNotificationID, of: user) {
      return item
    }
    guard let alias = try state.alias(appNotificationID, app: app, of: user),
      case .live(let item)? = try state.row(alias.item, of: user)
    else { return nil }
    return item
  }

  /// Stores a publication in the live item that it repeats (SYNC-19).
  ///
  /// An item in the tray, or snoozed, stays in its place and counts on. Any other one returns to the
  /// top, unread, and begins a new round, unless the publication is a quiet update.
  ///
  /// - Parameter outcome: the decisions of the user's rules.
  func collapse(
    _ request: PublishRequest, into live: UserNotification, by outcome: RuleOutcome,
    ledger: inout CounterUpdates, at now: Timestamp, in transaction: any StoreTransaction
  ) throws -> Published {
    var content = request.content
    content.appNotificationID = live.content.appNotificationID ?? content.appNotificationID
    let resurfaces = !request.isQuietUpdate && !isOpen(live, at: now)
    let known = live.repeats ?? Repeats(firstAt: live.arrival)
    let sequence = try ledger.nextSequence(identity.start, at: now, in: transaction)
    var item = live
    if resurfaces {
      let author = Author(kind: .publisher, id: content.app, name: content.app)
      item =
        live.replaced(
          by: content, isQuiet: false, author: author, at: now, on: environment.wallClock
        ).item
      item.arrival = content.arrival(publishedAt: now)
      item.repeats =
        Mutant.countKept.isOn ? known.repeated(at: now) : known.newRound(at: now)
    } else {
      item.content = content
      item.repeats = known.repeated(at: now)
    }
    if resurfaces ? Mutant.resurfacedKeepsMeaning.isOn : !Mutant.repeatIsMeaning.isOn {
      item.state.noteRepeat(sequence, at: now)
    } else {
      item.state.noteContent(sequence, at: now)
    }
    item.state.resolved = nil
    applyRules(outcome, to: &item, runsAll: resurfaces, at: now)
    try replace(live, with: item, ledger: &ledger, in: transaction)
    try noteName(
      request.content, of: item, before: live, for: ledger.user, at: now, in: transaction)
    return Published(
      item: item, outcome: resurfaces ? .resurfaced : .updated, answered: request.content)
  }

  /// Whether the user has the item before them: in the tray, or snoozed.
  private func isOpen(_ item: UserNotification, at now: Timestamp) -> Bool {
    if Mutant.collapseStaysHandled.isOn { return true }
    return switch placement(item, at: now, on: environment.wallClock).placement {
    case .tray, .snoozed: true
    case .scheduled, .handled, .gone: false
    }
  }

  /// Stores the key under which repeats find an item that was just stored.
  ///
  /// - Parameter live: the item before; nil for a new one, which takes the key from any other item. An
  ///   item that was replaced does not.
  func setCollapseKey(
    of item: UserNotification, before live: UserNotification?, _ search: RepeatSearch?,
    for user: UserID, in transaction: any StoreTransaction
  ) throws {
    guard search != nil || live?.repeats != nil else { return }
    let holder = search?.holder.flatMap { $0.id == item.id ? nil : $0 }
    if live == nil, let holder {
      try transaction.setCollapseKey(nil, of: holder.id, user: user)
    }
    let key = live == nil || holder == nil ? search?.collapseKey : nil
    try transaction.setCollapseKey(key, of: item.id, user: user)
  }

  /// Records the app notification id of a publication to an item that has several.
  ///
  /// - Parameter content: the content of the request, with the id.
  func noteName(
    _ content: Content, of item: UserNotification, before live: UserNotification,
    for user: UserID, at now: Timestamp, in transaction: any StoreTransaction
  ) throws {
    guard let name = content.appNotificationID, let own = item.content.appNotificationID,
      item.repeats != nil, !Mutant.aliasForgotten.isOn
    else { return }
    let known = try transaction.aliases(of: item.id, user: user)
    guard name != own || !known.isEmpty else { return }
    if known.isEmpty {
      let first = live.repeats?.last ?? live.arrival
      try transaction.put(
        ItemAlias(app: content.app, appNotificationID: own, item: item.id, at: first), of: user)
    }
    try transaction.put(
      ItemAlias(app: content.app, appNotificationID: name, item: item.id, at: now), of: user)
    let others = known.filter { ![name, own].contains($0.appNotificationID) }
    if others.count + 2 > ItemAlias.countMax, let oldest = others.first {
      try transaction.removeAlias(oldest.appNotificationID, app: oldest.app, of: user)
    }
  }
}
