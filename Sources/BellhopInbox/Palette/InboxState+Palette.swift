import BellhopModel
import BellhopText

extension InboxState {
  mutating func openPalette() {
    var palette = PaletteState()
    palette.entries = paletteEntries("")
    overlay = .menu(palette)
  }

  /// The commands that the words find, the best first; without words everything that can be done here.
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
    var entries = Command.allCases.filter(canAct).map { command in
      PaletteEntry(
        deed: .command(command), title: command.spec.title, help: command.spec.help,
        keys: keymap.sequences(of: command).map(\.description))
    }
    guard accounts.areSeveral else { return entries }
    for choice in accounts.choices {
      let name = choice.map { accounts.label(of: $0).string }
      entries.append(
        PaletteEntry(
          deed: .account(choice), title: name.map { "account \($0)" } ?? "all accounts",
          help: name.map { "only what is of \($0)" } ?? "what is of all accounts together",
          keys: []))
    }
    return entries
  }

  /// Whether the palette offers the command here.
  private func canAct(_ command: Command) -> Bool {
    guard command != .palette, command.spec.places.contains(place) else { return false }
    if command == .nextAccount { return accounts.areSeveral }
    if command == .removeView { return shownView != nil }
    return command.viewIndex.map { views.all.indices.contains($0) } ?? true
  }

  /// Does what was chosen, or says where that can be done.
  mutating func run(_ entry: PaletteEntry, _ effects: inout [Effect]) {
    overlay = .none
    switch entry.deed {
    case .account(let account): show(account: account)
    case .command(let command):
      let spec = command.spec
      // What arrived while the palette was open may have made another place of this.
      guard spec.places.contains(place) else {
        notice = Notice(
          .information,
          SafeText(spec.title) + " is for " + SafeText(spec.places.words) + ". Nothing was done.")
        return
      }
      perform(command, &effects)
    }
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
