package import BellhopModel
internal import BellhopStore
internal import Glibc
package import Logging

/// A log handler that writes events to standard error, a line each, as JSON or plain text.
///
/// Both styles escape control characters and text direction controls, so that no event can forge
/// another.
package struct LineLogHandler: LogHandler {
  /// The format of a line.
  package enum Style: Sendable {
    case json
    case plain
  }

  package var metadata = Logger.Metadata()
  package var logLevel = Logger.Level.info
  private let label: String
  private let style: Style
  private let now: @Sendable () -> Timestamp

  package init(label: String, style: Style, now: @escaping @Sendable () -> Timestamp) {
    self.label = label
    self.style = style
    self.now = now
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    let merged = metadata.merging(event.metadata ?? [:]) { $1 }
    let fields = merged.sorted { $0.key < $1.key }
      .map { ($0.key, String(describing: $0.value)) }
    var line: String
    switch style {
    case .json:
      line = "{\"time\":" + Self.quoted(now().description)
      line += ",\"level\":" + Self.quoted(event.level.rawValue)
      line += ",\"message\":" + Self.quoted(event.message.description)
      for (key, value) in fields { line += "," + Self.quoted(key) + ":" + Self.quoted(value) }
      line += "}"
    case .plain:
      line = "\(now()) \(event.level.rawValue) " + Self.escaped(event.message.description)
      for (key, value) in fields { line += " \(Self.escaped(key))=\(Self.escaped(value))" }
    }
    line += "\n"
    // A single write for each line, so that lines of several threads do not mix.
    var bytes = Array(line.utf8)
    _ = write(STDERR_FILENO, &bytes, bytes.count)
  }

  static func quoted(_ text: String) -> String { "\"" + escaped(text, quotes: true) + "\"" }

  private static func escaped(_ text: String, quotes: Bool = false) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"" where quotes, "\\": result += "\\" + String(scalar)
      case "\n": result += "\\n"
      case _ where scalar.isForbiddenInNames:
        for unit in UTF16.encode(scalar) ?? .init([]) {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: result.unicodeScalars.append(scalar)  // open: Unicode.Scalar
      }
    }
    return result
  }
}
