package import BellhopModel
package import BellhopSync
internal import FoundationEssentials
internal import Synchronization

/// How the last engine of an account stood with its store, for processes that are no engine and ask
/// no network: `bellhop outbox`, `bellhop doctor`.
package struct EngineNote: Codable, Hashable, Sendable {
  package var connection: ConnectionState
  /// Why the last attempt failed; text of the server, to be made safe before it is shown.
  package var problem: String?
  /// Until when the store asked to be left alone.
  var busyUntil: Timestamp?
  /// When the cache last equalled the store, by the store's clock; at most a minute too early.
  package var lastSync: Timestamp?
  /// When it was written, by this machine's clock.
  var written: Timestamp

  /// The note in the file; nil when there is none that can be read.
  package static func read(_ path: String) -> EngineNote? {
    guard let text = try? PrivateFile.read(path, isSecret: false) else { return nil }
    return try? JSONDecoder().decode(EngineNote.self, from: Data(text.utf8))
  }

  /// Forgets that the store refused the account: it has just signed in again.
  package static func forgetSignOut(_ path: String) {
    guard var note = read(path) else { return }
    switch note.connection {
    case .signInAgain, .signedOut: note.connection = .connecting
    case .connecting, .live, .polling, .firstSync, .offline: return
    }
    note.problem = nil
    note.write(to: path)
  }

  /// Writes the note. A file that cannot be written does no harm: the next reader knows less.
  fileprivate func write(to path: String) {
    guard let data = try? JSONEncoder().encode(self) else { return }
    try? PrivateFile.write(String(decoding: data, as: UTF8.self) + "\n", to: path, isSynced: false)
  }
}

/// Writes the note of one engine when its connection changes, and once a minute while it
/// synchronises.
final class EngineNoteBook: Sendable {
  private let path: String
  private let now: @Sendable () -> Timestamp
  private let last: Mutex<EngineNote?>

  /// A person reads the time of the last synchronisation in minutes.
  private static let syncSpacing: Duration = .seconds(60)

  init(path: String, now: @escaping @Sendable () -> Timestamp) {
    self.path = path
    self.now = now
    last = Mutex(EngineNote.read(path))
  }

  func take(_ status: EngineStatus) {
    let note = last.withLock { last -> EngineNote? in
      // Nothing is known yet: what the engine before knew says more.
      if case .connecting = status.connection { return nil }
      var note = EngineNote(
        connection: status.connection, problem: status.problem.map { String($0.prefix(512)) },
        busyUntil: status.busyUntil, lastSync: status.lastSync ?? last?.lastSync, written: now())
      switch note.connection {
      case .offline(let since):
        // Each command finds it out for itself; the store has been away since the first did.
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
