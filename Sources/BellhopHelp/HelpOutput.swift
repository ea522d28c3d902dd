package import BellhopManual
internal import Glibc

/// The destination of help: a terminal of some width, or a pipe.
package struct HelpOutput {
  /// The width of lines, in cells.
  package let width: Int
  package let style: TextStyle
  private let pager: Pager?

  /// The width of a pipe, and the maximum width of a terminal: longer lines are hard to read.
  package static let pipeWidth = 80
  package static let widthMax = 100

  /// The output of this process.
  package static var standard: HelpOutput {
    var size = winsize()
    guard isatty(STDOUT_FILENO) == 1 else {
      return HelpOutput(width: pipeWidth, style: .plain, pager: nil)
    }
    let hasSize = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    let style: TextStyle =
      switch (variable("TERM"), variable("NO_COLOR")) {
      case ("dumb"?, _), (nil, _): .plain
      case (_, let noColor?) where !noColor.isEmpty: .monochrome
      case (_, _): .coloured
      }
    let folders = (variable("PATH") ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
    return HelpOutput(
      width: hasSize ? min(Int(size.ws_col), widthMax) : pipeWidth, style: style,
      pager: Pager(
        pager: variable("PAGER"), hasLess: folders.contains { access($0 + "/less", X_OK) == 0 }))
  }

  /// Shows a page, through the pager if there is one.
  package func show(_ page: HelpPage) {
    let text = page.text(width: width, style)
    if let pager, pager.show(text) { return }
    Self.write(text)
  }

  /// Writes text to standard output.
  static func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
