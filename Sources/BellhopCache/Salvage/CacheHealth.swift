import Dispatch
import GRDB

/// What a look into a cache file finds. The file is left as it is; damage is noted beside it, so that
/// whoever opens it next rescues the outbox before anything else.
package struct CacheHealth: Hashable, Sendable {
  /// How many migrations the file has.
  package var schemaVersion: Int64
  /// How many this program knows.
  package var knownSchemaVersion: Int64
  /// What SQLite's quick check says is wrong; empty when it is sound, nil when there was no time to
  /// look at everything.
  package var faults: [String]?

  /// Looks at the file at `path`, for about as long as `limit` at most.
  ///
  /// - Throws: ``CacheError``.
  package static func look(
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
      let said = try connection.read { statement in
        try statement("PRAGMA quick_check(5)").all { $0.text(0) }
      }
      health.faults = said == ["ok"] ? [] : said
      if said != ["ok"] { CacheFile.markDamaged(path) }
    } catch {
      guard error == .interrupted else { throw error }
    }
    return health
  }
}
