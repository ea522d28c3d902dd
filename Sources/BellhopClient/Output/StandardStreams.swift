internal import BellhopInbox
internal import BellhopSync
package import BellhopText
internal import Glibc

/// Messages for the user on standard error. Commands in them appear as the user must type them.
package enum StandardError {
  /// Writes one or more lines, after making every character safe.
  package static func say(_ text: String) {
    let text = ProgramName.own.written(in: text)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      write(SafeText(String(line), byteLimit: SafeText.bodyBytesMax).string + "\n", to: 2)
    }
  }

  /// Writes text that is already safe.
  package static func say(_ text: SafeText) {
    write(ProgramName.own.written(in: text).string + "\n", to: 2)
  }

  /// Writes a line in white on black, or in the terminal's own colours if `isColoured` is false.
  package static func say(_ text: SafeText, whiteOnBlack isColoured: Bool) {
    write(
      isColoured ? "\u{1b}[38;5;231;48;5;16m\(text.string)\u{1b}[0m\n" : text.string + "\n", to: 2)
  }

  /// Writes a question, to be answered on the same line.
  package static func ask(_ question: SafeText) { write(question.string, to: 2) }
}

/// Standard output, for data.
package enum StandardOutput {
  /// Whether standard output is a terminal, so that the user probably reads it.
  package static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// The terminal's width in cells; nil if there is no terminal or it does not report one.
  package static var width: Int? {
    size?.width
  }

  /// The terminal's size in cells; nil if there is no terminal or it does not report one.
  package static var size: (width: Int, height: Int)? {
    var size = winsize()
    guard isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Writes a line of safe text.
  package static func line(_ text: SafeText) { line(PrintedText(text)) }

  /// Writes a line of safe text, with composed emoji intact.
  package static func line(_ text: PrintedText) { write(text.string + "\n", to: 1) }

  /// Writes a line of safe text to a reader that may have gone.
  ///
  /// - Returns: Whether the line was written.
  package static func offer(_ line: String) -> Bool { write(line + "\n", to: 1) }

  /// Writes a record of safe text, followed by a line feed or a NUL byte.
  ///
  /// - Returns: Whether the record was written. It is false once the reader has gone.
  package static func record(_ text: String, endsWithNUL: Bool) -> Bool {
    write(text + (endsWithNUL ? "\0" : "\n"), to: 1)
  }

  /// Writes a line of JSON. See ``JSONLine``.
  package static func jsonLine(_ value: some Encodable) throws {
    write(try JSONLine.encode(value) + "\n", to: 1)
  }
}

/// Writes all bytes, across interruptions, until the reader has gone.
///
/// - Returns: Whether all bytes were written.
@discardableResult
private func write(_ text: String, to descriptor: Int32) -> Bool {
  writeAll(Array(text.utf8), to: descriptor) == nil
}
