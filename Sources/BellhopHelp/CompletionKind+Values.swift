package import ArgumentParser
package import BellhopText

extension CompletionKind {
  /// Values that the program provides when the user completes a word.
  ///
  /// - Parameters:
  ///   - values: Returns the values.
  ///   - words: All words of the line, with the program's name first.
  ///   - index: The index of the word to complete.
  package static func values(
    _ values: @escaping @Sendable (_ words: [String], _ index: Int) -> [Completion]
  ) -> CompletionKind {
    .custom { words, index, _ in
      let shell = CompletionShell.requesting.flatMap { Completion.Shell(rawValue: $0.rawValue) }
      guard let shell else { return [] }
      return values(words, index).compactMap { $0.line(for: shell) }
    }
  }
}
