internal import BellhopClient
internal import BellhopInbox
internal import BellhopScreen
internal import BellhopTerminal
internal import BellhopText

/// The form in which `bellhop list` and `bellhop search` print items.
package struct ListingForm: Sendable {
  /// The form of each item.
  package enum Kind: Sendable {
    /// The screen's rows on a terminal, otherwise ``columns``.
    case automatic
    /// Number, state, level, time, app and text in fixed columns.
    case columns
    case json
    case ids
    /// Text with keys of `--json` in braces.
    case template(String)
  }

  package var kind: Kind
  /// Whether each item ends with a NUL byte instead of a line feed.
  package var endsWithNUL: Bool

  package init(_ kind: Kind, endsWithNUL: Bool = false) {
    self.kind = kind
    self.endsWithNUL = endsWithNUL
  }

  /// The number of items that are printed if no limit is given.
  static let usualLimit = 100

  /// Whether another command reads the output. It gets all items unless a limit is given.
  var isForCommands: Bool {
    if case .ids = kind { return true }
    return endsWithNUL
  }

  /// Returns the largest number of items to print.
  ///
  /// - Parameter limit: The given limit: 0 for all, nil if there is none.
  func rowsMax(limit: Int?) -> Int {
    guard let limit else { return isForCommands ? .max : Self.usualLimit }
    return limit == 0 ? .max : limit
  }
}

/// The colours and the width of rows on a terminal.
struct RowStyle: Sendable {
  let width: Int
  private let styles: StyleSheet
  private let depth: ColorDepth

  /// Returns nil if rows cannot be drawn, because standard output is not a terminal or not UTF-8.
  init?(_ context: ClientContext) {
    guard let width = StandardOutput.width, context.environment.hasUTF8Locale else { return nil }
    self.width = width
    styles =
      ThemeChoice.styles(
        named: context.configuration.theme, on: ThemeChoice.knownBackground(context),
        context: context
      ).styles
    depth = ColorDepth(environment: context.environment)
  }

  /// Returns the row with its colours, without a line end.
  func text(_ row: PrintedRow, _ columns: PrintedRow.Columns) -> String {
    FrameText.lines(row.frame(columns), styles: styles, depth: depth).joined()
  }
}

extension [String: String] {
  /// Whether the locale is UTF-8 (POSIX, "Environment Variables": `LC_ALL`, `LC_CTYPE`, `LANG`).
  var hasUTF8Locale: Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { self[$0] }
      .first { !$0.isEmpty }
    let name = locale?.lowercased() ?? ""
    return name.contains("utf-8") || name.contains("utf8")
  }
}

extension ColorDepth {
  /// Derives the terminal's colours from the environment, and whether the user wants any.
  init(environment: [String: String]) {
    let term = environment["TERM"] ?? ""
    if environment["NO_COLOR"]?.isEmpty == false {
      self = .monochrome
    } else if ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "")
      || term.contains("direct")
    {
      self = .direct
    } else if term.contains("256") || term.hasPrefix("xterm-kitty") || term.hasPrefix("foot") {
      self = .indexed256
    } else {
      self = term == "dumb" ? .monochrome : .ansi16
    }
  }
}
