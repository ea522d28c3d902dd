import BellhopManual
import BellhopModel
import BellhopScreen
import BellhopText

/// The open help: the keys of the place, the list of topics, or a topic.
struct HelpState: Sendable {
  enum Page: Sendable {
    case keys
    /// The topics that contain the filter, with the cursor on one of them.
    case topics(cursor: Int)
    case reading(TopicReader)
  }

  var filter = TextField()
  /// The first visible line of the keys.
  var scroll = 0
  var page = Page.keys

  var hints: [MenuHint] {
    switch page {
    case .keys:
      [
        MenuHint("Esc", "close"), MenuHint("Tab", "topics"), MenuHint("↓ ↑", "scroll"),
        MenuHint("type", "to filter"),
      ]
    case .topics:
      [
        MenuHint("Enter", "read"), MenuHint("Esc", "close"), MenuHint("Tab", "keys"),
        MenuHint("type", "to filter"),
      ]
    case .reading(let reader): reader.hints
    }
  }

  /// The topics whose text contains the filter, in any case. Those whose names begin with it are
  /// first.
  var topics: [Topic] {
    let wanted = filter.text.lowercased()
    guard !wanted.isEmpty else { return Manual.user }
    let isNamed = { (topic: Topic) in topic.name.hasPrefix(wanted) }
    let others = Manual.user.filter { topic in
      !isNamed(topic) && "\(topic.name)\n\(topic.markdown)".lowercased().contains(wanted)
    }
    return Manual.user.filter(isNamed) + others
  }

  /// Opens the topic at a position of the list, at the first match of the filter.
  mutating func open(_ index: Int) {
    guard topics.indices.contains(index) else { return }
    page = .reading(TopicReader(topics[index], words: filter.text))
  }

  /// Returns to the list of topics, with the cursor on the topic that was read.
  mutating func leave(_ reader: TopicReader) {
    page = .topics(cursor: topics.firstIndex(of: reader.topic) ?? 0)
  }

  mutating func paste(_ text: String) {
    switch page {
    case .keys, .topics: filter.insert(text)
    case .reading(var reader):
      reader.paste(text)
      page = .reading(reader)
    }
  }
}

extension Command {
  static let helpCommands: [Command] = [help]

  static let help = Command(
    id: "help", title: "keys", help: "the keys that work here, and the manual",
    synonyms: ["shortcuts", "manual", "topics"], keys: ["?"],
    places: .everywhere, chapter: .program,
    perform: { state, _ in state.overlay = .help(HelpState()) })
}

extension InboxState {
  mutating func take(_ key: Key, in help: HelpState) {
    var help = help
    var isOpen = true
    switch help.page {
    case .keys: isOpen = takeInKeys(key, &help)
    case .topics(let cursor): isOpen = takeInTopics(key, cursor: cursor, &help)
    case .reading(var reader):
      if reader.take(key) {
        help.page = .reading(reader)
      } else {
        help.leave(reader)
      }
    }
    overlay = isOpen ? .help(help) : .none
  }

  /// Handles a key on the page of keys.
  ///
  /// - Returns: false if the key closes the help.
  private func takeInKeys(_ key: Key, _ help: inout HelpState) -> Bool {
    let page = max(1, layout.body.height - 1)
    switch key {
    case .escape, .enter, .control("c"), .control("g"): return false
    case .tab, .backTab: help.page = .topics(cursor: 0)
    case .down, .control("n"): help.scroll += 1
    case .up, .control("p"): help.scroll -= 1
    case .pageDown, .control("d"): help.scroll += page
    case .pageUp: help.scroll -= page
    case .home: help.scroll = 0
    case .end: help.scroll = Int.max / 2
    default:  // open: Key
      if help.filter.take(key) { help.scroll = 0 }
    }
    scrollKeys(&help)
    return true
  }

  private func scrollKeys(_ help: inout HelpState) {
    let lines = keyLines(of: help).count
    help.scroll = min(max(0, help.scroll), max(0, lines - layout.body.height))
  }

  /// Returns the lines of the page of keys; empty while another page is open.
  func keyLines(of help: HelpState) -> [StyledLine] {
    guard case .keys = help.page else { return [] }
    return HelpLines(state: self, filter: help.filter.text).lines
  }

  /// Handles a key on the list of topics.
  ///
  /// - Returns: false if the key closes the help.
  private func takeInTopics(_ key: Key, cursor: Int, _ help: inout HelpState) -> Bool {
    func move(to index: Int) {
      help.page = .topics(cursor: min(max(0, index), max(0, help.topics.count - 1)))
    }
    switch key {
    case .escape, .control("c"), .control("g"): return false
    case .tab, .backTab: help.page = .keys
    case .enter, .right: help.open(cursor)
    case .down, .control("n"): move(to: cursor + 1)
    case .up, .control("p"): move(to: cursor - 1)
    case .pageUp, .home: move(to: 0)
    case .pageDown, .end: move(to: .max)
    default:  // open: Key
      if help.filter.take(key) { move(to: 0) }
    }
    return true
  }

  mutating func settleHelp(_ layout: Layout) {
    guard case .help(var help) = overlay, case .reading(var reader) = help.page else { return }
    reader.lay(out: layout.body.size)
    help.page = .reading(reader)
    overlay = .help(help)
  }

  mutating func wheel(_ help: HelpState, _ rows: Int) {
    var help = help
    switch help.page {
    case .keys:
      help.scroll += rows
      scrollKeys(&help)
    case .topics: break
    case .reading(var reader):
      reader.move(by: rows)
      help.page = .reading(reader)
    }
    overlay = .help(help)
  }

  /// Opens the topic of a clicked line, or closes the page.
  mutating func press(_ point: Point, in help: HelpState) {
    var help = help
    let body = layout.body
    var isOpen = true
    switch help.page {
    case .keys: isOpen = false
    case .topics(let cursor):
      let index = HelpPane.firstTopic(cursor: cursor, height: body.height) + point.y - body.y
      isOpen = body.contains(point) && help.topics.indices.contains(index)
      if isOpen { help.open(index) }
    case .reading(let reader):
      if !body.contains(point) { help.leave(reader) }
    }
    overlay = isOpen ? .help(help) : .none
  }
}
