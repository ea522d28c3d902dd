import BellhopScreen
import BellhopText

/// The help of a place: every command that can be used there, with its keys.
struct HelpLines {
  let lines: [StyledLine]

  /// Creates the lines; only commands whose keys or words contain `filter`, in any case.
  init(state: InboxState, filter: String) {
    let width = max(1, state.size.width - 2)
    let wanted = filter.lowercased()
    var lines: [StyledLine] = []
    for chapter in Command.Chapter.allCases {
      let entries = Command.all.filter { command in
        command.chapter == chapter && command.places.contains(state.place)
          && command.disabledReason(state)?.scope != .absent
      }.flatMap { Self.entry($0, state, filter: wanted, width: width) }
      guard !entries.isEmpty else { continue }
      if !lines.isEmpty { lines.append(.empty) }
      lines.append(StyledLine(SafeText(chapter.rawValue), .accent))
      lines += entries
    }
    if lines.isEmpty { lines = [StyledLine("No key matches “" + SafeText(filter) + "”.", .dim)] }
    self.lines = lines
  }

  private static func entry(
    _ command: Command, _ state: InboxState, filter: String, width: Int
  ) -> [StyledLine] {
    let help = command.helpNow(state) ?? command.help
    let sequences = state.keymap.sequences(of: command).map(\.description)
    guard !sequences.isEmpty else { return [] }
    let keys = sequences.joined(separator: "  ")
    guard filter.isEmpty || "\(keys) \(command.title) \(help)".lowercased().contains(filter)
    else { return [] }
    let keysWidth = width < 60 ? min(14, width / 3) : 18
    return SafeText(help).wrapped(to: max(1, width - keysWidth - 1)).enumerated().map {
      index, help in
      let head = index == 0 ? SafeText("  " + keys).padded(to: keysWidth) : .blanks(keysWidth)
      var line = StyledLine(head + " ", .code)
      line.add(help, .text)
      return line
    }
  }
}
