internal import BellhopInbox
package import BellhopText
internal import Glibc

/// Messages for the person, on standard error. Commands in them are written as the person has to type
/// them.
package enum StandardError {
  /// Writes a line or several; every character is made safe first.
  package static func say(_ text: String) {
    let text = ProgramName.own.written(in: text)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      write(SafeText(String(line), byteLimit: SafeText.bodyBytesMax).string + "\n", to: 2)
    }
  }

  /// Writes text that is safe already.
  package static func say(_ text: SafeText) {
    write(ProgramName.own.written(in: text).string + "\n", to: 2)
  }

  /// Writes a line in white on black, whatever the terminal's own colours are; with `isColoured`
  /// false in those.
  package static func say(_ text: SafeText, whiteOnBlack isColoured: Bool) {
    write(
      isColoured ? "\u{1b}[38;5;231;48;5;16m\(text.string)\u{1b}[0m\n" : text.string + "\n", to: 2)
  }

  /// Asks on the line where the answer is typed.
  package static func ask(_ question: SafeText) { write(question.string, to: 2) }
}

/// Data: standard output.
package enum StandardOutput {
  /// Whether a person is likely to read it.
  package static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// The terminal's width in cells; nil when it is none, or does not say.
  package static var width: Int? {
    size?.width
  }

  /// The terminal's size in cells; nil when it is none, or does not say.
  package static var size: (width: Int, height: Int)? {
    var size = winsize()
    guard isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Writes one line of text that is safe.
  package static func line(_ text: SafeText) { line(PrintedText(text)) }

  /// Writes one line of text that is safe, with composed emoji whole.
  package static func line(_ text: PrintedText) { write(text.string + "\n", to: 1) }

  /// Writes one line of text that is safe, where the reader may have gone.
  ///
  /// - Returns: whether it was written.
  package static func offer(_ line: String) -> Bool { write(line + "\n", to: 1) }

  /// Writes one record of text that is safe, and a line feed or a NUL byte.
  ///
  /// - Returns: Whether it was written: a reader that went away gets no more.
  package static func record(_ text: String, endsWithNUL: Bool) -> Bool {
    write(text + (endsWithNUL ? "\0" : "\n"), to: 1)
  }

  /// Writes one line of JSON; see ``JSONLine``.
  package static func jsonLine(_ value: some Encodable) throws {
    write(try JSONLine.encode(value) + "\n", to: 1)
  }
}

/// Writes everything, across interruptions; gives up when the reader has gone.
///
/// - Returns: whether everything was written.
@discardableResult
private func write(_ text: String, to descriptor: Int32) -> Bool {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR || errno == EAGAIN { continue }
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}
