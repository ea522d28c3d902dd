import Synchronization

/// Folders that are cleared away at the end, however it comes.
final class Leftovers: Sendable {
  private let paths = Mutex<Set<String>>([])

  func add(_ path: String) { _ = paths.withLock { $0.insert(path) } }
  func forget(_ path: String) { _ = paths.withLock { $0.remove(path) } }

  func clearAway() {
    for path in paths.withLock({ $0 }) { Files.remove(path) }
  }
}
