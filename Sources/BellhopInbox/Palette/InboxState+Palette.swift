import BellhopModel
import BellhopText

extension Command {
  static let paletteCommands: [Command] = [palette]

  static let palette = Command(
    id: "palette", title: "commands", help: "find a command by its name or description, and run it",
    keys: [":", "Ctrl-p"], places: .everywhere, chapter: .program,
    perform: { state, _ in state.openPalette() })
}

extension InboxState {
  fileprivate mutating func openPalette() {
    var palette = PaletteState()
    palette.entries = paletteEntries("")
    overlay = .menu(palette)
  }

  /// Returns the commands that match the words, best first; without words, all available ones.
  func paletteEntries(_ typed: String) -> [PaletteEntry] {
    let all = allPaletteEntries
    let found = all.enumerated().compactMap { index, entry in
      entry.score(typed).map { (entry: entry, score: $0, index: index) }
    }
    return found.sorted { left, right in
      left.score != right.score ? left.score > right.score : left.index < right.index
    }.map(\.entry)
  }

  private var allPaletteEntries: [PaletteEntry] {
    var entries = Command.all.compactMap { command -> PaletteEntry? in
      guard command != .palette, command.places.contains(place) else { return nil }
      let reason = command.disabledReason(self)
      if reason?.scope == .absent { return nil }
      return PaletteEntry(
        target: .command(command), title: command.title, help: command.help,
        keys: keymap.sequences(of: command).map(\.description),
        disabledReason: reason?.scope == .here ? reason?.text : nil)
    }
    guard accounts.areSeveral else { return entries }
    for choice in accounts.all.choices {
      let name = choice.map { accounts.label(of: $0).string }
      entries.append(
        PaletteEntry(
          target: .account(choice), title: name.map { "account \($0)" } ?? "all accounts",
          help: name.map { "show \($0) only" } ?? "show all accounts together",
          keys: []))
    }
    return entries
  }

  /// Performs the chosen entry, or shows where it is available.
  mutating func run(_ entry: PaletteEntry, _ effects: inout [Effect]) {
    closeOverlay()
    switch entry.target {
    case .account(let account): show(account: account)
    case .command(let command):
      // Items that arrived while the palette was open may have changed the place.
      guard command.places.contains(place) else {
        return say(
          SafeText(command.title) + " is only available in "
            + SafeText(command.places.words) + ".")
      }
      perform(command, &effects)
    }
  }
}
