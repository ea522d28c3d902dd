extension RegularExpression {
  /// Returns the pattern that matches exactly this text: characters with a meaning get a backslash.
  public static func escaped(_ text: String) -> String {
    var pattern = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if special.contains(scalar) { pattern.append("\\") }
      pattern.append(scalar)
    }
    return String(pattern)
  }

  /// The characters that have a meaning outside a class.
  private static let special = Set("\\.*+?{()[|^$".unicodeScalars)
}
