extension SearchQuery {
  /// The number of bytes of a text that are searched. Later matches are not found.
  package static let textBytesMax = 65_536

  /// Returns the ranges of a text that match any word of the query, in order and without overlaps.
  ///
  /// Matching follows the rules of the index. A word matched by its beginning is included as a
  /// whole. A range begins and ends at a scalar boundary, possibly within a character. The cost is
  /// linear in the length of the text.
  package func matches(in text: String) -> [Range<String.Index>] {
    var found: [Range<Int>] = []
    eachMatch(in: text, bytesMax: Self.textBytesMax) { range in
      found.append(range)
      return true
    }
    var ranges: [Range<Int>] = []
    for range in found.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = ranges.last, range.lowerBound < last.upperBound {
        ranges[ranges.count - 1] =
          last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        ranges.append(range)
      }
    }
    return ranges.map { text.range(ofBytes: $0) }
  }

  /// Returns the query without the words that a text contains.
  package func missing(in text: String) -> SearchQuery {
    SearchQuery(
      phrases: phrases.filter { phrase in
        SearchQuery(phrases: [phrase]).firstMatch(in: text, bytesMax: Self.textBytesMax) == nil
      })
  }

  /// Returns the part of a text around the first match, or nil without a match.
  ///
  /// The excerpt begins a few words before the match, after "… " unless that is the beginning of
  /// the text. It is cut between words.
  ///
  /// - Parameters:
  ///   - scalarsMax: The maximum length of the excerpt, at least 32.
  ///   - bytesMax: The number of bytes of the text that are searched.
  package func excerpt(
    of text: String, scalarsMax: Int, bytesMax: Int = textBytesMax
  ) -> String? {
    guard let match = firstMatch(in: text, bytesMax: min(bytesMax, Self.textBytesMax)) else {
      return nil
    }
    let scalars = text.unicodeScalars
    let start = text.wordBoundary(
      from: scalars.index(
        match.lowerBound, offsetBy: -Self.leadScalarsMax, limitedBy: text.startIndex)
        ?? text.startIndex, to: match.lowerBound)
    let mark = start == text.startIndex ? "" : "… "
    let room = max(32, scalarsMax) - mark.unicodeScalars.count
    let end = scalars.index(start, offsetBy: room, limitedBy: text.endIndex) ?? text.endIndex
    return mark + text[start..<text.lastWordBoundary(upTo: end, from: match.upperBound)]
  }

  /// The maximum length of the text before the match in an excerpt, in scalars.
  static let leadScalarsMax = 24

  private func firstMatch(in text: String, bytesMax: Int) -> Range<String.Index>? {
    var first: Range<Int>?
    eachMatch(in: text, bytesMax: bytesMax) { range in
      first = range
      return false
    }
    return first.map { text.range(ofBytes: $0) }
  }

  /// Calls `found` with the UTF-8 range of each match until it returns false.
  ///
  /// The match that ends first comes first.
  private func eachMatch(in text: String, bytesMax: Int, _ found: (Range<Int>) -> Bool) {
    var matchers = phrases.map { PhraseMatcher($0) }
    guard !matchers.isEmpty else { return }
    var text = text
    text.withUTF8 { bytes in
      var end = min(bytes.count, bytesMax)
      while end > 0, end < bytes.count, bytes[end] & 0xC0 == 0x80 { end -= 1 }
      let isCut = end < bytes.count
      var scanner = TokenScanner()
      _ = scanner.scan(UnsafeBufferPointer(rebasing: bytes[..<end])) { token, range, _ in
        // The rest of the word is unknown.
        if isCut, range.upperBound == end { return false }
        for index in matchers.indices {
          if let start = matchers[index].take(token, at: range.lowerBound),
            !found(start..<range.upperBound)
          {
            return false
          }
        }
        return true
      }
    }
  }
}

/// The progress of a phrase in a text that is read token by token.
private struct PhraseMatcher {
  private let tokens: [[UInt8]]
  private let isPrefix: Bool
  /// The incomplete matches, the oldest first; at most one for each token.
  private var begun: [(count: Int, start: Int)] = []

  init(_ phrase: SearchQuery.Phrase) {
    tokens = phrase.tokens.map { Array($0.utf8) }
    isPrefix = phrase.isPrefix
  }

  /// Returns the beginning of the match that this token completes, or nil if it completes none.
  mutating func take(_ token: [UInt8], at position: Int) -> Int? {
    if tokens.count == 1 { return fits(token, 0) ? position : nil }
    var complete: Int?
    begun.append((0, position))
    begun = begun.compactMap { match in
      guard fits(token, match.count) else { return nil }
      guard match.count + 1 == tokens.count else { return (match.count + 1, match.start) }
      complete = match.start
      return nil
    }
    return complete
  }

  private func fits(_ token: [UInt8], _ index: Int) -> Bool {
    let wanted = tokens[index]
    guard isPrefix, index == tokens.count - 1 else { return token == wanted }
    return token.count >= wanted.count && token[..<wanted.count] == wanted[...]
  }
}

extension String {
  fileprivate func range(ofBytes range: Range<Int>) -> Range<Index> {
    let start = utf8.index(startIndex, offsetBy: range.lowerBound)
    return start..<utf8.index(start, offsetBy: range.count)
  }

  /// Returns the first beginning of a word in the range, or else the end of the range.
  ///
  /// The beginning of the text counts as the beginning of a word.
  fileprivate func wordBoundary(from start: Index, to end: Index) -> Index {
    var index = start
    while index > startIndex, index < end, !isWordStart(index) {
      index = unicodeScalars.index(after: index)
    }
    return index
  }

  /// Returns the last end of a word in the range, or else the end of the range.
  fileprivate func lastWordBoundary(upTo end: Index, from start: Index) -> Index {
    guard start < end, end < endIndex else { return end }
    var index = end
    while index > start, !isWordEnd(index) { index = unicodeScalars.index(before: index) }
    if index == start, !isWordEnd(index) { return end }
    return index
  }

  private func isWordStart(_ index: Index) -> Bool {
    switch ScalarClass(unicodeScalars[index]) {
    case .single: return true
    case .separator, .ignored: return false
    case .word:
      switch ScalarClass(unicodeScalars[unicodeScalars.index(before: index)]) {
      case .single, .separator: return true
      case .word, .ignored: return false
      }
    }
  }

  /// Returns whether a word ends before the scalar, which is not the first of the text.
  private func isWordEnd(_ index: Index) -> Bool {
    switch ScalarClass(unicodeScalars[index]) {
    case .ignored: return false
    case .separator, .single:
      return ScalarClass(unicodeScalars[unicodeScalars.index(before: index)]) != .separator
    case .word:
      return ScalarClass(unicodeScalars[unicodeScalars.index(before: index)]) == .single
    }
  }
}
