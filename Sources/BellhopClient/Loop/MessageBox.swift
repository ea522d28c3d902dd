internal import BellhopInbox
internal import BellhopModel
internal import Synchronization

/// Messages for the screen from other threads, in order.
///
/// Posting wakes the event loop out of its wait. ``Message/dataChanged`` is kept once, however often
/// it comes between two looks; while it comes all the time, as in a first synchronisation, it is given
/// out once in ``newsSpacing``, so that reading the lists anew leaves time for keys. What comes after
/// a pause, and the next news after that, need not wait: what people wait for comes behind a change of
/// the connection.
final class MessageBox: Sendable {
  /// Sixteen times a second: motion to the eye, and most of the time for other things.
  static let newsSpacing: Duration = .milliseconds(60)
  /// How long the confirmation of what the person did here may wait. The screen has shown it since
  /// the key; reading the lists anew would take time from the store and from the devices that are
  /// still to see it, and what the store says of it comes about then.
  static let confirmationDelay: Duration = .milliseconds(40)

  private struct State {
    var messages: [Message] = []
    var hasNews = false
    /// When news may be given out again.
    var newsDue: Duration?
    /// When news were given out last.
    var lastNews: Duration?
    /// When items were last said to have changed.
    var lastChange: Duration?
    /// When there will be news of what was given out for its lines alone.
    var lateNews: Duration?
    /// What waits until `confirmationsDue`.
    var confirmations: [Message] = []
    var confirmationsDue: Duration = .zero
    /// How accounts stand with their stores, where it can wait until `standingsDue`.
    var standings: [AccountName?: Message] = [:]
    var standingsDue: Duration = .zero

    /// Standings aside: what is posted while one waits must not wait with it.
    var isEmpty: Bool { messages.isEmpty && !hasNews && confirmations.isEmpty }

    mutating func takeStandings(at now: Duration) -> [Message] {
      guard now >= standingsDue, !standings.isEmpty else { return [] }
      defer { standings = [:] }
      return Array(standings.values)
    }
  }

  private let state = Mutex(State())
  private let elapsed: @Sendable () -> Duration
  private let wake: @Sendable () -> Void

  /// - Parameters:
  ///   - elapsed: a clock that does not step.
  ///   - wake: ends the event loop's wait; may be called from any thread.
  init(elapsed: @escaping @Sendable () -> Duration, wake: @escaping @Sendable () -> Void) {
    self.elapsed = elapsed
    self.wake = wake
  }

  convenience init(wake: @escaping @Sendable () -> Void) {
    let clock = ContinuousClock()
    let start = clock.now
    self.init(elapsed: { start.duration(to: clock.now) }, wake: wake)
  }

  func post(_ message: Message) {
    let isFirst = state.withLock { state in
      let wasEmpty = state.isEmpty
      if case .dataChanged = message {
        state.hasNews = true
      } else {
        state.messages.append(message)
        // News that wait for their time are no reason to let others wait.
        if state.messages.count == 1 { return true }
      }
      return wasEmpty
    }
    if isFirst { wake() }
  }

  /// Posts that something the person did here, and which the screen shows already, is in the cache.
  ///
  /// It is given out within ``confirmationDelay``, and news not before it: the lists are read anew
  /// once for all of it.
  func postConfirmation(_ message: Message) {
    let now = elapsed()
    let isFirst = state.withLock { state in
      let wasEmpty = state.isEmpty
      if state.confirmations.isEmpty { state.confirmationsDue = now + Self.confirmationDelay }
      state.confirmations.append(message)
      return wasEmpty
    }
    // So that the loop's next wait is not longer than that.
    if isFirst { wake() }
  }

  /// Posts that these items were changed elsewhere: given out at once for their lines alone, and as
  /// news within ``confirmationDelay``. What comes all the time is news only.
  func postChange(of items: [ItemKey]) {
    let now = elapsed()
    let isAlone = state.withLock { state in
      defer { state.lastChange = now }
      guard state.lastChange.map({ now - $0 > Self.newsSpacing }) ?? true else { return false }
      state.lateNews = state.lateNews ?? now + Self.confirmationDelay
      return true
    }
    post(isAlone ? .itemsChanged(items) : .dataChanged)
  }

  /// Posts how an account stands with its store.
  ///
  /// - Parameter isMinor: whether only the number of waiting changes is another. Most are sent before
  ///   anybody could read that they wait: it is given out within ``confirmationDelay``, if nothing
  ///   newer takes its place.
  func postStanding(_ status: ConnectionStatus, of account: AccountName?, isMinor: Bool) {
    let message = Message.account(.connection(status, of: account))
    guard isMinor else {
      let isFirst = state.withLock { state in
        state.standings[account] = nil
        // News that wait for their time do not count: the loop may have looked before they moved
        // to the messages, and ask only afterwards how long it may sleep.
        let isFirst = state.messages.isEmpty
        // The screen reads received items before the status says that the account is live.
        if state.hasNews {
          (state.hasNews, state.lateNews) = (false, nil)
          state.messages.append(.dataChanged)
        }
        state.messages.append(message)
        return isFirst
      }
      if isFirst { wake() }
      return
    }
    let now = elapsed()
    let isFirst = state.withLock { state in
      let wasEmpty = state.isEmpty && state.standings.isEmpty
      if state.standings.isEmpty { state.standingsDue = now + Self.confirmationDelay }
      state.standings[account] = message
      return wasEmpty
    }
    if isFirst { wake() }
  }

  /// Takes everything that was posted, but for what has to wait for its time.
  func drain() -> [Message] {
    let now = elapsed()
    return state.withLock { state in
      if let late = state.lateNews, late <= now { state.hasNews = true }
      state.messages += state.takeStandings(at: now)
      defer { state.messages.removeAll(keepingCapacity: true) }
      let hasConfirmations = !state.confirmations.isEmpty
      if hasConfirmations, now < state.confirmationsDue { return state.messages }
      guard hasConfirmations || state.hasNews && now >= state.newsDue ?? now else {
        return state.messages
      }
      // A confirmation has the lists read anew as well.
      let late = hasConfirmations ? state.confirmations : [.dataChanged]
      state.confirmations = []
      (state.hasNews, state.lateNews) = (false, nil)
      let isAfterPause = state.lastNews.map { now - $0 > Self.newsSpacing * 2 } ?? true
      // What follows a confirmation is mostly what the store says of it.
      state.newsDue = isAfterPause && !hasConfirmations ? nil : now + Self.newsSpacing
      state.lastNews = now
      return state.messages + late
    }
  }

  /// How long the event loop may wait until it looks again without being woken; nil for as long as
  /// it likes.
  var wait: Duration? {
    let now = elapsed()
    return state.withLock { state in
      var due: [Duration] = state.standings.isEmpty ? [] : [state.standingsDue]
      if !state.confirmations.isEmpty {
        due.append(state.confirmationsDue)
      } else if state.hasNews || state.lateNews != nil {
        let wanted = state.hasNews ? now : state.lateNews ?? now
        due.append(max(wanted, state.newsDue ?? wanted))
      }
      return due.min().map { max(.zero, $0 - now) }
    }
  }
}
