internal import BellhopModel
internal import BellhopSync

/// A lock that shows whether a screen of an account is open on this machine.
///
/// An open screen rings itself, and the agent is silent.
package enum ScreenPresence {
  private static func path(_ access: CacheAccess) -> String {
    access.context.directories.account(access.account.name) + "/screen.lock"
  }

  /// Marks a screen as open until the task is cancelled.
  ///
  /// Of several screens, one holds the lock. When it closes, the next one takes it.
  package static func hold(_ access: CacheAccess) -> Task<Void, Never> {
    let lock = EngineLock(path: path(access))
    return Task.detached {
      guard (try? await lock.waitForLock()) != nil else { return }
      let forever = AsyncStream<Void> { _ in }
      for await _ in forever {}
      lock.unlock()
    }
  }

  /// Whether a screen is open; false if there is no lock file.
  package static func isThere(_ access: CacheAccess) -> Bool {
    let lock = EngineLock(path: path(access))
    guard let isFree = try? lock.tryLock() else { return false }
    if isFree { lock.unlock() }
    return !isFree
  }
}
