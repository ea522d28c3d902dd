internal import BellhopStore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The lock by which a process shows that it is writing a draft.
///
/// The system releases it when the process ends. On a file system without locks, a draft counts as
/// abandoned when it is old.
enum DraftLock {
  /// The number of seconds without a change after which a sweep removes an unlocked draft.
  ///
  /// It protects the drafts of other hosts if locks do not reach them.
  static let patience: Int64 = 3600
  /// The number of seconds without a change after which a draft counts as abandoned on a file system
  /// without locks.
  private static let unlockedPatience: Int64 = 86_400
  /// The number of times that another process may remove a new file before it is locked.
  private static let attemptsMax = 10

  /// Creates a file with a lock.
  ///
  /// - Returns: its descriptor, which holds the lock until it is closed.
  static func makeFile(_ path: String) throws -> Int32 {
    for _ in 0..<attemptsMax {
      let descriptor = Disk.open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
      try Disk.check(descriptor, "made", path)
      _ = lock(descriptor, waits: true)
      // Another process may have found the file before it was locked.
      var status = stat()
      if fstat(descriptor, &status) == 0, status.st_nlink > 0 { return descriptor }
      close(descriptor)
    }
    throw StoreError.unavailable(
      reason: "another process removes \(path) as soon as it is created")
  }

  /// Removes a draft unless a process holds its lock.
  ///
  /// - Parameter age: the number of seconds for which it must be unchanged.
  static func removeAbandoned(_ path: String, unchangedFor age: Int64 = 0) {
    let descriptor = Disk.open(path, O_WRONLY | O_NONBLOCK)
    guard descriptor >= 0 else {
      // A link, a pipe, or a file that its owner must not write is not a draft.
      if [ELOOP, ENXIO, EACCES, EISDIR].contains(errno) { unlink(path) }
      return
    }
    defer { close(descriptor) }
    let required: Int64
    switch lock(descriptor, waits: false) {
    case .acquired: required = age
    case .held: return
    case .unsupported: required = unlockedPatience
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return }
    #if canImport(Darwin)
      let changed = Int64(status.st_mtimespec.tv_sec)
    #else
      let changed = Int64(status.st_mtim.tv_sec)
    #endif
    if required > 0, Int64(time(nil)) - changed < required { return }
    unlink(path)
  }

  private enum Outcome {
    case acquired, held, unsupported
  }

  private static func lock(_ descriptor: Int32, waits: Bool) -> Outcome {
    while flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      return errno == EWOULDBLOCK ? .held : .unsupported
    }
    return .acquired
  }
}
