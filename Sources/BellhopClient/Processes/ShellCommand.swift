internal import BellhopSync
internal import Dispatch
internal import Glibc

/// A command line that the user typed for `bellhop watch` or the screen, run through `sh`.
package enum ShellCommand {
  /// Runs a command through `sh`, with the text as its standard input, and waits for its end.
  ///
  /// The command's output goes where this program's output goes. Reports a failure, and nothing
  /// more.
  package static func run(
    _ command: String, input: String, environment: [String: String]
  ) async {
    let outcome = await withCheckedContinuation { continuation in
      // A thread of the concurrency pool must not wait for another process.
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

  /// Runs a command in the same way on the calling thread.
  ///
  /// - Returns: The exit code, or 128 and the signal's number if a signal ended the command.
  /// - Throws: ``ClientError`` if the command cannot be started.
  package static func runAndWait(
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

  /// Returns an unnamed file that contains the text. A pipe could not hold a whole item.
  private static func file(with text: String) throws -> Int32 {
    var template = Array("/tmp/bellhop-watch-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else {
      throw ClientError(.inputOutput, "Cannot create a file in /tmp: \(systemMessage(errno)).")
    }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    unlink(template)
    if let code = writeAll(Array((text + "\n").utf8), to: file) {
      close(file)
      throw ClientError(.inputOutput, "Cannot write to /tmp: \(systemMessage(code)).")
    }
    lseek(file, 0, SEEK_SET)
    return file
  }
}
