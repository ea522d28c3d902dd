package import BellhopScreen
package import BellhopText
internal import Glibc

/// An event at the terminal.
package enum TerminalEvent: Hashable, Sendable {
  /// A pressed key. Typed text arrives as keys too: `.key(.character("a"))`.
  case key(Key)
  case mouse(MouseEvent)
  /// Text that the user pasted (bracketed paste), never keys. Untrusted, with LF as line breaks.
  case paste(String)
  /// A new size of the screen, which the next frame should use.
  case resize(Size)
  /// A change of the window's focus: true if gained, false if lost.
  case focus(Bool)
  /// A call of `TerminalWaker.wake`.
  case wake
  /// A signal that ends the process: SIGTERM, SIGHUP or SIGINT.
  case terminate(signal: Int32)
  /// The process's return from a stop (Ctrl-z). The screen is already restored.
  case resumed
  /// The way pictures are drawn: the answer to `TerminalDriver.askGraphics`, and later each change.
  case graphics(PictureRendering)
  /// The terminal's background: the answer to `TerminalDriver.askBackground`, and later each
  /// change.
  case background(Color)
  /// The end of input: the terminal is gone.
  case inputClosed
}

/// A handle that makes `TerminalDriver.wait` return, from any thread.
package struct TerminalWaker: Sendable {
  private let action: @Sendable () -> Void

  /// - Parameter action: A closure that is safe on any thread.
  package init(_ action: @escaping @Sendable () -> Void) {
    self.action = action
  }

  /// Makes the current or the next `wait` return with `.wake`. Several calls before that are one
  /// event.
  package func wake() { action() }
}

/// A terminal that shows frames and reports the user's input.
///
/// One thread owns it and calls all members except `waker`.
package protocol TerminalDriver: AnyObject {
  /// The size of the screen, at least 1×1.
  var size: Size { get }

  /// The waker with which other threads end a `wait`.
  var waker: TerminalWaker { get }

  /// Changes the styles. The next frame uses them.
  func use(_ styles: StyleSheet)

  /// Shows a frame. Writes only the difference from the previous one.
  ///
  /// - Throws: `TerminalError.closed` after `close()`.
  func present(_ frame: Frame) throws(TerminalError)

  /// Discards the known content of the screen, so that the next frame is written completely.
  func forget()

  /// Waits for events without using the processor.
  ///
  /// - Parameter timeout: The longest wait; nil for no limit, zero or less to only check.
  /// - Returns: The events in order; none if the timeout passed.
  func wait(timeout: Duration?) -> [TerminalEvent]

  /// Restores the terminal, stops the process as Ctrl-z does, and takes it over again afterwards.
  ///
  /// The next `wait` then begins with `.resumed`.
  func suspend()

  /// Restores the terminal while `work` runs, which may start programs in the foreground.
  ///
  /// Then shows the line that `work` returned and waits for a key; with nil it does neither. Takes over
  /// the terminal again. The screen may then have another size, and must be redrawn.
  func lend(_ work: () -> SafeText?)

  /// Determines how pictures are drawn, by a query to the terminal if needed.
  ///
  /// A later `wait` reports it with `.graphics`, after at most one second.
  func askGraphics()

  /// Queries the terminal for its background and returns immediately.
  ///
  /// A later `wait` reports it with `.background`, unless the terminal does not answer or must not
  /// be queried.
  func askBackground()

  /// Rings the bell once.
  func bell()

  /// Requests a desktop notification from the terminal, also through tmux and ssh.
  ///
  /// - Returns: False if the terminal is not known to support any. Nothing is written then.
  func notify(_ title: SafeText, _ body: SafeText, isUrgent: Bool) -> Bool

  /// Requests the terminal to copy text (OSC 52), also through tmux and ssh.
  ///
  /// - Returns: False if the text is larger than `TerminalLimits.clipboardBytesMax`. Nothing is
  ///   copied then.
  func copyToClipboard(_ text: String) -> Bool

  /// Restores the terminal. Further calls have no effect.
  func close()
}

/// Limits on the data exchanged with a terminal.
package enum TerminalLimits {
  /// The largest text that is copied. Terminals silently drop longer requests, or all of them.
  package static let clipboardBytesMax = 8 * 1024
  /// The largest paste; the rest is dropped. No input field accepts more.
  package static let pasteBytesMax = 64 * 1024
  /// The longest escape sequence that the decoder reads to its end.
  static let sequenceBytesMax = 4 * 1024
}

/// The reason why the terminal cannot be used.
package enum TerminalError: Error, Hashable, CustomStringConvertible {
  case notATerminal
  case alreadyOpen
  case noDescription(term: String)
  /// `TERM` is "dumb": the cursor cannot be moved.
  case dumb
  case system(code: Int32)
  case closed

  package var description: String {
    switch self {
    case .notATerminal:
      "The screen needs a terminal for input and output. "
        + "Use a command such as 'bellhop list' here."
    case .alreadyOpen:
      "The screen is already open."
    case .noDescription(let term):
      "This machine has no description of the terminal '\(term)' or of xterm-256color. "
        + "Install ncurses-base, or set TERM."
    case .dumb:
      "TERM is 'dumb', so the terminal cannot show a screen. "
        + "Use a command such as 'bellhop list' here, or set TERM."
    case .system(let code):
      "The terminal could not be opened: \(String(cString: strerror(code)).lowercased()). "
        + "Try again."
    case .closed:
      "The screen has been closed."
    }
  }
}
