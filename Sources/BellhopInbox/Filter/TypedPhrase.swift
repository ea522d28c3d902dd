/// A language of one line, with completions for the line while it is being typed.
protocol TypedPhrase {
  /// Returns the completions of the last word, each as the whole text.
  func completions(_ text: String) -> [String]

  /// Describes the value that the text needs after its last field, such as `a tag`.
  ///
  /// Nil if the text does not end with a field.
  func valueHint(_ text: String) -> String?
}

extension TypedPhrase {
  /// Returns the problem of text being typed, once it should be shown.
  ///
  /// A last term that is incomplete is not wrong yet.
  func told(
    _ problem: FilterPhrase.SyntaxError?, of text: String
  ) -> FilterPhrase.SyntaxError? {
    guard let problem else { return nil }
    let isLast = problem.range.upperBound == text.count
    return isLast && (!completions(text).isEmpty || valueHint(text) != nil) ? nil : problem
  }

  /// Returns the longest completion that all completions share; nil if it adds nothing.
  func completed(_ text: String) -> String? {
    let completions = completions(text)
    guard var common = completions.first else { return nil }
    for completion in completions.dropFirst() {
      common = String(zip(common, completion).prefix { $0.0 == $0.1 }.map(\.0))
    }
    // A complete value needs a blank after it; the colon or the first slash of a field does not.
    if completions.count == 1, !common.hasSuffix(":"), !common.hasSuffix("~/") { common += " " }
    return common.count > text.count ? common : nil
  }
}
