import BellhopModel
import BellhopScreen
import BellhopText

/// The menu of an item's attachments, and of what to do with the chosen one.
struct AttachmentMenu: Menu {
  enum Choice: Hashable, Sendable {
    case save, open, preview
    case openLink(Link)
    case copyLink(Link)

    var words: SafeText {
      switch self {
      case .save: "save it"
      case .open: "open it"
      case .preview: "preview it"
      case .openLink: "open its link"
      case .copyLink: "copy its link"
      }
    }
  }

  enum Step: Hashable, Sendable {
    case choosing
    case doing(selected: Int)
    /// A question has to be answered first.
    case asking(Choice, AttachmentQuestion)
  }

  var account: AccountName
  var heading: SafeText
  var attachments: [ItemAttachment]
  var chosen = 0
  var step = Step.choosing

  var attachment: ItemAttachment { attachments[chosen] }

  var choices: [Choice] {
    switch attachment.place {
    case .store: [.save, .open, .preview]
    case .link(let link): [.openLink(link), .copyLink(link)]
    case .nowhere: []
    }
  }

  // MARK: - As a menu

  var title: SafeText { step == .choosing ? heading : attachment.words }
  var count: Int { step == .choosing ? attachments.count : max(1, choices.count) }

  var selected: Int {
    switch step {
    case .choosing: chosen
    case .doing(let index): index
    case .asking(let choice, _): choices.firstIndex(of: choice) ?? 0
    }
  }

  var question: SafeText? { asked?.full }
  var shortQuestion: SafeText? { asked?.brief }
  private var asked: AttachmentQuestion? {
    if case .asking(_, let question) = step { question } else { nil }
  }

  /// The hints, with an extra key for attachments that can be previewed.
  var hints: [MenuHint] {
    let preview = choices.contains(.preview) ? [MenuHint("p", "preview")] : []
    return MenuHint.choosing(of: count) + preview
  }

  func line(_ index: Int, width: Int, in state: InboxState) -> MenuLine {
    var line = MenuLine()
    guard step == .choosing else {
      line.add(
        choices.indices.contains(index) ? choices[index].words : "no actions available", .text)
      if choices.indices.contains(index), choices[index] == .preview { line.add("  p", .dim) }
      if choices.indices.contains(index), case .openLink(let link) = choices[index] {
        line.add("  " + SafeText(link.url, byteLimit: Link.bytesMax), .link)
      }
      return line
    }
    let attachment = attachments[index]
    let isLink = if case .link = attachment.place { true } else { false }
    line.add(attachment.words(at: state.timeText), isLink ? .link : .text)
    return line
  }

  func take(_ key: Key, _ state: inout InboxState, _ effects: inout [Effect]) {
    if case .asking(let choice, _) = step {
      return state.answer(key) { $0.carryOut(choice, self, &effects) }
    }
    switch meaning(of: key) {
    case .leave: leave(&state)
    case .take: take(selected, &state, &effects)
    case .number(let index): take(index, &state, &effects)
    case .select(let index):
      var menu = self
      if step == .choosing { menu.chosen = index } else { menu.step = .doing(selected: index) }
      state.overlay = .menu(menu)
    case .other:
      if key == .character("p"), choices.contains(.preview) { begin(.preview, &state, &effects) }
    }
  }

  func press(_ index: Int?, _ state: inout InboxState, _ effects: inout [Effect]) {
    guard let index, question == nil else {
      // Only a key confirms.
      return state.closeOverlay()
    }
    take(index, &state, &effects)
  }

  private func leave(_ state: inout InboxState) {
    guard step != .choosing, attachments.count > 1 else { return state.closeOverlay() }
    var menu = self
    menu.step = .choosing
    state.overlay = .menu(menu)
  }

  private func take(_ index: Int, _ state: inout InboxState, _ effects: inout [Effect]) {
    var menu = self
    guard step != .choosing else {
      menu.chosen = index
      menu.step = .doing(selected: 0)
      state.overlay = .menu(menu)
      return
    }
    guard choices.indices.contains(index) else { return }
    begin(choices[index], &state, &effects)
  }

  /// Carries out a choice, or asks first.
  ///
  /// - Parameter isHere: Whether the file has already been fetched.
  func begin(
    _ choice: Choice, isHere: Bool = false, _ state: inout InboxState, _ effects: inout [Effect]
  ) {
    guard let question = state.question(about: choice, attachment, isHere: isHere) else {
      return state.carryOut(choice, self, &effects)
    }
    var menu = self
    menu.step = .asking(choice, question)
    state.overlay = .menu(menu)
  }
}
