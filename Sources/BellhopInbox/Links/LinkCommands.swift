import BellhopModel
import BellhopText

extension Command {
  static let linkCommands: [Command] = [openLink, copyLink]

  static let openLink = Command(
    id: "open-link", title: "open link", help: "open its link and mark it opened",
    synonyms: ["browser", "url"], keys: ["o"], places: .items, chapter: .finding,
    changesItems: true,
    footer: Footer(7, word: { _ in "open" }),
    disabledReason: { $0.reasonAgainstItem ?? $0.reasonAgainstLink },
    perform: { state, effects in state.openLink(&effects) })

  static let copyLink = Command(
    id: "copy-link", title: "copy link", help: "copy its link", keys: ["y"], places: .items,
    chapter: .finding,
    // The link of an item that was handled elsewhere can still be copied.
    disabledReason: { state in
      let isItem = state.activeItem != nil
      return (isItem ? nil : state.reasonAgainstItem) ?? state.reasonAgainstLink
    },
    perform: { state, effects in state.copyLink(&effects) })
}

extension InboxState {
  fileprivate var reasonAgainstLink: DisabledReason? {
    activeRow?.clickURL == nil ? "This item has no link." : nil
  }

  fileprivate mutating func openLink(_ effects: inout [Effect]) {
    guard let row = subject(), let link = link(of: row) else { return }
    let handling = LinkOrder.Handling(key: row.key, seen: row.version)
    effects.append(.item(.openLink(LinkOrder(link, handling: handling))))
  }

  fileprivate mutating func copyLink(_ effects: inout [Effect]) {
    guard let row = activeItem, let link = link(of: row) else { return }
    effects.append(.terminal(.copy(link.url)))
    notice = Notice(.success, "Link copied.")
  }

  /// Returns the link of an item if it may be opened; otherwise shows the reason.
  private mutating func link(of row: RowSummary) -> Link? {
    guard let url = row.clickURL else { return nil }
    guard let link = Link(url) else {
      notice = Notice(
        .error,
        "The link was not opened: only https, http and mailto are allowed.")
      return nil
    }
    return link
  }
}
