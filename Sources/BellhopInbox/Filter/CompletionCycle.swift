/// The ways to go on with a typed line, which Tab puts in one after the other.
struct CompletionCycle: Sendable {
  private var choices: [String] = []
  /// The one of ``choices`` that is in the line.
  private var shown = 0

  /// The line after Tab, or after Shift-Tab with a `step` of -1.
  ///
  /// First comes what all ways to go on share, then each of them in turn, until something else is
  /// typed. Nil where the line cannot go on.
  mutating func next(after text: String, by step: Int = 1, in phrase: FilterPhrase) -> String? {
    if choices.indices.contains(shown), choices[shown] == text {
      shown = (shown + step + choices.count) % choices.count
      return choices[shown]
    }
    choices = []
    if let shared = phrase.completed(text) { return shared }
    choices = phrase.completions(text)
    shown = step > 0 ? 0 : choices.count - 1
    return choices.isEmpty ? nil : choices[shown]
  }
}
