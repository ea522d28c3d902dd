import Dispatch
import GRDB

/// The result of checking a cache file.
///
/// The file does not change. Damage is recorded beside it, so that the next process that opens it
/// rescues the outbox before anything else.
package struct CacheHealth: Hashable, Sendable {
  /// The number of migrations that the file has.
  package var schemaVersion: Int64
  /// The number of migrations that this program knows.
  package var knownSchemaVersion: Int64
  /// The faults that SQLite's quick check reports.
  ///
  /// Empty for a sound file; nil if there was no time to check everything.
  package var faults: [String]?

  /// Checks the file at `path`, for about `limit` at most.
  ///
  /// - Throws: ``CacheError``.
  package static func check(
    at path: String, within limit: Duration
  ) throws(CacheError) -> CacheHealth {
    guard CacheFile.exists(path) else { throw .missing(path: path) }
    try CacheFile.check(path)
    let connection = try Connection(path: path, role: .reader)
    let version = try connection.read { statement in
      try statement("PRAGMA user_version").first { $0.integer(0) } ?? 0
    }
    var health = CacheHealth(
      schemaVersion: version, knownSchemaVersion: Schema.version, faults: nil)
    let alarm = DispatchWorkItem { connection.queue.interrupt() }
    let seconds = Double(limit.components.seconds)
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: alarm)
    defer { alarm.cancel() }
    do throws(CacheError) {
      let reported = try connection.read { statement in
        try statement("PRAGMA quick_check(5)").all { $0.text(0) }
      }
      health.faults = reported == ["ok"] ? [] : reported
      if reported != ["ok"] { CacheFile.markDamaged(path) }
    } catch {
      guard error == .interrupted else { throw error }
    }
    return health
  }
}
