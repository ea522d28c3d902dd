internal import BellhopClient
internal import BellhopText
internal import Glibc

/// A question to the user on the terminal that started the command.
enum Question {
  /// Whether standard input is a terminal, so that the user can be asked.
  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 }

  /// Asks the question and reads a line. `y` and `yes` mean yes, anything else means no.
  ///
  /// - Returns: Nil if standard input is not a terminal, so that no question can be asked.
  static func agrees(_ question: SafeText) -> Bool? {
    guard isPossible else { return nil }
    StandardError.ask(question + " [y/N] ")
    let answer = readLine()?.trimmed.lowercased()
    return answer == "y" || answer == "yes"
  }
}
