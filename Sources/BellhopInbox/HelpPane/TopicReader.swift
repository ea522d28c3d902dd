import BellhopManual
import BellhopScreen
import BellhopText

/// A topic of the manual being read, with the scroll position and a search in its text.
struct TopicReader: Sendable {
  let topic: Topic
  /// The lines, with the matches of the search highlighted.
  private(set) var lines: [StyledLine] = []
  private(set) var scroll = 0
  /// The words being typed; nil if the user is not typing.
  private(set) var field: TextField?
  /// The words of the last search.
  private(set) var words: String
  /// The lines that match the search.
  private(set) var matches: [Int] = []
  /// The position of the current match in ``matches``.
  private(set) var match: Int?
  private var size = Size(width: 0, height: 0)

  /// The maximum width of lines; longer ones are hard to read.
  private static let widthMax = 100

  init(_ topic: Topic, words: String = "") {
    self.topic = topic
    self.words = words
  }

  var hints: [MenuHint] {
    if field != nil { return [MenuHint("Enter", "find"), MenuHint("Esc", "back")] }
    let found = matches.isEmpty ? [] : [MenuHint("n N", "next match")]
    return [MenuHint("Esc", "back"), MenuHint("↓ ↑", "scroll"), MenuHint("/", "find")] + found
  }

  /// The note on the right of the title: the number of the match.
  var note: SafeText {
    guard !words.isEmpty else { return .empty }
    guard let match else { return "not found" }
    return SafeText("\(match + 1) of \(matches.count)")
  }

  /// Lays the topic out for a pane of `size`, and shows the first match of a new search.
  mutating func lay(out size: Size) {
    guard size != self.size else { return }
    self.size = size
    draw()
    if match == nil { findFirst() }
    move(to: scroll)
  }

  private mutating func draw() {
    let width = max(1, min(size.width - 2, Self.widthMax))
    lines = topic.document.lines(width: width).map { StyledLine($0) }
    matches = []
    if let highlight = Highlight(words) {
      lines = highlight.highlighted(lines)
      matches = lines.indices.filter { lines[$0].pieces.contains { $0.role == .match } }
    }
    match = match.flatMap { matches.isEmpty ? nil : min($0, matches.count - 1) }
  }

  // MARK: - Keys

  /// Handles a key.
  ///
  /// - Returns: false if the key leaves the topic.
  mutating func take(_ key: Key) -> Bool {
    if var field {
      switch key {
      case .escape, .control("c"), .control("g"): self.field = nil
      case .enter:
        self.field = nil
        find(field.text)
      default:  // open: Key
        _ = field.take(key)
        self.field = field
      }
      return true
    }
    switch key {
    case .escape, .left, .character("q"), .character("h"), .control("c"), .control("g"):
      return false
    case .down, .character("j"), .enter, .control("n"): move(by: 1)
    case .up, .character("k"), .control("p"): move(by: -1)
    case .pageDown, .character(" "), .control("d"): move(by: max(1, size.height - 1))
    case .pageUp, .control("u"): move(by: -max(1, size.height - 1))
    case .home, .character("g"): move(to: 0)
    case .end, .character("G"): move(to: .max)
    case .character("/"): field = TextField()
    case .character("n"): step(by: 1)
    case .character("N"): step(by: -1)
    default: break  // open: Key
    }
    return true
  }

  mutating func paste(_ text: String) { field?.insert(text) }

  // MARK: - Moving

  mutating func move(by offset: Int) { move(to: scroll + offset) }

  private mutating func move(to line: Int) {
    scroll = min(max(0, line), max(0, lines.count - size.height))
  }

  private mutating func find(_ words: String) {
    self.words = words
    match = nil
    draw()
    findFirst()
  }

  /// Shows the first match from the first visible line on.
  private mutating func findFirst() {
    guard !matches.isEmpty else { return }
    match = matches.firstIndex { $0 >= scroll } ?? 0
    showMatch()
  }

  /// Shows the next or the previous match, and continues at the other end.
  private mutating func step(by offset: Int) {
    guard !matches.isEmpty else { return }
    match = ((match ?? 0) + offset + matches.count) % matches.count
    showMatch()
  }

  private mutating func showMatch() {
    guard let match else { return }
    let line = matches[match]
    if line < scroll || line >= scroll + size.height { move(to: line - size.height / 3) }
  }
}
