import BellhopText

/// A link that may be opened or copied (SECURITY-3).
public struct Link: Hashable, Sendable {
  /// Safe to hand over as one argument.
  public let url: String

  /// The longest link that is copied or opened.
  public static let bytesMax = 8192
  private static let schemes = ["https://", "http://", "mailto:"]

  /// Nil unless `text` is an https, http or mailto link without control characters, blanks,
  /// invisible characters or user information.
  public init?(_ text: String) {
    guard text.utf8.count <= Self.bytesMax,
      let scheme = Self.schemes.first(where: { text.lowercased().hasPrefix($0) })
    else { return nil }
    let rest = text.dropFirst(scheme.count)
    guard let first = rest.first, first != "-", first != "/", first != "?", first != "#" else {
      return nil
    }
    // Whatever would be drawn as something else than itself hides something.
    guard !text.contains(where: { $0.isWhitespace || $0 == "\\" || $0 == "\"" }),
      SafeText(text, byteLimit: Self.bytesMax).string == text
    else { return nil }
    if scheme != "mailto:" {
      let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
      guard !authority.contains("@") else { return nil }
    }
    url = text
  }
}
