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

/// Runs `body` on a detached thread, for system calls that block for as long as they like.
func startThread(_ body: @escaping @Sendable () -> Void) {
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
    // Out of threads: the caller's continuation must still be served, so wait here instead.
    argument.takeRetainedValue().run()
    return
  }
  #if canImport(Darwin)
    if let thread { pthread_detach(thread) }
  #else
    pthread_detach(thread)
  #endif
}
