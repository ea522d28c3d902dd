import BellhopTestSupport

/// The rules for every error text.
enum TextRules {
  /// The errors in a text, one per line; none if it is good.
  static func flaws(in text: String) -> [String] {
    var flaws: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.first.map({ $0.isWhitespace }) ?? true { flaws.append("a line without words") }
      let isCommand = line.hasPrefix("Run: ") || line.hasPrefix("Run as root: ")
      if !isCommand, !".?".contains(line.last ?? " ") {
        flaws.append("a line without an end: \(line)")
      }
      if let first = line.first, first.isLowercase, !beginsWithName(line) {
        flaws.append("a line without a capital letter: \(line)")
      }
    }
    for (pattern, what) in patterns where text.contains(pattern) { flaws.append("it has \(what)") }
    for word in words(of: text) where isIdentifier(word) {
      flaws.append("it names the type or member \(word)")
    }
    return flaws
  }

  /// Internals of the program, and signs of careless joining.
  private static var patterns: [(Regex<Substring>, String)] {
    [
      (/Optional\(/, "Optional("), (/\/\.build\//, "a build path"), (/\.swift\b/, "a source file"),
      (/\bnil\b/, "nil"), (/0x[0-9a-f]{4,}/, "an address"),
      (/\berror:? -?[0-9]+\b/.ignoresCase(), "the number of an error without words"),
      (/\bSwift\.|OPENSSL|BoringSSL|\bNIO\w*|\berrno\b/, "words of a library"),
      (/\.\.(?!\.)|[.?!] *\. |  +|\s[.,;:?!](?:\s|$)|\(\)|“”|""/, "punctuation of empty parts"),
      (/\b1 \w+s (?:are|were|have)\b/, "several of one"),
      (PlainLanguage.unnamedActor, "a word that is not plain"),
    ]
  }

  private static func words(of text: String) -> [Substring] {
    text.split { !$0.isLetter && !$0.isNumber && !"_/.-".contains($0) }
      // Paths and hosts are names that the user knows.
      .filter { !$0.contains("/") && !$0.dropLast().contains(".") }
      .map { $0.last == "." ? $0.dropLast() : $0 }
  }

  /// Names in mixed case that users know.
  private static let names: Set<Substring> = [
    "OpenID", "SQLite", "KiB", "MiB", "GiB", "LimitNOFILE", "LoadCredential", "PgDn",
  ]

  /// Whether the word is written `likeThis` or `LikeThis`.
  private static func isIdentifier(_ word: Substring) -> Bool {
    guard !names.contains(word), word.contains(where: \.isLowercase) else { return false }
    return word.split(separator: "-").contains { $0.dropFirst().contains(where: \.isUppercase) }
  }

  /// Whether the first word is a host, a path, a setting or a command.
  private static func beginsWithName(_ line: Substring) -> Bool {
    let word = line.prefix { $0 != " " }
    return word.dropLast().contains { "./-_=:".contains($0) } || word == "bellhop"
  }
}
