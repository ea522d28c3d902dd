package import BellhopScreen
package import BellhopText
internal import Glibc

/// What happened at the terminal.
package enum TerminalEvent: Hashable, Sendable {
  /// A key. Typed text is keys too: `.key(.character("a"))`.
  case key(Key)
  case mouse(MouseEvent)
  /// Text pasted by the person (bracketed paste): never keys. Untrusted, with LF as line breaks.
  case paste(String)
  /// The screen has a new size; the next frame should have it.
  case resize(Size)
  /// The terminal's window got the focus, or lost it.
  case focus(Bool)
  /// A `TerminalWaker` was used.
  case wake
  /// A signal asked the process to end: SIGTERM, SIGHUP or SIGINT.
  case terminate(signal: Int32)
  /// The process was stopped (Ctrl-z) and goes on; the screen is already as it was.
  case resumed
  /// What pictures are drawn with here: the answer to `TerminalDriver.askGraphics`, and later what
  /// changes in it.
  case graphics(PictureMeans)
  /// The terminal's background: the answer to `TerminalDriver.askBackground`, and later each change.
  case background(Color)
  /// No key will ever come again: the terminal has gone.
  case inputClosed
}

/// Makes `TerminalDriver.wait` return, from any thread.
package struct TerminalWaker: Sendable {
  private let action: @Sendable () -> Void

  /// - Parameter action: Must be safe on any thread.
  package init(_ action: @escaping @Sendable () -> Void) {
    self.action = action
  }

  /// Makes the running `wait`, or the next one, return with `.wake`. Several calls before that are
  /// one event.
  package func wake() { action() }
}

/// A terminal: shows frames and says what the person does.
///
/// One thread owns it and calls everything but `waker`.
package protocol TerminalDriver: AnyObject {
  /// The screen, at least 1×1.
  var size: Size { get }

  /// Lets other threads end a `wait`.
  var waker: TerminalWaker { get }

  /// Changes the colours; the next frame is drawn with them.
  func use(_ styles: StyleSheet)

  /// Shows a frame. Writes only what differs from the one before, nothing for the same.
  ///
  /// - Throws: `TerminalError.closed` after `close()`.
  func present(_ frame: Frame) throws(TerminalError)

  /// What the terminal shows is no longer known: the next frame is written whole.
  func forget()

  /// Waits until something happens, without using the processor meanwhile.
  ///
  /// - Parameter timeout: The longest wait; nil for ever, zero or less only looks.
  /// - Returns: What happened, in order; nothing when the time was up.
  func wait(timeout: Duration?) -> [TerminalEvent]

  /// Gives the terminal back, stops the process as Ctrl-z does, and takes it over again when the
  /// process goes on. The next `wait` then begins with `.resumed`.
  func suspend()

  /// Gives the terminal back while `work` runs, which may start programs in the foreground; then
  /// shows the line that it returned, waits for a key, and takes the terminal over again. The screen
  /// may have another size then, and has to be painted anew.
  func lend(_ work: () -> SafeText)

  /// Finds out what pictures are drawn with, if need be by asking the terminal; a coming `wait` says
  /// so with `.graphics`, a second later at most.
  func askGraphics()

  /// Asks the terminal for its background and returns at once; a coming `wait` says it with
  /// `.background`. Nothing comes from a terminal that does not answer, or must not be asked.
  func askBackground()

  /// Rings once.
  func bell()

  /// Asks the terminal to have its desktop show a notification, also through tmux and ssh.
  ///
  /// - Returns: false when the terminal is not known to take any; then nothing is written.
  func notify(_ title: SafeText, _ body: SafeText, isUrgent: Bool) -> Bool

  /// Asks the terminal to copy text (OSC 52), also through tmux and ssh.
  ///
  /// - Returns: false when the text is larger than `TerminalLimits.clipboardBytesMax`; then nothing
  ///   is copied.
  func copyToClipboard(_ text: String) -> Bool

  /// Gives the terminal back as it was. More than once does nothing.
  func close()
}

/// Bounds of what goes between us and a terminal.
package enum TerminalLimits {
  /// The largest text that is copied: terminals drop longer requests silently, or all of them.
  package static let clipboardBytesMax = 8 * 1024
  /// The largest paste; the rest is dropped. No field takes more.
  package static let pasteBytesMax = 64 * 1024
  /// The longest escape sequence of a terminal that is waited for to its end.
  static let sequenceBytesMax = 4 * 1024
}

/// Why there is no terminal to draw on.
package enum TerminalError: Error, Hashable, CustomStringConvertible {
  case notATerminal
  case alreadyOpen
  case noDescription(term: String)
  /// `TERM` is "dumb": no cursor can be moved.
  case dumb
  case system(code: Int32)
  case closed

  package var description: String {
    switch self {
    case .notATerminal:
      "The screen needs a terminal as input and output. "
        + "Nothing was changed; use a command such as 'bellhop list' here."
    case .alreadyOpen:
      "The screen is open already."
    case .noDescription(let term):
      "The terminal '\(term)' is not described on this machine, and neither is xterm-256color. "
        + "Nothing was changed; install ncurses-base, or set TERM."
    case .dumb:
      "The terminal says it is 'dumb': a screen cannot be drawn on it. "
        + "Nothing was changed; use a command such as 'bellhop list' here, or set TERM."
    case .system(let code):
      "The terminal could not be opened: \(String(cString: strerror(code)).lowercased()). "
        + "Nothing was changed. Try again."
    case .closed:
      "The screen has been closed."
    }
  }
}
