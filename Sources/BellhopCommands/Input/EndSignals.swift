internal import Dispatch
internal import Glibc
internal import Synchronization

/// The signals that end a program: SIGTERM, SIGINT and SIGHUP.
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

  /// Handles the signals for the lifetime of the object.
  ///
  /// Until this returns, they end the process. libdispatch handles a signal once its source is
  /// registered. Setting a signal to be ignored before that would lose it in between, and setting
  /// it afterwards would lose it for ever.
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

  /// Treats the loss of standard output's reader as a signal. Waits on a separate thread without
  /// polling.
  func includeOutput() {
    let state = state
    DispatchQueue.global().async {
      // Without requested events, poll reports errors only: a pipe without a reader, a terminal
      // that is gone.
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while poll(&output, 1, -1) < 0 { guard errno == EINTR else { return } }
      state.arrive(SIGPIPE)
    }
  }

  /// The first signal that arrived; nil if none has.
  var arrived: Int32? { state.value.withLock { $0.arrived } }

  /// Runs the action when a signal arrives, or immediately if one has arrived.
  func onArrival(_ action: @escaping @Sendable () -> Void) {
    let hasArrived = state.value.withLock { state in
      state.action = action
      return state.arrived != nil
    }
    if hasArrived { action() }
  }
}
