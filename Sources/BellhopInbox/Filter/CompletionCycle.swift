/// The completions of a typed line, which Tab inserts one after another.
struct CompletionCycle: Sendable {
  private var choices: [String] = []
  /// The index in ``choices`` of the completion in the line.
  private var shown = 0

  /// Returns the line after Tab, or after Shift-Tab with a `step` of -1; nil without completions.
  ///
  /// First inserts the common prefix of all completions, then each of them in turn, until the user
  /// types something else.
  mutating func next(
    after text: String, by step: Int = 1, in phrase: some TypedPhrase
  ) -> String? {
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
