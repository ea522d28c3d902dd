internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import Synchronization

/// Messages for the screen from other threads, in order.
///
/// Posting wakes the event loop out of its wait. Most messages are given out at the next ``drain()``.
/// News, confirmations and minor connection statuses are gathered and given out together at one moment,
/// so that reading the lists again leaves time for keys.
final class MessageBox: Sendable {
  /// The time between two readings of the lists under a stream of news: sixteen a second, which is
  /// motion to the eye. Two readings that follow a pause need not keep it: what people wait for comes
  /// behind a change of the connection.
  static let readingInterval: Duration = .milliseconds(60)
  /// The time that what the screen shows already waits for what the store says of it.
  static let gatheringTime: Duration = .milliseconds(40)

  private struct State {
    /// Messages for the next drain.
    var urgent: [Message] = []
    // Messages that wait until `due`.
    var hasNews = false
    var confirmations: [Message] = []
    var standings: [AccountName?: Message] = [:]
    /// When what waits is given out; nil while nothing waits. Never before `nextReading`.
    var due: Duration?
    /// When the lists may be read again.
    var nextReading = .zero - MessageBox.readingInterval

    /// When the loop has something to take out.
    var nextDrain: Duration? { urgent.isEmpty ? due : .zero }

    /// Lets what waits be given out after `delay`, but for confirmations, which news do not hurry.
    mutating func gather(for delay: Duration, at now: Duration) {
      guard confirmations.isEmpty else { return }
      let moment = max(now + delay, nextReading)
      due = min(due ?? moment, moment)
    }

    /// Moves what waits to the urgent messages.
    mutating func giveOut(at now: Duration) {
      if hasNews || !confirmations.isEmpty {
        // A confirmation has the lists read as well, and what follows it is mostly what the store
        // says of it.
        urgent += confirmations.isEmpty ? [.dataChanged] : confirmations
        let isAfterPause = now - nextReading >= MessageBox.readingInterval
        nextReading = isAfterPause && confirmations.isEmpty ? now : now + MessageBox.readingInterval
      }
      urgent += standings.values
      (hasNews, confirmations, standings, due) = (false, [], [:], nil)
    }
  }

  private let state = Mutex(State())
  private let elapsed: @Sendable () -> Duration
  private let wake: @Sendable () -> Void

  /// - Parameters:
  ///   - elapsed: a clock that does not step.
  ///   - wake: ends the event loop's wait, or its next one; may be called from any thread.
  init(elapsed: @escaping @Sendable () -> Duration, wake: @escaping @Sendable () -> Void) {
    self.elapsed = elapsed
    self.wake = wake
  }

  convenience init(wake: @escaping @Sendable () -> Void) {
    let clock = ContinuousClock()
    let start = clock.now
    self.init(elapsed: { start.duration(to: clock.now) }, wake: wake)
  }

  /// Changes the state, and wakes the loop when it has to look earlier than it knows.
  private func update(_ change: (inout State, _ now: Duration) -> Void) {
    let isEarlier = state.withLock { state in
      let known = state.nextDrain
      change(&state, elapsed())
      guard let next = state.nextDrain else { return false }
      return known.map { next < $0 } ?? true
    }
    if isEarlier { wake() }
  }

  /// Posts a message. ``Message/dataChanged`` is kept once, and waits while the lists were just read.
  func post(_ message: Message) {
    update { state, now in
      guard case .dataChanged = message else { return state.urgent.append(message) }
      state.hasNews = true
      state.gather(for: .zero, at: now)
    }
  }

  /// Posts that something the user did here, and which the screen shows already, is in the cache.
  ///
  /// News wait with it, so that the lists are read once for both.
  func postConfirmation(_ message: Message) {
    update { state, now in
      if state.confirmations.isEmpty {
        state.due = nil
        state.gather(for: Self.gatheringTime, at: now)
      }
      state.confirmations.append(message)
    }
  }

  /// Posts that these items were changed elsewhere: given out at once for their lines alone, and as
  /// news within ``gatheringTime``. Under a stream of news it is news only.
  func postChange(of items: [ItemKey]) {
    update { state, now in
      let isAlone = !state.hasNews && now >= state.nextReading
      if isAlone { state.urgent.append(.itemsChanged(items)) }
      state.hasNews = true
      state.gather(for: isAlone ? Self.gatheringTime : .zero, at: now)
    }
  }

  /// Posts how an account stands with its store. What waits is given out before it: the screen reads
  /// received items before the status says that the account is live.
  ///
  /// - Parameter isMinor: whether only the number of waiting changes is another. Most are sent before
  ///   a user could read that they wait: it is gathered, and a newer one takes its place.
  func postStanding(_ status: ConnectionStatus, of account: AccountName?, isMinor: Bool) {
    let message = Message.account(.connection(status, of: account))
    update { state, now in
      state.standings[account] = isMinor ? message : nil
      guard !isMinor else { return state.gather(for: Self.gatheringTime, at: now) }
      state.giveOut(at: now)
      state.urgent.append(message)
    }
  }

  /// Takes everything that was posted, but for what waits.
  func drain() -> [Message] {
    state.withLock { state in
      let now = elapsed()
      if let due = state.due, due <= now { state.giveOut(at: now) }
      defer { state.urgent.removeAll(keepingCapacity: true) }
      return state.urgent
    }
  }

  /// How long the event loop may wait until it looks again without being woken; nil for as long as
  /// it likes.
  var wait: Duration? {
    state.withLock { state in state.due.map { max(.zero, $0 - elapsed()) } }
  }
}
