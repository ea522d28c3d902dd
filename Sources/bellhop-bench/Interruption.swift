import Dispatch
import Glibc
import Synchronization

/// Ends the child processes when this program receives a signal to end.
final class Interruption {
  private let sources: [any DispatchSourceSignal]
  private let state: State

  /// The state that the signal handlers share: whether this program is ending.
  private final class State: Sendable {
    let isEnding = Atomic(false)
  }

  /// Installs handlers for SIGINT, SIGTERM and SIGHUP.
  ///
  /// On a signal, ends the programs that this one has started, calls `clearAway`, and ends this
  /// program.
  init(clearAway: @escaping @Sendable () -> Void) {
    let state = State()
    self.state = state
    sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { @Sendable in
        state.isEnding.store(true, ordering: .relaxed)
        Self.endChildren()
        clearAway()
        // Not `exit`: measurements run on other threads, and it would destroy what they use.
        _exit(128 + number)
      }
      source.resume()
      return source
    }
  }

  /// Does not return if this program is ending.
  ///
  /// A measurement that fails because its child process was ended must not continue, and must not
  /// end the program before the cleanup is complete.
  func check() {
    while state.isEnding.load(ordering: .relaxed) { sleep(1) }
  }

  deinit { for source in sources { source.cancel() } }

  /// Ends the child processes. Each leads a session, and ends its own children on SIGTERM.
  private static func endChildren() {
    var asked: Set<Int32> = []
    for step in 0..<600 {
      let children = children()
      if children.isEmpty { return }
      for child in children {
        if step == 500 { kill(child, SIGKILL) }
        if asked.insert(child).inserted { kill(child, SIGTERM) }
      }
      usleep(10_000)
    }
  }

  /// Returns the process ids of the children that have not ended.
  private static func children() -> [Int32] {
    let own = String(getpid())
    return Files.names(in: "/proc").compactMap { Int32($0) }.filter { process in
      guard let stat = try? ProcessFigures.text("/proc/\(process)/stat"),
        let name = stat.lastIndex(of: ")")
      else { return false }
      // After the name: the state, then the parent.
      let fields = stat[name...].split(separator: " ")
      return fields.count > 2 && fields[1] != "Z" && fields[2] == own
    }
  }
}
