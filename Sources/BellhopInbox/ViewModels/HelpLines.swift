import BellhopScreen
import BellhopText

/// The help of a place: every command that can be used there, with its keys, from their specs.
struct HelpLines {
  let lines: [StyledLine]

  private static let keysWidth = 18

  /// Only commands whose keys or words contain `filter`, in any case.
  init(state: InboxState, filter: String) {
    let wanted = filter.lowercased()
    var lines: [StyledLine] = []
    for chapter in CommandSpec.Chapter.allCases {
      let entries = Command.allCases.filter { command in
        command.spec.chapter == chapter && command.spec.places.contains(state.place)
      }.compactMap { Self.entry($0, state.keymap, filter: wanted) }
      guard !entries.isEmpty else { continue }
      if !lines.isEmpty { lines.append(.empty) }
      lines.append(StyledLine(SafeText(chapter.rawValue), .accent))
      lines += entries
    }
    if lines.isEmpty { lines = [StyledLine("No key here is about that.", .dim)] }
    self.lines = lines
  }

  private static func entry(_ command: Command, _ keymap: Keymap, filter: String) -> StyledLine? {
    let spec = command.spec
    let sequences = keymap.sequences(of: command).map(\.description)
    guard !sequences.isEmpty else { return nil }
    let keys = sequences.joined(separator: "  ")
    guard filter.isEmpty || "\(keys) \(spec.title) \(spec.help)".lowercased().contains(filter)
    else { return nil }
    var line = StyledLine(SafeText("  " + keys).padded(to: keysWidth), .code)
    line.pieces.append(StyledLine.Piece(text: "  " + SafeText(spec.help), role: .text))
    return line
  }
}
