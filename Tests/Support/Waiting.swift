import Dispatch

/// A condition that did not come true while a test waited for it.
package struct NotSeen: Error, CustomStringConvertible {
  package let description: String

  package init(_ what: String, seen: String) {
    description = "Waited in vain for \(what). Seen last:\n\(seen)"
  }
}

/// The longest time that a test waits for something that must happen, on a busy machine.
package let patience = Duration.seconds(90)

/// The minimum number of checks before a test gives up.
///
/// A check takes one turn on the threads that all tests share, and so does a step of a clock that a
/// test moves: a stream that has to live for 100 s of such a clock needs more than 100 turns.
private let looksMin = 300

/// Evaluates `look` repeatedly until it returns a value, and returns that value.
///
/// Gives up when `limit` has passed, but never before ``looksMin`` checks: a test that the system
/// did not schedule for a long time has not waited.
///
/// - Parameters:
/// - what: The awaited condition, for the failure.
/// - pause: The time between two checks. Zero only gives other tasks a turn, for tests that move
///   their own clock; after a number of failed checks it also lets the machine rest.
/// - last: The state that was seen last, for the failure.
/// - Throws: ``NotSeen`` with `what` and `last`; whatever `look` throws; `CancellationError`.
package func eventually<Result>(
  _ what: String, within limit: Duration = patience, every pause: Duration = .milliseconds(20),
  last: @autoclosure () -> String = "", isolation: isolated (any Actor)? = #isolation,
  _ look: () async throws -> Result?
) async throws -> Result {
  let clock = ContinuousClock()
  let end = clock.now + limit
  var looks = 0
  while true {
    if let result = try await look() { return result }
    looks += 1
    if looks >= looksMin, clock.now >= end { throw NotSeen(what, seen: last()) }
    if pause > .zero {
      try await rest(for: pause)
    } else {
      try await giveTurn(after: looks)
    }
  }
}

/// Lets other tasks run.
///
/// Now and then it sleeps: hundreds of tests that only yield to each other would take all processor
/// time from the work that they wait for.
private func giveTurn(after turns: Int) async throws {
  try Task.checkCancellation()
  if turns.isMultiple(of: 20) {
    try await rest(for: .milliseconds(1))
  } else {
    await Task.yield()
  }
}

/// Waits on a separate timer.
///
/// `Task.sleep` resumes on one of the few threads that all tests share, which is late while they
/// are busy.
private func rest(for pause: Duration) async throws {
  try Task.checkCancellation()
  await withCheckedContinuation { continuation in
    timers.asyncAfter(deadline: .now() + .microseconds(Int(pause / .microseconds(1)))) {
      continuation.resume()
    }
  }
  try Task.checkCancellation()
}

private let timers = DispatchQueue(label: "tests.timers")

/// Evaluates `condition` repeatedly until it holds.
///
/// - Throws: ``NotSeen`` with `what` and `last`; whatever `condition` throws; `CancellationError`.
package func eventually(
  _ what: String, within limit: Duration = patience, every pause: Duration = .milliseconds(20),
  last: @autoclosure () -> String = "", isolation: isolated (any Actor)? = #isolation,
  holds condition: () async throws -> Bool
) async throws {
  _ = try await eventually(what, within: limit, every: pause, last: last()) {
    try await condition() ? true : nil
  }
}

/// Calls `step` repeatedly until the task is cancelled, and gives other tasks a turn in between.
///
/// For tests that move a clock while something runs.
package func repeatUntilCancelled(
  isolation: isolated (any Actor)? = #isolation, _ step: () -> Void
) async {
  var turns = 0
  while !Task.isCancelled {
    step()
    turns += 1
    try? await giveTurn(after: turns)
  }
}
