/// What a test waited for and did not see.
struct NotSeen: Error, CustomStringConvertible {
  let description: String

  init(_ what: String, seen: String) {
    description = "Waited in vain for \(what). Seen last:\n\(seen)"
  }
}

/// How long a test waits for what must happen, on a machine that is busy with other tests.
let patience = Duration.seconds(90)

/// Looks again and again until there is a result.
///
/// Gives up when `limit` has passed, but never before a good number of looks: a test that was not
/// scheduled for long has not waited.
/// - Parameters:
///   - what: What is waited for, for the failure.
///   - last: What was seen last, for the failure.
func eventually<Result>(
  _ what: String, within limit: Duration = patience, every pause: Duration = .milliseconds(40),
  last: @autoclosure () -> String = "", _ look: () async throws -> Result?
) async throws -> Result {
  let clock = ContinuousClock()
  let end = clock.now + limit
  var looks = 0
  while true {
    if let result = try await look() { return result }
    looks += 1
    if clock.now >= end, looks >= 20 { throw NotSeen(what, seen: last()) }
    try await clock.sleep(for: pause)
  }
}

/// Looks again and again until `condition` holds.
func eventually(
  _ what: String, within limit: Duration = patience, holds condition: () async throws -> Bool
) async throws {
  _ = try await eventually(what, within: limit) { try await condition() ? true : nil }
}
