internal import Dispatch
package import Glibc

/// Child processes, started by `posix_spawn` with an argument vector, never through a shell.
package enum ChildProcess {
  /// The destination of a child's output.
  package enum Output: Sendable {
    case discarded
    /// A file that the output is appended to, created with mode 0600.
    case file(String)
  }

  /// A started program and the reading end of the pipe from its standard output.
  package struct Started {
    package let processID: pid_t
    package let standardOutput: Int32
  }

  /// Starts a program with empty standard input and a pipe for standard output.
  ///
  /// - Parameters:
  ///   - input: Text for standard input, at most `inputBytesMax`; nil leaves it empty.
  ///   - lifeline: The lifeline to use as standard input instead, so that the program can end with
  ///     this one.
  ///   - isDetached: Whether the program gets its own session, so that closing the terminal or
  ///     ending this program does not affect it.
  /// - Throws: ``ClientError`` with the system's reason.
  package static func start(
    _ path: String, _ arguments: [String], input: String? = nil, lifeline: LifetimePipe? = nil,
    errors: Output = .discarded, isDetached: Bool = false
  ) throws -> Started {
    let source = try input.map(filledPipe)
    defer { if let source { close(source) } }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw ClientError(.tryLater, "Cannot start \(path): \(systemMessage(errno)).")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let descriptor = source ?? lifeline?.readingEnd {
      posix_spawn_file_actions_adddup2(&actions, descriptor, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    switch errors {
    case .discarded:
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    case .file(let path):
      posix_spawn_file_actions_addopen(
        &actions, STDERR_FILENO, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    var defaults = sigset_t()
    sigfillset(&defaults)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    // POSIX_SPAWN_SETSID of glibc 2.26, a macro that Swift does not import.
    if isDetached { flags |= 0x80 }
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var processID: pid_t = 0
    var vector = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for argument in vector { free(argument) } }
    let result = posix_spawn(&processID, path, &actions, &attributes, &vector, environ)
    close(ends[1])
    guard result == 0 else {
      close(ends[0])
      throw ClientError(.tryLater, "Cannot start \(path): \(systemMessage(result)).")
    }
    return Started(processID: processID, standardOutput: ends[0])
  }

  /// Runs a program to its end and returns its output and exit code (128 + signal if killed).
  ///
  /// - Throws: ``ClientError`` if it cannot be started.
  package static func run(
    _ path: String, _ arguments: [String], input: String? = nil, errors: Output = .discarded
  ) throws -> (output: String, exitCode: Int32) {
    let child = try start(path, arguments, input: input, errors: errors)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    // Expects a token or a list of a few lines. More output must come from another program.
    while bytes.count < 1 << 20 {
      let count = read(child.standardOutput, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes.append(contentsOf: buffer[0..<count])
    }
    close(child.standardOutput)
    return (String(decoding: bytes, as: UTF8.self), wait(for: child.processID))
  }

  /// Waits for a child's end and returns its exit code, or 128 + the signal that ended it.
  package static func wait(for processID: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0 {
      guard errno == EINTR else { return 0 }
    }
    let signal = status & 0x7f
    return signal == 0 ? status >> 8 & 0xff : 128 + signal
  }

  /// Reads a child's output to the end and discards it.
  ///
  /// Without a reader, the program's next write to the pipe would end it.
  static func drain(_ child: Started) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(child.standardOutput, &buffer, buffer.count)
      if count > 0 || (count < 0 && errno == EINTR) { continue }
      break
    }
    close(child.standardOutput)
  }

  /// Returns the first line that a child prints within `milliseconds`; nil if it ends or is silent.
  static func firstLine(of child: Started, within milliseconds: Int32) -> String? {
    var line: [UInt8] = []
    var elapsed: Int32 = 0
    while line.count < 4096 {
      var waiting = pollfd(fd: child.standardOutput, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, 100)
      if ready < 0, errno != EINTR { return nil }
      if ready <= 0 {
        elapsed += 100
        if elapsed >= milliseconds { return nil }
        continue
      }
      var byte: UInt8 = 0
      guard read(child.standardOutput, &byte, 1) == 1 else { return nil }
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return nil
  }
}

extension ChildProcess {
  /// Whether this user can execute the file.
  static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }

  /// Returns the program with this name in an absolute folder of `PATH`.
  package static func find(_ name: String, environment: [String: String]) -> String? {
    (environment["PATH"] ?? "").split(separator: ":").lazy
      .map { String($0) + "/" + name }
      .first { $0.hasPrefix("/") && isExecutable($0) }
  }

  /// The capacity of a pipe without a reader (pipe(7): 16 pages, at least one).
  static let inputBytesMax = 4096

  /// Returns the reading end of a pipe that contains only the text.
  private static func filledPipe(_ text: String) throws -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard text.utf8.count <= inputBytesMax, pipe(&ends) == 0 else {
      throw ClientError(.tryLater, "Cannot create a pipe: \(systemMessage(errno)).")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let bytes = Array(text.utf8)
    let count = write(ends[1], bytes, bytes.count)
    close(ends[1])
    guard count == bytes.count else {
      close(ends[0])
      throw ClientError(.tryLater, "Cannot write to a pipe.")
    }
    return ends[0]
  }

  /// Starts an independent program and discards its output.
  ///
  /// - Throws: ``ClientError`` with the system's reason.
  package static func startAndForget(
    _ path: String, _ arguments: [String], input: String? = nil
  ) throws {
    let child = try start(path, arguments, input: input, isDetached: true)
    close(child.standardOutput)
    // A separate thread reaps the process, so that no zombie remains while the screen is open.
    let processID = child.processID
    DispatchQueue(label: "bellhop.child").async { _ = wait(for: processID) }
  }
}
