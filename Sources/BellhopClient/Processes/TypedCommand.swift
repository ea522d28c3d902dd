internal import Dispatch
internal import Glibc
internal import Synchronization

/// The commands of `bellhop watch`.
enum WatchChild {
  /// Runs a command through `sh`, with the text as its standard input, and waits for its end. What
  /// it prints goes where this program's output goes. A failure is told, and nothing more.
  static func run(
    _ command: String, input: String, environment: [String: String]
  ) async {
    let outcome = await withCheckedContinuation { continuation in
      // Waiting for another process is for no thread of the pool.
      DispatchQueue.global().async {
        continuation.resume(
          returning: Result { try runAndWait(command, input: input, environment) })
      }
    }
    switch outcome {
    case .success(0): break
    case .success(let code): StandardError.say("Command failed (exit status \(code)).")
    case .failure(let error): StandardError.say(ClientError(explaining: error).description)
    }
  }

  /// The same, on the calling thread.
  ///
  /// - Returns: the exit code; 128 and the signal's number for one that was ended by a signal.
  /// - Throws: ``ClientError`` when it cannot be started.
  static func runAndWait(
    _ command: String, input: String, _ changes: [String: String]
  ) throws -> Int32 {
    let source = try file(with: input)
    defer { close(source) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, source, STDIN_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let words = ["/bin/sh", "-c", command]
    var arguments = words.map { strdup($0) } + [nil]
    var variables = environmentWith(changes).map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var processID: pid_t = 0
    let result = posix_spawn(
      &processID, "/bin/sh", &actions, &attributes, &arguments, &variables)
    guard result == 0 else {
      throw ClientError(.tryLater, "Cannot start the command: \(systemMessage(result)).")
    }
    return ChildProcess.wait(for: processID)
  }

  private static func environmentWith(_ changes: [String: String]) -> [String] {
    var variables: [String] = []
    var entry = environ
    while let text = entry.pointee {
      let variable = String(cString: text)
      if !variable.hasPrefix("BELLHOP_") { variables.append(variable) }
      entry += 1
    }
    return variables + changes.map { "\($0.key)=\($0.value)" }
  }

  /// A file without a name that holds the text: a pipe would hold less than an item.
  private static func file(with text: String) throws -> Int32 {
    var template = Array("/tmp/bellhop-watch-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else {
      throw ClientError(.inputOutput, "Cannot make a file in /tmp: \(systemMessage(errno)).")
    }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    unlink(template)
    var rest = Array((text + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let reason = systemMessage(errno)
        close(file)
        throw ClientError(.inputOutput, "Cannot write to /tmp: \(reason).")
      }
      rest = rest.dropFirst(count)
    }
    lseek(file, 0, SEEK_SET)
    return file
  }
}

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

  /// Takes it for a signal when nobody reads standard output any more. Waits on a thread of its own,
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
