internal import BellhopClient
internal import BellhopText
internal import Glibc

/// A QR code for a phone's camera, created by the program `qrencode` if that is installed.
///
/// The program's output is read as a matrix of dark and light modules and never reaches the
/// terminal.
struct QRCode: Hashable, Sendable {
  /// The rows of modules, true for dark, with a light margin.
  let rows: [[Bool]]

  /// The longest link. Codes of longer ones do not fit on a terminal.
  private static let linkBytesMax = 512
  /// The most modules per side. The largest QR code has 177, plus its margin.
  private static let sideMax = 200

  /// Returns nil if there is no such program or its output is not as expected.
  init?(of link: String, environment: [String: String]) {
    guard link.utf8.count <= Self.linkBytesMax,
      let program = ChildProcess.find("qrencode", environment: environment),
      let answer = try? ChildProcess.run(
        program, ["-t", "ASCII", "-m", "2", "-o", "-"], input: link),
      answer.exitCode == 0
    else { return nil }
    self.init(ascii: answer.output)
  }

  /// Parses qrencode's `ASCII` form: two characters per module, `##` for dark.
  init?(ascii text: String) {
    var rows: [[Bool]] = []
    for line in text.split(separator: "\n") {
      let bytes = Array(line.utf8)
      guard bytes.allSatisfy({ $0 == 0x20 || $0 == UInt8(ascii: "#") }) else { return nil }
      rows.append(stride(from: 0, to: bytes.count, by: 2).map { bytes[$0] != 0x20 })
    }
    // Trailing blanks may be missing.
    let side = rows.map(\.count).max() ?? 0
    guard (21...Self.sideMax).contains(side), rows.count == side else { return nil }
    self.rows = rows.map { $0 + Array(repeating: false, count: side - $0.count) }
  }

  /// The lines of half blocks, two modules each.
  ///
  /// Light modules are drawn, as on a dark terminal. With explicit colours, the terminal's own do
  /// not matter.
  var lines: [String] {
    stride(from: 0, to: rows.count, by: 2).map { top in
      let bottom = top + 1 < rows.count ? rows[top + 1] : Array(repeating: false, count: width)
      return String(
        zip(rows[top], bottom).map { upper, lower -> Character in
          switch (upper, lower) {
          case (false, false): "█"
          case (false, true): "▀"
          case (true, false): "▄"
          case (true, true): " "
          }
        })
    }
  }

  /// The width in cells.
  var width: Int { rows.first?.count ?? 0 }

  /// The number of text lines that must fit below the picture.
  private static let textLines = 5

  /// Shows the code on standard error, if that is a large enough terminal with UTF-8.
  ///
  /// - Returns: Whether the code was shown.
  func show(environment: [String: String]) -> Bool {
    var size = winsize()
    guard isatty(STDERR_FILENO) == 1, ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0,
      Int(size.ws_col) >= width, Int(size.ws_row) >= lines.count + Self.textLines,
      environment.hasUTF8Locale
    else { return false }
    let hasColours = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    for line in lines {
      StandardError.say(SafeText(line), whiteOnBlack: hasColours)
    }
    return true
  }
}
