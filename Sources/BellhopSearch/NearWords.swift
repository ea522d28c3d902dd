/// The words of a sorted vocabulary within a few edits of a given word.
///
/// An edit inserts, removes or replaces a letter, or swaps two neighbouring letters. The search
/// jumps through the vocabulary: ``next(after:)`` skips everything that can't be near.
package struct NearWords: Sendable {
  /// The minimum number of letters. A shorter word is near too many others.
  package static let lettersMin = 3
  /// The minimum number of letters of a word that may have two edits.
  package static let lettersOfTwoEdits = 6
  /// The maximum number of letters. Longer words are encoded data rather than words.
  package static let lettersMax = 32

  package let editsMax: Int
  private let word: [Unicode.Scalar]

  /// Creates the words near a folded token.
  ///
  /// Returns nil when the token has too few or too many letters, or contains a digit.
  ///
  /// - Parameter editsMax: An upper limit of edits, used if it is lower than the limit for the
  ///   word's length.
  package init?(_ token: String, editsMax: Int = .max) {
    let word = Array(token.unicodeScalars)
    guard (Self.lettersMin...Self.lettersMax).contains(word.count), Self.isWord(token) else {
      return nil
    }
    self.word = word
    self.editsMax = min(editsMax, word.count < Self.lettersOfTwoEdits ? 1 : 2)
  }

  /// Returns whether a token contains no digit. A similar number means something different.
  package static func isWord(_ token: String) -> Bool {
    token.unicodeScalars.allSatisfy { $0.properties.numericType == nil }
  }

  /// Returns the number of edits between the word and a term, or nil if there are too many.
  package func edits(to term: String) -> Int? {
    let steps = steps(along: Array(term.unicodeScalars))
    guard let last = steps.last, steps.count == term.unicodeScalars.count + 1 else { return nil }
    let edits = last.row[word.count]
    return edits <= editsMax ? edits : nil
  }

  /// Returns the least text after `term` that is a near word or the beginning of one, or nil.
  ///
  /// Texts are ordered by scalar, as in the index.
  package func next(after term: String) -> String? {
    let term = Array(term.unicodeScalars)
    let steps = steps(along: term)
    for (count, step) in steps.enumerated().reversed() {
      let last = count < term.count ? term[count] : nil
      guard let scalar = leastScalar(above: last, after: step) else { continue }
      return completed(Array(term.prefix(count)) + [scalar], self.step(step, scalar))
    }
    return nil
  }

  /// Extends a beginning to the least near word, as far as its letters are certain.
  private func completed(_ beginning: [Unicode.Scalar], _ step: Step) -> String {
    var (text, step) = (beginning, step)
    while step.row[word.count] > editsMax, !isPromising(self.step(step, nil)),
      let scalar = leastScalar(above: nil, after: step)
    {
      text.append(scalar)
      step = self.step(step, scalar)
    }
    return String(String.UnicodeScalarView(text))
  }

  /// The beginnings of terms to search, the most likely first and the empty one last.
  ///
  /// Most typing errors leave the first letters unchanged, swap two of them, or add one.
  package var beginnings: [String] {
    let half = max(3, word.count / 2)
    var beginnings: [[Unicode.Scalar]] = [Array(word.prefix(half)), Array(word.prefix(3))]
    beginnings += Self.orders.filter { $0.allSatisfy(word.indices.contains) }
      .map { order in order.map { word[$0] } }
    var texts: [String] = []
    for scalars in beginnings {
      let text = String(String.UnicodeScalarView(scalars))
      if !texts.contains(text) { texts.append(text) }
    }
    return texts
  }

  /// The letters that each beginning takes from the word, as positions.
  private static let orders = [
    [0, 2, 1], [1, 0, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3], [0, 1], [0], [1], [],
  ]

  // MARK: Steps

  /// A row of the edit table, with the values of the previous row that a swap needs.
  private struct Step {
    /// The number of edits between the term so far and each beginning of the word.
    var row: [Int]
    var rowBefore: [Int]?
    var scalar: Unicode.Scalar?
  }

  /// Returns the rows for the term's beginnings, up to the last that a near word can have.
  private func steps(along term: [Unicode.Scalar]) -> [Step] {
    var steps = [Step(row: Array(0...word.count))]
    for scalar in term {
      let step = step(steps[steps.count - 1], scalar)
      guard isPromising(step) else { break }
      steps.append(step)
    }
    return steps
  }

  /// Returns the row that follows `step` when the term continues with `scalar`.
  ///
  /// - Parameter scalar: Nil for a scalar that the word does not contain.
  private func step(_ step: Step, _ scalar: Unicode.Scalar?) -> Step {
    var row = [step.row[0] + 1]
    row.reserveCapacity(word.count + 1)
    for index in word.indices {
      let isSame = word[index] == scalar
      var edits = min(row[index] + 1, step.row[index + 1] + 1, step.row[index] + (isSame ? 0 : 1))
      if index > 0, let before = step.rowBefore, step.scalar == word[index],
        scalar == word[index - 1]
      {
        edits = min(edits, before[index - 1] + 1)
      }
      row.append(edits)
    }
    return Step(row: row, rowBefore: step.row, scalar: scalar)
  }

  /// Returns whether a near word can begin with the term so far.
  private func isPromising(_ step: Step) -> Bool {
    if step.row.contains(where: { $0 <= editsMax }) { return true }
    // The first half of a swap.
    guard let before = step.rowBefore else { return false }
    return word.indices.dropFirst().contains { index in
      word[index] == step.scalar && before[index - 1] < editsMax
    }
  }

  /// Returns the least scalar above `bound` that may follow.
  private func leastScalar(
    above bound: Unicode.Scalar?, after step: Step
  ) -> Unicode.Scalar? {
    if isPromising(self.step(step, nil)) {
      guard let bound else { return "\u{1}" }
      return (bound.value + 1...0x10FFFF + 1).lazy.prefix(0x801).compactMap(Unicode.Scalar.init)
        .first
    }
    return word.filter { scalar in
      bound.map { scalar > $0 } ?? true && isPromising(self.step(step, scalar))
    }.min()
  }
}
