internal import Glibc

/// The program that shows long texts page by page, such as `less`.
package struct Pager: Hashable {
  /// The command line for `sh`.
  package let command: String

  /// Creates the pager of the environment variable `PAGER`, otherwise `less` if it is installed.
  ///
  /// Nil if there is none, or if `PAGER` is empty or `cat`: the text is then written directly.
  package init?(pager: String?, hasLess: Bool) {
    switch pager {
    case ""?, "cat"?: return nil
    case let pager?: command = pager
    case nil:
      guard hasLess else { return nil }
      command = "less"
    }
  }

  /// Shows the text and waits until the user leaves the pager.
  ///
  /// `less` passes colours on and ends by itself if the text fits on the screen, unless the
  /// variable `LESS` has the user's own options.
  ///
  /// - Returns: Whether the pager could be started.
  package func show(_ text: String) -> Bool {
    guard let input = popen(": \"${LESS=FRX}\"; export LESS; \(command)", "w") else {
      return false
    }
    // Leaving the pager before the end of the text, or with Ctrl-C, does not end this program.
    let handlers = [SIGPIPE, SIGINT].map { (number: $0, handler: signal($0, SIG_IGN)) }
    defer { for (number, handler) in handlers { _ = signal(number, handler) } }
    _ = fwrite(text, 1, text.utf8.count, input)
    let commandNotFound: Int32 = 127
    return pclose(input) >> 8 & 0xff != commandNotFound
  }
}
