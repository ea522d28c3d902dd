package import BellhopScreen
package import BellhopTerminal
package import BellhopText
import Dispatch
import Synchronization

/// A terminal in memory: keeps the frames it is shown and returns the events it is sent.
///
/// One thread plays the program and makes the calls of `TerminalDriver`; any other may call `send`
/// and read what was shown.
package final class GridTerminal: TerminalDriver, Sendable {
  private struct State {
    var size: Size
    var frames: [Frame] = []
    var events: [TerminalEvent] = []
    var styles = StyleSheet()
    var copied: [String] = []
    var bells = 0
    var notified: [[String]] = []
    var takesNotifications = true
    var means = PictureRendering.cells
    var background: Color?
    var backgroundQuestions = 0
    var suspensions = 0
    var lent: [String] = []
    var isClosed = false
  }

  private let state: Mutex<State>
  private let arrived = DispatchSemaphore(value: 0)

  package init(size: Size) {
    state = Mutex(State(size: size))
  }

  // MARK: - Controls and results

  /// Queues events; a running `wait` returns with them.
  package func send(_ events: TerminalEvent...) {
    state.withLock { state in
      for event in events {
        if case .resize(let size) = event { state.size = size }
        state.events.append(event)
      }
    }
    arrived.signal()
  }

  /// Types characters, each as a key.
  package func type(_ text: String) {
    for character in text { send(.key(.character(character))) }
  }

  package var frames: [Frame] { state.withLock { $0.frames } }
  package var lastFrame: Frame? { state.withLock { $0.frames.last } }
  package var styles: StyleSheet { state.withLock { $0.styles } }
  package var copied: [String] { state.withLock { $0.copied } }
  /// Title and body of each notification.
  package var notified: [[String]] { state.withLock { $0.notified } }
  /// Plays a terminal that is not known to support notifications.
  package func refuseNotifications() { state.withLock { $0.takesNotifications = false } }
  /// Plays a terminal that supports pictures.
  package func take(_ means: PictureRendering) { state.withLock { $0.means = means } }
  /// Plays a terminal that reports its background; without this call it does not answer.
  package func have(_ background: Color) { state.withLock { $0.background = background } }
  /// The number of queries for the background.
  package var backgroundQuestions: Int { state.withLock { $0.backgroundQuestions } }
  package var bells: Int { state.withLock { $0.bells } }
  /// The lines shown after programs had the terminal.
  package var lent: [String] { state.withLock { $0.lent } }
  package var suspensions: Int { state.withLock { $0.suspensions } }
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  // MARK: - TerminalDriver

  package var size: Size { state.withLock { $0.size } }

  package var waker: TerminalWaker {
    TerminalWaker { [self] in
      state.withLock { state in
        if !state.events.contains(.wake) { state.events.append(.wake) }
      }
      arrived.signal()
    }
  }

  package func use(_ styles: StyleSheet) {
    state.withLock { $0.styles = styles }
  }

  package func forget() {}

  package func present(_ frame: Frame) throws(TerminalError) {
    let isClosed = state.withLock { state in
      if !state.isClosed, state.frames.last != frame { state.frames.append(frame) }
      return state.isClosed
    }
    if isClosed { throw .closed }
  }

  package func wait(timeout: Duration?) -> [TerminalEvent] {
    let end = timeout.map { duration in
      let (seconds, attoseconds) = duration.components
      return DispatchTime.now() + .seconds(Int(seconds))
        + .nanoseconds(Int(attoseconds / 1_000_000_000))
    }
    while true {
      let events = state.withLock { state in
        defer { state.events = [] }
        return state.isClosed && state.events.isEmpty ? [.inputClosed] : state.events
      }
      if !events.isEmpty { return events }
      if arrived.wait(timeout: end ?? .distantFuture) == .timedOut { return [] }
    }
  }

  package func suspend() {
    state.withLock { state in
      state.suspensions += 1
      state.events.append(.resumed)
    }
    arrived.signal()
  }

  package func lend(_ work: () -> SafeText?) {
    guard let line = work() else { return }
    state.withLock { $0.lent.append(line.string) }
  }

  package func askGraphics() {
    state.withLock { $0.events.append(.graphics($0.means)) }
    arrived.signal()
  }

  package func askBackground() {
    state.withLock { state in
      state.backgroundQuestions += 1
      if let background = state.background { state.events.append(.background(background)) }
    }
    arrived.signal()
  }

  package func bell() { state.withLock { $0.bells += 1 } }

  package func notify(_ title: SafeText, _ body: SafeText, isUrgent: Bool) -> Bool {
    state.withLock { state in
      if state.takesNotifications { state.notified.append([title.string, body.string]) }
      return state.takesNotifications
    }
  }

  package func copyToClipboard(_ text: String) -> Bool {
    guard text.utf8.count <= TerminalLimits.clipboardBytesMax else { return false }
    state.withLock { $0.copied.append(text) }
    return true
  }

  package func close() {
    state.withLock { $0.isClosed = true }
    arrived.signal()
  }
}
