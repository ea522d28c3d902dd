internal import BellhopModel
internal import Synchronization

/// Runs long readings a few at a time, so that other readings find a free reader.
///
/// Each user has at most so many at once, and the others of that user wait in the order in which
/// they came. The next free turn goes to the user with the fewest readings under way, and among
/// those to the one who has waited longest: one user's crowd delays another's list by one page.
/// Readers without a token wait in a line of their own, so that they take no turn of the user whose
/// topics they read (SECURITY-7).
final class ReadingTurns: Sendable {
  /// Why a reading asks for a turn.
  enum Purpose {
    /// A list, which is refused when too many of the user's wait already.
    case list
    /// A step of work that was accepted before: comes before the user's lists, and is never refused.
    case step
  }

  /// The line in which a reading waits.
  struct Reader: Hashable {
    var user: UserID
    var isAnonymous = false
  }

  /// Readings without a token of one user's topics that run at once.
  static let anonymousRunningMax = 1
  /// Readings without a token of one user's topics that wait.
  static let anonymousWaitingMax = 4

  private struct Waiter {
    var ticket: Int
    var continuation: CheckedContinuation<Void, any Error>
  }

  /// The readings of one user.
  private struct Line {
    var running = 0
    var steps: [Waiter] = []
    var lists: [Waiter] = []

    var first: Waiter? { steps.first ?? lists.first }
    var isEmpty: Bool { running == 0 && first == nil }

    mutating func removeFirst() -> Waiter? {
      if steps.isEmpty { return lists.isEmpty ? nil : lists.removeFirst() }
      return steps.removeFirst()
    }

    mutating func remove(_ ticket: Int) -> Waiter? {
      if let place = steps.firstIndex(where: { $0.ticket == ticket }) {
        return steps.remove(at: place)
      }
      guard let place = lists.firstIndex(where: { $0.ticket == ticket }) else { return nil }
      return lists.remove(at: place)
    }
  }

  private struct State {
    var lines: [Reader: Line] = [:]
    var running = 0
    var lastTicket = 0
  }

  private let state = Mutex(State())
  private let runningMax: Int
  private let perUserMax: Int
  private let waitingPerUserMax: Int

  /// - Parameters:
  ///   - runningMax: how many readings run at once, of all users.
  ///   - perUserMax: how many of one user.
  ///   - waitingPerUserMax: how many lists of one user wait.
  init(runningMax: Int, perUserMax: Int, waitingPerUserMax: Int) {
    self.runningMax = runningMax
    self.perUserMax = perUserMax
    self.waitingPerUserMax = waitingPerUserMax
  }

  /// How many readings of the reader run, and how many wait.
  func figures(of reader: Reader) -> (running: Int, waiting: Int) {
    state.withLock { state in
      let line = state.lines[reader] ?? Line()
      return (line.running, line.steps.count + line.lists.count)
    }
  }

  /// Runs `body` when it is the reader's turn.
  ///
  /// - Throws: ``StoreError/tooManyLists`` at once for a list when too many wait,
  ///   `CancellationError` when the task is cancelled while it waits, and what `body` throws.
  func run<Value>(
    _ purpose: Purpose, for reader: Reader, _ body: () async throws -> Value
  ) async throws -> Value {
    try await begin(purpose, for: reader)
    defer { end(for: reader) }
    return try await body()
  }

  private func begin(_ purpose: Purpose, for reader: Reader) async throws {
    let ticket = state.withLock { state in
      state.lastTicket += 1
      return state.lastTicket
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = state.withLock { state in
          enter(Waiter(ticket: ticket, continuation: continuation), purpose, reader, &state)
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.lines[reader]?.remove(ticket)
        if state.lines[reader]?.isEmpty == true { state.lines[reader] = nil }
        return waiter
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Begins or waits.
  ///
  /// - Returns: what comes of it at once; nil for a reading that waits.
  private func enter(
    _ waiter: Waiter, _ purpose: Purpose, _ reader: Reader, _ state: inout State
  ) -> Result<Void, any Error>? {
    // The handler of a cancellation that came before has found nothing to remove.
    if Task.isCancelled { return .failure(CancellationError()) }
    var line = state.lines[reader] ?? Line()
    defer { if !line.isEmpty { state.lines[reader] = line } }
    if state.running < runningMax, line.running < runningMax(of: reader), line.first == nil {
      line.running += 1
      state.running += 1
      return .success(())
    }
    switch purpose {
    case .step: line.steps.append(waiter)
    case .list:
      let waitingMax = reader.isAnonymous ? Self.anonymousWaitingMax : waitingPerUserMax
      guard line.lists.count < waitingMax else { return .failure(StoreError.tooManyLists) }
      line.lists.append(waiter)
    }
    return nil
  }

  private func end(for reader: Reader) {
    let next = state.withLock { state -> Waiter? in
      state.running -= 1
      state.lines[reader]?.running -= 1
      if state.lines[reader]?.isEmpty == true { state.lines[reader] = nil }
      return beginNext(&state)
    }
    next?.continuation.resume()
  }

  private func runningMax(of reader: Reader) -> Int {
    reader.isAnonymous ? Self.anonymousRunningMax : perUserMax
  }

  private func beginNext(_ state: inout State) -> Waiter? {
    guard state.running < runningMax else { return nil }
    var best: (reader: Reader, running: Int, ticket: Int)?
    for (reader, line) in state.lines where line.running < runningMax(of: reader) {
      guard let ticket = line.first?.ticket else { continue }
      if let best, (best.running, best.ticket) < (line.running, ticket) { continue }
      best = (reader, line.running, ticket)
    }
    guard let reader = best?.reader, let waiter = state.lines[reader]?.removeFirst() else {
      return nil
    }
    state.lines[reader]?.running += 1
    state.running += 1
    return waiter
  }
}
