internal import Dispatch
internal import Glibc
internal import Synchronization

/// The signals that ask a program to end: SIGTERM, SIGINT and SIGHUP.
///
/// `@unchecked Sendable`: the sources are only kept alive; everything else is behind a lock.
final class EndSignals: @unchecked Sendable {
  private struct State {
    var arrived: Int32?
    var action: (@Sendable () -> Void)?
  }

  private let state: SharedState
  private let sources: [any DispatchSourceSignal]

  private final class SharedState: Sendable {
    let value = Mutex(State())

    func arrive(_ number: Int32) {
      let action = value.withLock { state in
        state.arrived = state.arrived ?? number
        return state.action
      }
      action?()
    }
  }

  /// Takes the signals over for as long as it lives.
  ///
  /// Until this returns they end the process. libdispatch handles a signal from the registration of
  /// its source on; one that is ignored before would be lost in between, and one that is ignored
  /// after it for ever.
  init() {
    let state = SharedState()
    self.state = state
    let registered = DispatchGroup()
    sources = [SIGTERM, SIGINT, SIGHUP].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { @Sendable in state.arrive(number) }
      registered.enter()
      source.setRegistrationHandler { @Sendable in registered.leave() }
      source.resume()
      return source
    }
    registered.wait()
  }

  /// Takes it for a signal when the reader of standard output has gone. Waits on a thread of its own,
  /// without looking again and again.
  func includeOutput() {
    let state = state
    DispatchQueue.global().async {
      // Asked for nothing, poll tells errors only: a pipe without a reader, a terminal that is gone.
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while poll(&output, 1, -1) < 0 { guard errno == EINTR else { return } }
      state.arrive(SIGPIPE)
    }
  }

  /// The first that arrived; nil while none has.
  var arrived: Int32? { state.value.withLock { $0.arrived } }

  /// Does this when a signal arrives, or at once when one has arrived.
  func onArrival(_ action: @escaping @Sendable () -> Void) {
    let hasArrived = state.value.withLock { state in
      state.action = action
      return state.arrived != nil
    }
    if hasArrived { action() }
  }
}
