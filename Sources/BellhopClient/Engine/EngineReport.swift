package import BellhopModel
package import BellhopSync
internal import FoundationEssentials
internal import Synchronization

/// The last engine's status of an account, for processes that use neither an engine nor the
/// network.
///
/// These are `bellhop outbox` and `bellhop doctor`.
package struct EngineReport: Codable, Hashable, Sendable {
  package var connection: ConnectionState
  /// The reason why the last attempt failed. The server's text, which must be made safe for
  /// display.
  package var problem: String?
  /// The end of the pause that the store requested.
  var busyUntil: Timestamp?
  /// The time when the cache last matched the store, by the store's clock; at most a minute too
  /// early.
  package var lastSync: Timestamp?
  /// The time of writing, by this machine's clock.
  var written: Timestamp

  /// Reads the note from the file; nil if there is none or it cannot be read.
  package static func read(_ path: String) -> EngineReport? {
    guard let text = try? PrivateFile.read(path, isSecret: false) else { return nil }
    return try? JSONDecoder().decode(EngineReport.self, from: Data(text.utf8))
  }

  /// Removes the store's refusal of the account, which has just signed in again.
  package static func forgetSignOut(_ path: String) {
    guard var note = read(path) else { return }
    switch note.connection {
    case .signInAgain, .signedOut: note.connection = .connecting
    case .connecting, .live, .polling, .firstSync, .offline: return
    }
    note.problem = nil
    note.write(to: path)
  }

  /// Writes the note. A failure does no harm: the next reader only knows less.
  fileprivate func write(to path: String) {
    guard let data = try? JSONEncoder().encode(self) else { return }
    try? PrivateFile.write(String(decoding: data, as: UTF8.self) + "\n", to: path, isSynced: false)
  }
}

/// A writer of an engine's note at each connection change, and every minute while it synchronises.
final class EngineReportWriter: Sendable {
  private let path: String
  private let now: @Sendable () -> Timestamp
  private let last: Mutex<EngineReport?>

  /// The time between two notes while synchronising. The user reads that time in minutes.
  private static let syncSpacing: Duration = .seconds(60)

  init(path: String, now: @escaping @Sendable () -> Timestamp) {
    self.path = path
    self.now = now
    last = Mutex(EngineReport.read(path))
  }

  func take(_ status: EngineStatus) {
    let note = last.withLock { last -> EngineReport? in
      // Nothing is known yet, so the note of the previous engine is more useful.
      if case .connecting = status.connection { return nil }
      var note = EngineReport(
        connection: status.connection, problem: status.problem.map { String($0.prefix(512)) },
        busyUntil: status.busyUntil, lastSync: status.lastSync ?? last?.lastSync, written: now())
      switch note.connection {
      case .offline(let since):
        // Each command detects it separately; the store has been offline since the first one did.
        if case .offline(let earlier)? = last?.connection {
          note.connection = .offline(since: min(since, earlier))
        }
      case .polling: note.connection = .polling(every: .zero)
      case .firstSync: note.connection = .firstSync(received: 0)
      case .connecting, .live, .signInAgain, .signedOut: break
      }
      var known = last
      known?.written = note.written
      if let before = last?.lastSync, let synced = note.lastSync,
        synced.duration(since: before) < Self.syncSpacing, synced >= before
      {
        known?.lastSync = note.lastSync
      }
      guard known != note else { return nil }
      last = note
      return note
    }
    note?.write(to: path)
  }
}
