internal import BellhopSync

/// The state of an account's engine, determined without contacting it.
package struct EngineObservation: Sendable {
  /// Whether a process runs the engine now.
  package var isRunning: Bool
  /// The last engine's status; nil if no engine has recorded one.
  package var note: EngineReport?

  package init(isRunning: Bool, note: EngineReport?) {
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
    note = EngineReport.read(directories.engineNotePath(access.account.name))
  }
}
