internal import BellhopText
internal import Glibc

/// The program's output: data on standard output, messages on standard error.
///
/// All text that a command prints passes through here, and every line is made safe: names come from
/// devices and publishers, and the terminal is often the administrator's.
enum Output {
  /// Writes a line of data.
  static func line(_ text: String) { write(safe(text) + "\n", to: STDOUT_FILENO) }

  /// Writes a line of JSON. Unsafe characters are escaped, which preserves the values.
  static func json(_ text: String) { write(SafeJSON.escaped(text) + "\n", to: STDOUT_FILENO) }

  /// Writes a text of several lines that includes its line ends.
  static func text(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    write(lines.map { safe(String($0)) }.joined(separator: "\n"), to: STDOUT_FILENO)
  }

  /// Writes a message to the administrator.
  static func error(_ text: String) { write(safe(text) + "\n", to: STDERR_FILENO) }

  /// Returns one line, whatever the text contains. No line of this program reaches the limit.
  private static func safe(_ text: String) -> String {
    SafeText(text, byteLimit: SafeText.bodyBytesMax).string
  }

  /// Writes without a buffer, because the program that started the store waits for its line.
  private static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    var position = 0
    while position < bytes.count {
      let count = bytes[position...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return }
      position += count
    }
  }
}
