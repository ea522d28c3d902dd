internal import BellhopModel
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The lock file of an account: its holder is the one engine that pulls and sends.
///
/// The lock belongs to the open file, so the kernel releases it however the process ends. Programs
/// that the process starts do not inherit it.
package final class EngineLock: Sendable {
  /// The error for a lock file that can't be used.
  package struct LockError: ExplainedError, Hashable {
    package let path: String
    /// The system's error number.
    package let code: Int32

    package var description: String {
      "The lock file \(path) cannot be used: \(String(cString: strerror(code)).clause). Nothing "
        + "was changed. Check that its folder exists and that you own it."
    }
  }

  /// The lock file.
  package let path: String
  private let descriptor = Mutex<Int32?>(nil)

  /// Creates a lock that is not held yet. The file is made when the lock is first taken.
  package init(path: String) {
    self.path = path
  }

  deinit { unlock() }

  /// Whether this object holds the lock.
  package var isHeld: Bool { descriptor.withLock { $0 != nil } }

  /// Takes the lock if it is free.
  /// - Returns: Whether this object holds it now.
  /// - Throws: ``LockError`` when the file cannot be opened.
  package func tryLock() throws(LockError) -> Bool {
    if isHeld { return true }
    guard let opened = try Self.open(path, waits: false) else { return false }
    keep(opened)
    return true
  }

  /// Waits until the lock is free and takes it.
  ///
  /// The wait blocks a thread of its own, which costs no wake-ups. If the task is cancelled
  /// meanwhile, the lock is released at once.
  /// - Throws: ``LockError``, or `CancellationError`.
  package func waitForLock() async throws {
    if try tryLock() { return }
    let wait = LockWait(path: path)
    let opened = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wait.start($0) }
    } onCancel: {
      wait.cancel()
    }
    keep(opened)
  }

  /// Releases the lock. Does nothing if it is not held.
  package func unlock() {
    let held = descriptor.withLock { descriptor in
      defer { descriptor = nil }
      return descriptor
    }
    if let held { _ = close(held) }
  }

  private func keep(_ opened: Int32) {
    let spare = descriptor.withLock { descriptor -> Int32? in
      if descriptor != nil { return opened }
      descriptor = opened
      return nil
    }
    if let spare { _ = close(spare) }
  }

  /// Opens and locks the file. Returns nil if another holder has the lock and `waits` is false.
  fileprivate static func open(_ path: String, waits: Bool) throws(LockError) -> Int32? {
    while true {
      #if canImport(Darwin)
        let file = Darwin.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      #elseif canImport(Musl)
        let file = Musl.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      #else
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      #endif
      guard file >= 0 else { throw LockError(path: path, code: errno) }
      while flock(file, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
        let code = errno
        if code == EINTR { continue }
        _ = close(file)
        if code == EWOULDBLOCK { return nil }
        throw LockError(path: path, code: code)
      }
      // The file may have been removed during the wait. The lock would then be on nothing.
      var held = stat()
      var named = stat()
      if fstat(file, &held) == 0, stat(path, &named) == 0, held.st_ino == named.st_ino,
        held.st_dev == named.st_dev
      {
        return file
      }
      if Mutant.lockOnNothing.isOn { return file }
      _ = close(file)
    }
  }
}

/// A wait for a lock, on a thread of its own.
private final class LockWait: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Int32, any Error>)
    case over
  }

  private let path: String
  private let state = Mutex(State.idle)

  init(path: String) {
    self.path = path
  }

  func start(_ continuation: CheckedContinuation<Int32, any Error>) {
    let isOver = state.withLock { state in
      if case .over = state { return true }
      state = .waiting(continuation)
      return false
    }
    if isOver { return continuation.resume(throwing: CancellationError()) }
    // Blocks this thread if the system has no other left, because the continuation must be resumed.
    if !startThread({ [self] in take() }) { take() }
  }

  private func take() {
    do {
      guard let file = try EngineLock.open(path, waits: true) else { return }
      if let continuation = finish() {
        continuation.resume(returning: file)
      } else {
        _ = close(file)
      }
    } catch {
      finish()?.resume(throwing: error)
    }
  }

  func cancel() {
    finish()?.resume(throwing: CancellationError())
  }

  private func finish() -> CheckedContinuation<Int32, any Error>? {
    state.withLock { state in
      defer { state = .over }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
  }
}
