internal import BellhopModel
internal import Synchronization

/// Runs long readings a few at a time, so that other readings find a free reader.
///
/// Each user has at most so many at once, and the others of that user wait in the order in which
/// they came. The next free turn goes to the user with the fewest readings under way, and among
/// those to the one who has waited longest: one user's crowd delays another's list by one page.
final class ReadingTurns: Sendable {
  /// Why a reading asks for a turn.
  enum Purpose {
    /// A list, which is refused when too many of the user's wait already.
    case list
    /// A step of work that was accepted before: comes before the user's lists, and is never refused.
    case step
  }

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
    var lines: [UserID: Line] = [:]
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

  /// How many readings of the user run, and how many wait.
  func figures(of user: UserID) -> (running: Int, waiting: Int) {
    state.withLock { state in
      let line = state.lines[user] ?? Line()
      return (line.running, line.steps.count + line.lists.count)
    }
  }

  /// Runs `body` when it is the user's turn.
  ///
  /// - Throws: ``StoreError/tooManyLists`` at once for a list when too many wait,
  ///   `CancellationError` when the task is cancelled while it waits, and what `body` throws.
  func run<Value>(
    _ purpose: Purpose, for user: UserID, _ body: () async throws -> Value
  ) async throws -> Value {
    try await begin(purpose, for: user)
    defer { end(for: user) }
    return try await body()
  }

  private func begin(_ purpose: Purpose, for user: UserID) async throws {
    let ticket = state.withLock { state in
      state.lastTicket += 1
      return state.lastTicket
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = state.withLock { state in
          enter(Waiter(ticket: ticket, continuation: continuation), purpose, user, &state)
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.lines[user]?.remove(ticket)
        if state.lines[user]?.isEmpty == true { state.lines[user] = nil }
        return waiter
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Begins or waits.
  ///
  /// - Returns: what comes of it at once; nil for a reading that waits.
  private func enter(
    _ waiter: Waiter, _ purpose: Purpose, _ user: UserID, _ state: inout State
  ) -> Result<Void, any Error>? {
    // The handler of a cancellation that came before has found nothing to remove.
    if Task.isCancelled { return .failure(CancellationError()) }
    var line = state.lines[user] ?? Line()
    defer { if !line.isEmpty { state.lines[user] = line } }
    if state.running < runningMax, line.running < perUserMax, line.first == nil {
      line.running += 1
      state.running += 1
      return .success(())
    }
    switch purpose {
    case .step: line.steps.append(waiter)
    case .list:
      guard line.lists.count < waitingPerUserMax else { return .failure(StoreError.tooManyLists) }
      line.lists.append(waiter)
    }
    return nil
  }

  private func end(for user: UserID) {
    let next = state.withLock { state -> Waiter? in
      state.running -= 1
      state.lines[user]?.running -= 1
      if state.lines[user]?.isEmpty == true { state.lines[user] = nil }
      return beginNext(&state)
    }
    next?.continuation.resume()
  }

  private func beginNext(_ state: inout State) -> Waiter? {
    guard state.running < runningMax else { return nil }
    var best: (user: UserID, running: Int, ticket: Int)?
    for (user, line) in state.lines where line.running < perUserMax {
      guard let ticket = line.first?.ticket else { continue }
      if let best, (best.running, best.ticket) < (line.running, ticket) { continue }
      best = (user, line.running, ticket)
    }
    guard let user = best?.user, let waiter = state.lines[user]?.removeFirst() else { return nil }
    state.lines[user]?.running += 1
    state.running += 1
    return waiter
  }
}
