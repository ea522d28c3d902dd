import CPty
import Glibc
import TerminalReader

/// A program in a pseudo-terminal, with the arrival times of its output.
///
/// When this program ends, however it ends, the terminal closes and the program in it receives
/// SIGHUP.
final class Terminal {
  let processID: Int32
  /// The time at which the program was started.
  let started: ContinuousClock.Instant
  private let master: Int32
  private let clock = ContinuousClock()
  private var isOver = false
  /// The arrival of the last bytes, so that the time for processing them here is not measured.
  private var arrival: ContinuousClock.Instant
  /// The output since the last ``forget()``.
  private(set) var recent: [UInt8] = []
  /// The content of the terminal, if it is read.
  ///
  /// A program writes only differences, so that a word on the screen need not be a word of its
  /// output.
  private(set) var screen: VTReader?

  /// Starts a program in a new pseudo-terminal.
  ///
  /// - Parameter readsScreen: Whether ``screen`` is maintained, which costs time at each read.
  init(
    _ path: String, _ arguments: [String], environment: [String: String],
    directory: String? = nil, columns: Int = 120, rows: Int = 40, readsScreen: Bool = false
  ) throws {
    if readsScreen { screen = VTReader(columns: columns, rows: rows) }
    var argv = ([path] + arguments).map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var master: Int32 = -1
    started = clock.now
    arrival = started
    processID = cpty_spawn(path, &argv, &envp, directory, Int32(columns), Int32(rows), &master)
    guard processID > 0 else {
      throw BenchError("\(path) could not be started: \(String(cString: strerror(-processID)))")
    }
    self.master = master
  }

  deinit { stop() }

  /// Ends the program and waits for its end.
  ///
  /// - Returns: Whether the program ended without being killed.
  @discardableResult
  func stop() -> Bool {
    guard !isOver else { return true }
    isOver = true
    kill(processID, SIGTERM)
    var status: Int32 = 0
    let end = clock.now + .seconds(12)
    while waitpid(processID, &status, WNOHANG) == 0 {
      if clock.now > end { kill(processID, SIGKILL) }
      // It may close its terminal before it ends.
      if read(until: clock.now + .milliseconds(5)) == nil { usleep(1000) }
    }
    close(master)
    return status & 0x7F != SIGKILL
  }

  /// Forgets the output so far.
  func forget() { recent.removeAll(keepingCapacity: true) }

  /// Returns the environment for programs in a terminal.
  static func environment(home: String, adding others: [String: String] = [:]) -> [String: String] {
    var variables = [
      "HOME": home, "TERM": "xterm-256color", "LANG": "C.UTF-8",
      "PATH": "/usr/local/bin:/usr/bin:/bin",
      "TZ": "UTC",
    ]
    variables.merge(others) { $1 }
    return variables
  }

  func send(_ text: String) {
    var bytes = Array(text.utf8)[...]
    let end = clock.now + .seconds(5)
    while !bytes.isEmpty, clock.now < end {
      let count = bytes.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
      if count > 0 { bytes = bytes.dropFirst(count) }
    }
  }

  /// Reads until the output since the last ``forget()`` contains `text`.
  ///
  /// - Returns: The arrival of the bytes that completed it; now if it was there before.
  @discardableResult
  func wait(
    for text: String, within limit: Duration = .seconds(60)
  ) throws -> ContinuousClock.Instant {
    let wanted = Array(text.utf8)
    let end = clock.now + limit
    var searched = 0
    var reached = clock.now
    while true {
      if contains(wanted, from: &searched) { return reached }
      guard read(until: end) != nil else {
        let tail = String(decoding: recent.suffix(600), as: UTF8.self)
        throw BenchError("\(text) did not appear; the program printed \(tail.debugDescription)")
      }
      reached = arrival
    }
  }

  /// Reads until a whole line of the output begins with a text, and returns the line.
  func line(
    beginning start: String, within limit: Duration = .seconds(60)
  ) throws -> String {
    let end = clock.now + limit
    while true {
      // The last part is not yet complete; it is empty after the end of a line.
      let lines = String(decoding: recent, as: UTF8.self)
        .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).dropLast()
      if let line = lines.first(where: { $0.hasPrefix(start) }) { return String(line) }
      guard read(until: end) != nil else {
        throw BenchError("\(start) did not appear; the program printed \(lines.suffix(5))")
      }
    }
  }

  /// Reads until the screen, which must be maintained, meets a condition.
  ///
  /// - Parameter goal: The description of the condition, for the error.
  /// - Returns: The arrival of the bytes that made it true; now if it was true before.
  @discardableResult
  func wait(
    for goal: String, within limit: Duration = .seconds(60), until isReached: (VTReader) -> Bool
  ) throws -> ContinuousClock.Instant {
    let end = clock.now + limit
    var reached = clock.now
    while true {
      guard let screen else { throw BenchError("the screen cannot be read") }
      if isReached(screen) { return reached }
      guard read(until: end) != nil else {
        let lines = screen.lines.filter { !$0.isEmpty }.joined(separator: "\n")
        throw BenchError("\(goal) did not happen; the screen shows\n\(lines)")
      }
      reached = arrival
    }
  }

  /// Reads until the screen, which must be maintained, shows `text` in a line.
  @discardableResult
  func wait(
    toShow text: String, within limit: Duration = .seconds(60)
  ) throws -> ContinuousClock.Instant {
    try wait(for: text, within: limit) { $0.lines.contains { $0.contains(text) } }
  }

  /// Reads until there has been no output for `quiet`.
  ///
  /// - Returns: The arrival of the last bytes, and their number; nil if there was no output.
  @discardableResult
  func settle(
    quiet: Duration, within limit: Duration = .seconds(30)
  ) -> (last: ContinuousClock.Instant, bytes: Int)? {
    var last: ContinuousClock.Instant?
    var bytes = 0
    let end = clock.now + limit
    while clock.now < end, let count = read(until: clock.now + quiet) {
      last = arrival
      bytes += count
    }
    return last.map { ($0, bytes) }
  }

  private func contains(_ wanted: [UInt8], from searched: inout Int) -> Bool {
    guard recent.count >= wanted.count else { return false }
    let first = wanted[0]
    while searched <= recent.count - wanted.count {
      if recent[searched] == first,
        recent[searched..<(searched + wanted.count)].elementsEqual(wanted)
      {
        return true
      }
      searched += 1
    }
    return false
  }

  /// Reads the available bytes, waiting until `end` if necessary; nil if there are none.
  private func read(until end: ContinuousClock.Instant) -> Int? {
    var source = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    let wait = max(0, (end - clock.now).inMilliseconds).rounded(.up)
    guard poll(&source, 1, Int32(wait)) > 0 else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer -> Int? in
      let count = Glibc.read(master, buffer.baseAddress, buffer.count)
      guard count > 0 else { return nil }
      arrival = clock.now
      recent.append(contentsOf: buffer[..<count])
      screen?.read(buffer[..<count])
      return count
    }
  }
}
