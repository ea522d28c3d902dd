internal import BellhopClient
internal import BellhopText
internal import Glibc

/// A question on the terminal that started the command.
enum Question {
  /// Asks, and reads a line: yes is `y` or `yes`, anything else is no.
  ///
  /// - Returns: nil where standard input is not a terminal, so that no question can be asked.
  static func agrees(_ question: SafeText) -> Bool? {
    guard isatty(STDIN_FILENO) == 1 else { return nil }
    StandardError.ask(question + " [y/N] ")
    let answer = readLine()?.trimmed.lowercased()
    return answer == "y" || answer == "yes"
  }
}
