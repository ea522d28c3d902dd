import Dispatch
import Glibc
import Synchronization

/// Ends what was started when this program is asked to end.
final class Interruption {
  private let sources: [any DispatchSourceSignal]
  private let state: State

  /// Whether this program is ending.
  private final class State: Sendable {
    let isEnding = Atomic(false)
  }

  /// From now on SIGINT, SIGTERM and SIGHUP end the programs that this one has started, call
  /// `clearAway`, and end this one.
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
        // Not exit: measurements run on other threads, and what they use goes away.
        _exit(128 + number)
      }
      source.resume()
      return source
    }
  }

  /// Does not return when this program is ending: whoever misses what it has started must not go on,
  /// nor end it before all is cleared away.
  func check() {
    while state.isEnding.load(ordering: .relaxed) { sleep(1) }
  }

  deinit { for source in sources { source.cancel() } }

  /// Every child leads a session, and ends what it has started itself when it gets SIGTERM.
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

  /// Whom this process has started and who have not ended.
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
