/// The part of the language rule that a program can check.
///
/// A documentation comment begins with a noun phrase or a verb, its first sentence is short, and a text
/// names the actor.
package enum PlainLanguage {
  /// Words that begin a description where English has a noun or a verb.
  package static let openings: Set<Substring> = [
    "What", "Who", "Whose", "Whoever", "Where", "Of", "Those", "Nothing", "Nobody", "Somebody",
  ]
  package static let sentenceWordsMax = 20
  /// Words that hide who acts, and two words that English does not use in this sense.
  package static var unnamedActor: Regex<Substring> {
    #/\b(?i:nobody|somebody|whoever|(?:is|are|was|were) told|anew|mend(?:s|ed)?)\b/#
  }

  /// The first paragraph of each documentation comment of a file, with the comment's line.
  package static func summaries(in file: SourceTree.File) -> [(line: Int, text: String)] {
    var found: [(line: Int, text: String)] = []
    var isInComment = false
    var isInSummary = false
    for (index, line) in file.lines.enumerated() {
      let code = line.drop { $0 == " " }
      guard code.hasPrefix("///") else {
        isInComment = false
        continue
      }
      if !isInComment {
        (isInComment, isInSummary) = (true, true)
        found.append((index + 1, ""))
      }
      let text = code.dropFirst(3).drop { $0 == " " }
      if text.isEmpty || text.hasPrefix("- ") { isInSummary = false }
      if isInSummary {
        found[found.count - 1].text += found[found.count - 1].text.isEmpty ? text : " " + text
      }
    }
    return found.filter { !$0.text.isEmpty }
  }

  /// The words of a text's first sentence; a piece of code counts as one.
  package static func firstSentence(of text: String) -> [Substring] {
    let plain = text.replacing(#/`[^`]*`/#, with: "code")
    let end = plain.firstMatch(of: #/[^A-Z0-9§.][.!?](\s|$)/#)?.range.upperBound ?? plain.endIndex
    return plain[..<end].split(separator: " ").filter { word in
      word.contains { $0.isLetter || $0.isNumber }
    }
  }

  /// Returns what is wrong with a summary; nil if it follows the rule.
  package static func fault(in summary: String) -> String? {
    let words = firstSentence(of: summary)
    let first = words.first?.prefix { $0.isLetter } ?? ""
    if openings.contains(first) { return "begins with \(first)" }
    if words.count > sentenceWordsMax {
      return "has \(words.count) words in its first sentence; \(sentenceWordsMax) are the limit"
    }
    return nil
  }
}
