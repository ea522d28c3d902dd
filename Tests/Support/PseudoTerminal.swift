import CPty
import Glibc

/// A real program in its own pseudo-terminal, which collects its output and sends it keys.
///
/// The program is killed when this object is released. Every wait has a limit, so that a test fails
/// instead of hanging. Not for several threads at once.
package final class PseudoTerminal {
  package enum Failure: Error, CustomStringConvertible {
    case notStarted(path: String, code: Int32)
    case timeout(waitingFor: String, output: String)

    package var description: String {
      switch self {
      case .notStarted(let path, let code):
        "\(path) could not be started (system error \(code))."
      case .timeout(let text, let output):
        "Waited in vain for \(text). What was written: \(output.suffix(4000).debugDescription)"
      }
    }
  }

  /// The way in which a program ended.
  package enum Ending: Hashable, Sendable {
    case exited(Int32)
    case signaled(Int32)
  }

  /// The longest wait by default.
  package static let patience = Duration.seconds(60)

  package let processID: Int32
  /// The program's whole output so far, unchanged.
  package private(set) var output: [UInt8] = []
  private var master: Int32
  private var ending: Ending?
  private var searchedTo = 0
  private let clock = ContinuousClock()

  /// Starts a program.
  ///
  /// - Parameters:
  /// - environment: Its whole environment; nothing is inherited.
  package init(
    _ path: String, _ arguments: [String] = [], environment: [String: String],
    directory: String? = nil, columns: Int = 80, rows: Int = 24
  ) throws {
    var argv = ([path] + arguments).map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var master: Int32 = -1
    let started = cpty_spawn(path, &argv, &envp, directory, Int32(columns), Int32(rows), &master)
    guard started > 0 else { throw Failure.notStarted(path: path, code: -started) }
    processID = started
    self.master = master
  }

  deinit {
    if ending == nil {
      kill(processID, SIGKILL)
      var status: Int32 = 0
      waitpid(processID, &status, 0)
    }
    if master >= 0 { close(master) }
  }

  /// All output as text; invalid UTF-8 is repaired.
  package var text: String { String(decoding: output, as: UTF8.self) }

  /// Whether echo and line editing are on, as a shell expects its terminal.
  package var isCooked: Bool { cpty_is_cooked(master) != 0 }

  /// Sends bytes as if typed.
  package func send(_ text: String) { send(Array(text.utf8)) }

  package func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    let end = clock.now + Self.patience
    while !rest.isEmpty, clock.now < end {
      let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else {
        _ = readMore(until: clock.now + .milliseconds(10))
      }
    }
  }

  package func resize(columns: Int, rows: Int) {
    _ = cpty_resize(master, Int32(columns), Int32(rows))
  }

  /// Closes the terminal, like a closed window or a broken line.
  package func hangUp() {
    close(master)
    master = -1
  }

  /// Sends a signal to the program alone.
  package func signal(_ number: Int32) { kill(processID, number) }

  /// Reads until `text` has been written after what earlier calls have waited for.
  package func wait(for text: String, within limit: Duration = patience) throws {
    let wanted = Array(text.utf8)
    let end = clock.now + limit
    while true {
      if let found = find(wanted) {
        searchedTo = found + wanted.count
        return
      }
      if !readMore(until: end) {
        throw Failure.timeout(waitingFor: text.debugDescription, output: self.text)
      }
    }
  }

  /// Reads until `condition` holds for the whole output.
  package func wait(
    for what: String, within limit: Duration = patience, until condition: (PseudoTerminal) -> Bool
  ) throws {
    let end = clock.now + limit
    while !condition(self) {
      if !readMore(until: end) { throw Failure.timeout(waitingFor: what, output: text) }
    }
  }

  /// Reads until nothing has been written for `quiet`. For tests that expect no output.
  package func settle(quiet: Duration = .milliseconds(150)) {
    while readMore(until: clock.now + quiet) {}
  }

  /// Waits for output, removes it from ``output``, and returns it; empty if none comes.
  ///
  /// For programs that write more than a test wants to keep.
  package func takeOutput(within limit: Duration = patience) -> [UInt8] {
    if output.isEmpty { _ = readMore(until: clock.now + limit) }
    let taken = output
    output.removeAll(keepingCapacity: true)
    searchedTo = 0
    return taken
  }

  /// Waits until the program has ended in the given way.
  ///
  /// - Throws: ``NotSeen`` with its output if it ended in another; ``Failure``.
  package func waitForEnd(as expected: Ending) throws {
    let ending = try waitForEnd()
    guard ending != expected else { return }
    throw NotSeen(
      "the end \(expected)", seen: "\(ending)\n\(text.suffix(4000).debugDescription)")
  }

  /// Reads until the program has ended.
  package func waitForEnd(within limit: Duration = patience) throws -> Ending {
    let end = clock.now + limit
    while ending == nil {
      var status: Int32 = 0
      if waitpid(processID, &status, WNOHANG) == processID {
        let signal = status & 0x7F
        ending = signal == 0 ? .exited(status >> 8 & 0xFF) : .signaled(signal)
      } else if clock.now >= end {
        throw Failure.timeout(waitingFor: "the end of the program", output: text)
      } else {
        _ = readMore(until: clock.now + .milliseconds(5))
      }
    }
    while readMore(until: clock.now) {}
    return ending ?? .exited(0)
  }

  private func find(_ wanted: [UInt8]) -> Int? {
    guard !wanted.isEmpty, output.count >= searchedTo + wanted.count else { return nil }
    return (searchedTo...(output.count - wanted.count)).first { start in
      output[start] == wanted[0] && output[start..<(start + wanted.count)].elementsEqual(wanted)
    }
  }

  /// Reads the available output, waiting for it until `end`.
  ///
  /// - Returns: Whether there was any.
  private func readMore(until end: ContinuousClock.Instant) -> Bool {
    let (seconds, attoseconds) = max(.zero, end - clock.now).components
    let milliseconds = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    var source = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&source, 1, milliseconds) > 0 else { return false }
    return withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
      let count = read(master, buffer.baseAddress, buffer.count)
      guard count > 0 else { return false }
      output.append(contentsOf: buffer[..<count])
      return true
    }
  }
}
