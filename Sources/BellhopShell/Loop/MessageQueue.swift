internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import Synchronization

/// An ordered queue of messages for the screen from other threads.
///
/// Posting wakes the event loop. Most messages are delivered at the next ``drain()``. News,
/// confirmations and minor connection statuses are gathered and delivered together, so that
/// repeated reading of the lists leaves time for keys.
final class MessageQueue: Sendable {
  /// The time between two reads of the lists under a stream of news: sixteen a second, which
  /// appears as motion.
  ///
  /// Two reads after a pause need not keep it, because items that the user waits for arrive after a
  /// change of the connection.
  static let readingInterval: Duration = .milliseconds(60)
  /// The wait for the store's news of a change that the screen already shows.
  static let gatheringTime: Duration = .milliseconds(40)

  private struct State {
    /// The messages for the next drain.
    var urgent: [Message] = []
    // Messages that wait until `due`.
    var hasNews = false
    var confirmations: [Message] = []
    var minorStatuses: [AccountName?: Message] = [:]
    /// The time at which waiting messages are delivered, never before `nextReading`; nil if none
    /// wait.
    var due: Duration?
    /// The earliest time of the next read of the lists.
    var nextReading = .zero - MessageQueue.readingInterval

    /// The time at which the loop has messages to take.
    var nextDrain: Duration? { urgent.isEmpty ? due : .zero }

    /// Schedules the delivery after `delay`. News do not accelerate waiting confirmations.
    mutating func gather(for delay: Duration, at now: Duration) {
      guard confirmations.isEmpty else { return }
      let moment = max(now + delay, nextReading)
      due = min(due ?? moment, moment)
    }

    /// Moves waiting messages to the urgent ones.
    mutating func releaseWaiting(at now: Duration) {
      if hasNews || !confirmations.isEmpty {
        // A confirmation also causes a read of the lists, and is usually followed by the store's
        // news of the same change.
        urgent += confirmations.isEmpty ? [.dataChanged] : confirmations
        let isAfterPause = now - nextReading >= MessageQueue.readingInterval
        nextReading =
          isAfterPause && confirmations.isEmpty ? now : now + MessageQueue.readingInterval
      }
      urgent += minorStatuses.values
      (hasNews, confirmations, minorStatuses, due) = (false, [], [:], nil)
    }
  }

  private let state = Mutex(State())
  private let elapsed: @Sendable () -> Duration
  private let wake: @Sendable () -> Void

  /// - Parameters:
  ///   - elapsed: The time of a monotonic clock.
  ///   - wake: Ends the event loop's current or next wait. Must be safe on any thread.
  init(elapsed: @escaping @Sendable () -> Duration, wake: @escaping @Sendable () -> Void) {
    self.elapsed = elapsed
    self.wake = wake
  }

  convenience init(wake: @escaping @Sendable () -> Void) {
    let clock = ContinuousClock()
    let start = clock.now
    self.init(elapsed: { start.duration(to: clock.now) }, wake: wake)
  }

  /// Changes the state, and wakes the loop if its next delivery is now earlier.
  private func update(_ change: (inout State, _ now: Duration) -> Void) {
    let isEarlier = state.withLock { state in
      let known = state.nextDrain
      change(&state, elapsed())
      guard let next = state.nextDrain else { return false }
      return known.map { next < $0 } ?? true
    }
    if isEarlier { wake() }
  }

  /// Posts a message. Combines ``Message/dataChanged`` messages, which wait if the lists were just
  /// read.
  func post(_ message: Message) {
    update { state, now in
      guard case .dataChanged = message else { return state.urgent.append(message) }
      state.hasNews = true
      state.gather(for: .zero, at: now)
    }
  }

  /// Posts that a change by the user, which the screen already shows, is in the cache.
  ///
  /// News wait with it, so that both cause only one read of the lists.
  func postConfirmation(_ message: Message) {
    update { state, now in
      if state.confirmations.isEmpty {
        state.due = nil
        state.gather(for: Self.gatheringTime, at: now)
      }
      state.confirmations.append(message)
    }
  }

  /// Posts that these items were changed elsewhere.
  ///
  /// The message is delivered immediately for their lines alone, and as news within
  /// ``gatheringTime``. Under a stream of news, it is delivered as news only.
  func postChange(of items: [ItemKey]) {
    update { state, now in
      let isAlone = !state.hasNews && now >= state.nextReading
      if isAlone { state.urgent.append(.itemsChanged(items)) }
      state.hasNews = true
      state.gather(for: isAlone ? Self.gatheringTime : .zero, at: now)
    }
  }

  /// Posts the state of an account's connection to its store.
  ///
  /// Waiting messages are delivered first, so that the screen reads received items before the
  /// status shows the account as live.
  ///
  /// - Parameter isMinor: Whether only the number of waiting changes differs. Most changes are sent
  ///   before the user could read that they wait, so the message is gathered, and a newer one
  ///   replaces it.
  func postStatus(_ status: ConnectionStatus, of account: AccountName?, isMinor: Bool) {
    let message = Message.account(.connection(status, of: account))
    update { state, now in
      state.minorStatuses[account] = isMinor ? message : nil
      guard !isMinor else { return state.gather(for: Self.gatheringTime, at: now) }
      state.releaseWaiting(at: now)
      state.urgent.append(message)
    }
  }

  /// Takes all posted messages, except for the waiting ones.
  func drain() -> [Message] {
    state.withLock { state in
      let now = elapsed()
      if let due = state.due, due <= now { state.releaseWaiting(at: now) }
      defer { state.urgent.removeAll(keepingCapacity: true) }
      return state.urgent
    }
  }

  /// The longest wait of the event loop before it checks again without a wake-up; nil for no limit.
  var wait: Duration? {
    state.withLock { state in state.due.map { max(.zero, $0 - elapsed()) } }
  }
}
