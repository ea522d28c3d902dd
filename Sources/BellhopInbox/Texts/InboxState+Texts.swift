import BellhopModel
import BellhopScreen
import BellhopText

/// The line for typing a command that receives items on its standard input.
struct PipeState: Sendable {
  var keys: [ItemKey]
  /// The title: `#12 · build 412 failed`, or `3 items`.
  var title: SafeText
  var field: TextField
  var asJSON = false
  /// The index of the recalled command, counted from the last one; nil if none is recalled.
  var recalled: Int?

  init(keys: [ItemKey], title: SafeText) {
    self.keys = keys
    self.title = title
    field = TextField()
    field.limit = Self.bytesMax
  }

  /// Returns the hints while the command is being typed.
  ///
  /// - Parameter recalls: Whether there are earlier commands.
  func hints(recalls: Bool) -> [MenuHint] {
    [MenuHint("Enter", "run"), MenuHint("Tab", asJSON ? "as text" : "as JSON")]
      + (recalls ? [MenuHint("↑", "the last command")] : []) + [MenuHint("Esc", "back")]
  }

  /// The maximum size of a command, in bytes; more than users type.
  static let bytesMax = 1024
}

/// The commands to which items were piped, most recent last.
struct PipeHistory: Sendable {
  /// The maximum number of commands, which are kept until the program ends.
  static let countMax = 50

  private(set) var commands: [String] = []

  mutating func add(_ command: String) {
    commands.removeAll { $0 == command }
    commands.append(command)
    if commands.count > Self.countMax { commands.removeFirst() }
  }
}

extension Command {
  static let textCommands: [Command] = [copyText, pipe]

  static let copyText = Command(
    id: "copy-text", title: "copy text", help: "copy its text, or the text of all marked items",
    synonyms: ["yank"], keys: ["Y"], places: .items, chapter: .finding,
    disabledReason: { $0.reasonOfHiddenTexts ?? $0.reasonAgainstTexts },
    perform: { state, effects in state.copyText(&effects) })

  static let pipe = Command(
    id: "pipe", title: "pipe",
    help: "pipe its text or JSON to a command, once for each marked item", keys: ["|"],
    places: .items, chapter: .finding,
    disabledReason: { $0.reasonOfHiddenTexts ?? $0.reasonAgainstTexts },
    perform: { state, _ in state.openPipe() })
}

extension InboxState {
  fileprivate mutating func copyText(_ effects: inout [Effect]) {
    effects.append(.read(.texts(textRows.map(\.key), .copy)))
  }

  fileprivate mutating func openPipe() {
    let rows = textRows
    guard let first = rows.first else { return }
    overlay = .pipe(
      PipeState(
        keys: rows.map(\.key),
        title: rows.count == 1
          ? SafeText(ItemNumber.text(first.shortNumber)) + " · " + shownTitle(of: first)
          : "\(rows.count.grouped) items"))
  }

  /// The marked items, or the item under the cursor.
  private var textRows: [RowSummary] {
    actsOnMarks ? marks.all : activeItem.map { [$0] } ?? []
  }

  fileprivate var reasonAgainstTexts: DisabledReason? {
    guard actsOnMarks else { return activeItem == nil ? reasonAgainstItem : nil }
    if marks.whole == nil, marks.all.count <= TextUse.itemsMax { return nil }
    return DisabledReason(
      "This works on at most \(TextUse.itemsMax) items. Mark fewer: " + keyHint(.mark) + ", "
        + keyHint(.markRange) + ".")
  }

  /// Copies the texts, or pipes them to the command.
  mutating func use(_ items: [ItemText], for use: TextUse, _ effects: inout [Effect]) {
    guard !items.isEmpty else { return say("The item no longer exists. Nothing was done.") }
    switch use {
    case .pipe(let command, _):
      effects.append(.terminal(.pipe(PipeOrder(command: command, items: items))))
    case .copy:
      let limit = TextUse.copiedBytesMax
      let (text, bytes) = ItemText.joined(items, bytesMax: limit)
      guard !text.isEmpty else {
        return say(items.count == 1 ? "This item has no text." : "These items have no text.")
      }
      effects.append(.terminal(.copy(text)))
      let what: SafeText = items.count == 1 ? "Text" : "Text of \(items.count.grouped) items"
      notice =
        bytes > limit
        ? Notice(
          .information,
          what + " copied, but only the first \(limit.grouped) of \(bytes.grouped) bytes: "
            + "terminals accept no more. " + keyHint(.pipe) + " pipes it whole.")
        : Notice(.success, what + " copied.")
    }
  }

  // MARK: - The command

  mutating func take(_ key: Key, in pipe: PipeState, _ effects: inout [Effect]) {
    var pipe = pipe
    switch key {
    case .escape, .control("c"), .control("g"): return closeOverlay()
    case .backspace where pipe.field.text.isEmpty: return closeOverlay()
    case .enter: return run(pipe, &effects)
    case .tab, .backTab: pipe.asJSON.toggle()
    case .up, .control("p"): recall(1, in: &pipe)
    case .down, .control("n"): recall(-1, in: &pipe)
    default: _ = pipe.field.take(key)  // open: Key
    }
    overlay = .pipe(pipe)
  }

  /// Recalls an earlier command, most recent first.
  private func recall(_ step: Int, in pipe: inout PipeState) {
    let index = (pipe.recalled ?? -1) + step
    guard index < piped.commands.count else { return }
    pipe.recalled = index < 0 ? nil : index
    pipe.field = TextField()
    pipe.field.limit = PipeState.bytesMax
    if index >= 0 { pipe.field.insert(piped.commands[piped.commands.count - 1 - index]) }
  }

  private mutating func run(_ pipe: PipeState, _ effects: inout [Effect]) {
    let command = pipe.field.text
    closeOverlay()
    guard !command.allSatisfy(\.isWhitespace) else { return }
    piped.add(command)
    effects.append(.read(.texts(pipe.keys, .pipe(command: command, asJSON: pipe.asJSON))))
  }
}

/// Draws the command being typed in place of the header.
struct PipePrompt {
  let pipe: PipeState

  func draw(in rect: Rect, on canvas: inout Canvas) {
    guard !rect.isEmpty else { return }
    let prompt: SafeText = " | "
    // Keep the end of a long command visible.
    let typed = pipe.field.drawn(limit: PipeState.bytesMax)
    let room = max(1, rect.width - prompt.width - 1)
    let shown = typed.tail(cells: room)
    var line = StyledLine(prompt, .accent)
    line.add(shown, .text)
    let width = prompt.width + shown.width
    let form: SafeText = pipe.asJSON ? "as JSON" : "as text"
    let hint = [pipe.title.truncated(to: 40) + " " + form, form, .empty].first {
      width + $0.width + 4 <= rect.width
    }
    if let hint, !hint.isEmpty {
      line.trailing = StyledLine.Piece(text: hint + " ", role: .dim)
    }
    canvas.put(line, in: rect)
    canvas.cursor = Point(x: min(rect.x + width, rect.maxX - 1), y: rect.y)
  }
}
