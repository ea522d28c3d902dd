internal import BellhopSync

/// The state of an account's engine, as known without asking it.
package struct EngineSight: Sendable {
  /// Whether some process is the engine now.
  package var isRunning: Bool
  /// How the last engine stood with the store; nil when none has written it down.
  package var note: EngineNote?

  package init(isRunning: Bool, note: EngineNote?) {
    self.isRunning = isRunning
    self.note = note
  }

  package init(_ access: CacheAccess) {
    let directories = access.context.directories
    let lock = EngineLock(path: directories.lockPath(access.account.name))
    if (try? lock.tryLock()) == true {
      isRunning = false
      lock.unlock()
    } else {
      isRunning = true
    }
    note = EngineNote.read(directories.engineNotePath(access.account.name))
  }
}
