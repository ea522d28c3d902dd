#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

private final class ThreadBody {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Runs `body` on a detached thread, for system calls that block without a time limit.
///
/// - Returns: False if the system has no thread left; `body` does not run then.
func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
  // Released once: by the thread when it begins, or below if there is none.
  let argument = Unmanaged.passRetained(ThreadBody(body))
  #if canImport(Darwin)
    var thread: pthread_t?
  #else
    var thread = pthread_t()
  #endif
  let code = pthread_create(
    &thread, nil,
    { argument in
      #if canImport(Darwin)
        Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
      #else
        if let argument {
          Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
        }
      #endif
      return nil
    }, argument.toOpaque())
  guard code == 0 else {
    argument.release()
    return false
  }
  #if canImport(Darwin)
    if let thread { pthread_detach(thread) }
  #else
    pthread_detach(thread)
  #endif
  return true
}
