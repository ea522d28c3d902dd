/// A value that a shell offers, with a description for the shells that show one.
package struct Completion: Hashable, Sendable {
  package let value: String
  package let description: SafeText

  /// The largest width of a description, in cells.
  private static let descriptionCellsMax = 60

  package init(_ value: String, _ description: SafeText = .empty) {
    self.value = value
    self.description = description
  }

  /// The shells whose scripts the argument parser generates.
  package enum Shell: String, Sendable, CaseIterable {
    case bash, zsh, fish
  }

  /// The line that the shell's script expects; nil if the shell cannot take the value safely.
  ///
  /// Values come from publishers, too. The script for bash passes them to `compgen -W`, which
  /// expands `$(…)` and the like (bash(1), "Programmable Completion").
  package func line(for shell: Shell) -> String? {
    guard !value.isEmpty, value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
    else { return nil }
    let text = SafeText(
      description.string.split(whereSeparator: \.isNewline).joined(separator: " ")
    )
    .truncated(to: Self.descriptionCellsMax).string
    switch shell {
    case .bash:
      return value.allSatisfy {
        $0.isASCII && ($0.isLetter || $0.isNumber || "._-/@+".contains($0))
      }
        ? value : nil
    case .zsh:
      // A colon ends the value (zshcompsys(1), "_describe").
      let escaped = value.map { $0 == ":" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
      return text.isEmpty ? escaped : "\(escaped):\(text)"
    case .fish:
      return text.isEmpty ? value : "\(value)\t\(text)"
    }
  }
}
