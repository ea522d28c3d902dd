import BellhopModel
import BellhopScreen
import BellhopText

/// The words typed to find a command, and what is chosen of what they find.
struct PaletteState: Sendable {
  var field = TextField()
  var selected = 0
}

extension InboxState {
  /// What the words find, the best first; without words everything, what can be done here first.
  func paletteEntries(_ palette: PaletteState) -> [PaletteEntry] {
    let all = allPaletteEntries
    let found = all.enumerated().compactMap { index, entry in
      entry.score(palette.field.text).map { (entry: entry, score: $0, index: index) }
    }
    return found.sorted { left, right in
      if left.score != right.score { return left.score > right.score }
      if left.entry.isHere != right.entry.isHere { return left.entry.isHere }
      return left.index < right.index
    }.map(\.entry)
  }

  private var allPaletteEntries: [PaletteEntry] {
    let place = place
    var entries = Command.allCases.filter { $0 != .palette }.map { command in
      PaletteEntry(
        deed: .command(command), title: command.spec.title, help: command.spec.help,
        keys: keymap.sequences(of: command).map(\.description),
        isHere: command.spec.places.contains(place))
    }
    guard accounts.areSeveral else { return entries }
    for choice in accounts.choices {
      let name = choice.map { accounts.label(of: $0).string }
      entries.append(
        PaletteEntry(
          deed: .account(choice), title: name.map { "account \($0)" } ?? "all accounts",
          help: name.map { "only what is of \($0)" } ?? "what is of all accounts together",
          keys: [], isHere: true))
    }
    return entries
  }

  mutating func take(_ key: Key, in palette: PaletteState, _ effects: inout [Effect]) {
    var palette = palette
    let count = paletteEntries(palette).count
    func moved(by step: Int) -> Int { min(max(0, palette.selected + step), max(0, count - 1)) }
    let page = max(1, PalettePane.rows(in: layout.body).height - 1)
    switch key {
    case .escape, .control("c"), .control("g"):
      overlay = .none
      return
    case .backspace where palette.field.text.isEmpty:
      overlay = .none
      return
    case .enter: return run(palette, palette.selected, &effects)
    case .down, .control("n"), .tab: palette.selected = moved(by: 1)
    case .up, .control("p"), .backTab: palette.selected = moved(by: -1)
    case .pageDown: palette.selected = moved(by: page)
    case .pageUp: palette.selected = moved(by: -page)
    case .home: palette.selected = 0
    case .end: palette.selected = max(0, count - 1)
    default:
      if palette.field.take(key) { palette.selected = 0 }
    }
    overlay = .palette(palette)
  }

  /// Does what was chosen, or says where that can be done.
  mutating func run(_ palette: PaletteState, _ index: Int, _ effects: inout [Effect]) {
    let entries = paletteEntries(palette)
    guard entries.indices.contains(index) else { return }
    overlay = .none
    switch entries[index].deed {
    case .account(let account): show(account: account)
    case .command(let command):
      let spec = command.spec
      guard entries[index].isHere else {
        notice = Notice(
          .information,
          SafeText(spec.title) + " is for " + SafeText(spec.places.words) + ". Nothing was done.")
        return
      }
      perform(command, &effects)
    }
  }

  /// Takes a click while the palette is open.
  mutating func press(
    _ point: Point, in palette: PaletteState, _ layout: Layout, _ effects: inout [Effect]
  ) {
    let rows = PalettePane.rows(in: layout.body)
    guard rows.contains(point) else {
      overlay = .none
      return
    }
    let first = PalettePane.first(of: palette, height: rows.height)
    run(palette, first + point.y - rows.y, &effects)
  }
}

extension Places {
  /// The places, for a person who is in none of them.
  var words: String {
    let names: [(Places, String)] = [
      (.list, "a list"), (.results, "results"), (.detail, "an item"), (.apps, "the apps"),
      (.firstRun, "an empty store"),
    ]
    let words = names.filter { contains($0.0) }.map(\.1)
    guard let last = words.last, words.count > 1 else { return words.first ?? "nowhere" }
    return words.dropLast().joined(separator: ", ") + " and " + last
  }
}

/// Draws what the words find at the bottom of the body, below the line in which they are typed.
struct PalettePane {
  let state: InboxState
  let palette: PaletteState

  /// As many as are looked through at a glance.
  private static let rowsMax = 14
  private static let titleCells = 18
  private static let helpWidth = 50

  static func rows(in body: Rect) -> Rect {
    body.splitBottom(min(rowsMax, max(1, body.height - 2))).bottom
  }

  /// The first one drawn: the chosen one stays in sight.
  static func first(of palette: PaletteState, height: Int) -> Int {
    max(0, palette.selected - height + 1)
  }

  func draw(in body: Rect, on canvas: inout Canvas) {
    let rows = Self.rows(in: body)
    var above = Rect(x: body.x, y: body.y, width: body.width, height: rows.y - body.y)
    if above.height > 0 {
      let prompt = above.splitBottom(1).bottom
      canvas.fill(prompt)
      let typed: SafeText = " : " + palette.field.drawn
      canvas.put(StyledLine(typed, .accent), in: prompt)
      canvas.cursor = Point(x: min(prompt.x + typed.width, prompt.maxX - 1), y: prompt.y)
      above = above.splitBottom(1).rest
    }
    if above.height > 0 {
      let rule = above.splitBottom(1).bottom
      canvas.fill(rule)
      canvas.horizontalRule(rule, role: .ruleFocus)
    }
    canvas.fill(rows)
    let entries = state.paletteEntries(palette)
    guard !entries.isEmpty else {
      return canvas.put(StyledLine("   No command is called that.", .dim), in: rows.row(0))
    }
    let first = Self.first(of: palette, height: rows.height)
    for offset in 0..<rows.height where first + offset < entries.count {
      line(
        entries[first + offset], isSelected: first + offset == palette.selected,
        in: rows.row(offset), on: &canvas)
    }
  }

  private func line(
    _ entry: PaletteEntry, isSelected: Bool, in rect: Rect, on canvas: inout Canvas
  ) {
    var line = StyledLine(isSelected ? "▌ " : "  ", .accent)
    func add(_ text: SafeText, _ role: StyleRole) {
      line.pieces.append(StyledLine.Piece(text: text, role: role))
    }
    let role: StyleRole = entry.isHere ? .text : .dim
    let title = SafeText(entry.title)
    if entry.title == entry.help {
      add(title, role)
    } else {
      add(
        title.width > Self.titleCells - 1 ? title + " " : title.padded(to: Self.titleCells), role)
      if rect.width >= Self.helpWidth { add(SafeText(entry.help), .dim) }
    }
    if !entry.keys.isEmpty {
      line.trailing = StyledLine.Piece(
        text: SafeText(entry.keys.prefix(2).joined(separator: " ")) + " ", role: .code)
    }
    canvas.put(line, in: rect)
    if isSelected { canvas.select(rect) }
  }
}
