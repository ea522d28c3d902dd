import BellhopModel
import BellhopScreen
import BellhopSearch
import BellhopText

/// The words of a search, for highlighting matches in lines.
struct Highlight: Hashable, Sendable {
  private let query: SearchQuery

  /// Creates a highlight; nil if there are no words.
  init?(_ words: String) {
    query = SearchQuery(words)
    if query.isEmpty { return nil }
  }

  /// Returns the text in pieces, with a role of their own for matches.
  func pieces(of text: SafeText, _ role: StyleRole) -> [StyledLine.Piece] {
    let string = text.string
    let ranges = query.matches(in: string)
    guard !ranges.isEmpty else { return [StyledLine.Piece(text: text, role: role)] }
    var pieces: [StyledLine.Piece] = []
    var end = string.startIndex
    func add(upTo next: String.Index, _ role: StyleRole) {
      guard end < next else { return }
      pieces.append(StyledLine.Piece(text: SafeText(String(string[end..<next])), role: role))
      end = next
    }
    for range in ranges {
      // Never divide characters.
      let lower = string.wholeCharacters(upTo: range.lowerBound, isEnd: false)
      let upper = string.wholeCharacters(upTo: range.upperBound, isEnd: true)
      add(upTo: lower, role)
      add(upTo: upper, .match)
    }
    add(upTo: string.endIndex, role)
    return pieces
  }

  /// Returns an excerpt whose first match is visible within `cells`.
  ///
  /// Omits as many words before the match as necessary.
  func excerpt(_ text: SafeText, cells: Int) -> SafeText {
    let string = text.string
    guard let match = query.matches(in: string).first else { return text }
    func isInSight(from start: String.Index, _ mark: SafeText) -> Bool {
      (mark + SafeText(String(string[start..<match.upperBound]))).width < cells
    }
    if isInSight(from: string.startIndex, .empty) { return text }
    let mark: SafeText = "… "
    var start = match.lowerBound
    while let space = string[..<start].dropLast().lastIndex(of: " "),
      isInSight(from: string.index(after: space), mark)
    {
      start = string.index(after: space)
    }
    return mark + SafeText(String(string[start...]))
  }

  /// Highlights the matches in lines, except in the pieces at their right ends.
  func highlighted(_ lines: [StyledLine]) -> [StyledLine] {
    lines.map { line in
      var line = line
      line.pieces = line.pieces.flatMap { pieces(of: $0.text, $0.role) }
      return line
    }
  }
}

extension String {
  /// Returns the boundary of a character at the index, or next to it.
  fileprivate func wholeCharacters(upTo index: Index, isEnd: Bool) -> Index {
    guard index < endIndex else { return endIndex }
    let start = self.index(before: self.index(after: index))
    return start == index || !isEnd ? start : self.index(after: start)
  }
}

extension ListQuery {
  /// The words that its items contain; empty if the list is not a search.
  var words: String {
    switch self {
    case .search(let words): words
    case .narrowed(_, let filter): filter.words
    case .tray, .handled, .history, .later, .group: ""
    }
  }
}
