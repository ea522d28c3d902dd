import BellhopModel
import BellhopScreen
import BellhopSearch
import BellhopText

/// The words of a search, where a line shows what matches them.
struct Highlight: Hashable, Sendable {
  private let query: SearchQuery

  /// Nil where nothing is searched for.
  init?(_ words: String) {
    query = SearchQuery(words)
    if query.isEmpty { return nil }
  }

  /// The text in pieces, with what matches in a role of its own.
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
      // Characters are not divided.
      let lower = string.wholeCharacters(upTo: range.lowerBound, isEnd: false)
      let upper = string.wholeCharacters(upTo: range.upperBound, isEnd: true)
      add(upTo: lower, role)
      add(upTo: upper, .match)
    }
    add(upTo: string.endIndex, role)
    return pieces
  }

  /// An excerpt that shows its first match within `cells`: without the words before the match for
  /// which that is too narrow.
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

  /// The lines with what matches in them; what stands at their right ends stays as it is.
  func highlighted(_ lines: [StyledLine]) -> [StyledLine] {
    lines.map { line in
      var line = line
      line.pieces = line.pieces.flatMap { pieces(of: $0.text, $0.role) }
      return line
    }
  }
}

extension String {
  /// The boundary of a character that is at the index, or next to it.
  fileprivate func wholeCharacters(upTo index: Index, isEnd: Bool) -> Index {
    guard index < endIndex else { return endIndex }
    let start = self.index(before: self.index(after: index))
    return start == index || !isEnd ? start : self.index(after: start)
  }
}

extension ListQuery {
  /// The words that its items contain; empty where it is not searched.
  var words: String {
    switch self {
    case .search(let words): words
    case .narrowed(_, let filter): filter.words
    case .tray, .handled, .history, .later, .group: ""
    }
  }
}
