internal import BellhopModel
internal import Synchronization

/// A scheduler that runs long reads a few at a time, so that other reads find a free reader.
///
/// Each user has a maximum of concurrent reads; further reads of that user wait in order of
/// arrival. The next free turn goes to the user with the fewest running reads, and among those to
/// the one that has waited longest: many reads of one user delay another user's list by one page.
/// Readers without a token wait in a separate line, so that they take no turn of the user whose
/// topics they read (SECURITY-7).
final class ReadingScheduler: Sendable {
  /// The purpose of a read.
  enum Purpose {
    /// A list. It is refused when too many of the user's lists are waiting.
    case list
    /// A step of work that was accepted before. It precedes the user's lists and is never refused.
    case step
  }

  /// The line in which a read waits.
  struct Reader: Hashable {
    var user: UserID
    var isAnonymous = false
  }

  /// The maximum number of concurrent reads without a token, per user whose topics they read.
  static let anonymousRunningMax = 1
  /// The maximum number of waiting reads without a token, per user whose topics they read.
  static let anonymousWaitingMax = 4

  private struct Waiter {
    var ticket: Int
    var continuation: CheckedContinuation<Void, any Error>
  }

  /// The reads of one user.
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
  ///   - runningMax: the maximum number of concurrent reads of all users.
  ///   - perUserMax: the maximum number of concurrent reads of one user.
  ///   - waitingPerUserMax: the maximum number of waiting lists of one user.
  init(runningMax: Int, perUserMax: Int, waitingPerUserMax: Int) {
    self.runningMax = runningMax
    self.perUserMax = perUserMax
    self.waitingPerUserMax = waitingPerUserMax
  }

  /// Returns how many of the reader's reads are running and how many are waiting.
  func figures(of reader: Reader) -> (running: Int, waiting: Int) {
    state.withLock { state in
      let line = state.lines[reader] ?? Line()
      return (line.running, line.steps.count + line.lists.count)
    }
  }

  /// Runs `body` when it is the reader's turn.
  ///
  /// - Throws: ``StoreError/tooManyLists`` immediately for a list when too many are waiting,
  ///   `CancellationError` when the task is cancelled while it waits, and any error of `body`.
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

  /// Starts the read or queues it.
  ///
  /// - Returns: the immediate outcome; nil for a read that waits.
  private func enter(
    _ waiter: Waiter, _ purpose: Purpose, _ reader: Reader, _ state: inout State
  ) -> Result<Void, any Error>? {
    // An earlier cancellation's handler has found nothing to remove.
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
