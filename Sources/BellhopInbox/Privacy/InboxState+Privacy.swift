package import BellhopModel
package import BellhopText

extension Command {
  static let privacyCommands: [Command] = [hideTexts]

  static let hideTexts = Command(
    id: "hide-texts", title: "hide texts",
    help: "hide titles and texts, for others who see your screen; again to show them",
    synonyms: ["privacy", "previews", "share screen"], keys: ["P"], places: .everywhere,
    chapter: .program,
    helpNow: { $0.hidesTexts ? "show titles and texts again" : nil },
    perform: { state, _ in state.toggleTexts() })
}

/// The texts to show of an item while titles and texts are hidden.
///
/// An app chooses them with its category (`hiddenPreviewsBodyPlaceholder`, `hiddenPreviewsShowTitle`,
/// `hiddenPreviewsShowSubtitle`).
package struct HiddenTexts: Hashable, Sendable {
  private let showsTitle: Bool
  private let showsSubtitle: Bool
  /// The text instead of the body; empty for the client's own.
  private let placeholder: SafeText

  /// Creates the texts for an item of a category; nil for an item without one.
  package init(_ category: Category?) {
    showsTitle = category?.has(.hiddenPreviewsShowTitle) == true
    showsSubtitle = category?.has(.hiddenPreviewsShowSubtitle) == true
    placeholder = SafeText(category?.hiddenPreviewsBodyPlaceholder ?? "")
  }

  /// Returns the title to show.
  package func title(_ title: SafeText) -> SafeText {
    if showsTitle { return title }
    return placeholder.isEmpty ? "Notification" : placeholder
  }

  /// Returns the row without the texts that are hidden.
  func row(_ row: RowSummary) -> RowSummary {
    var row = row
    if !row.isRawOnly { row.title = title(row.title) }
    if !showsSubtitle { row.subtitle = nil }
    row.preview = showsTitle ? placeholder : .empty
    row.excerpt = nil
    row.clickURL = nil
    row.hasAttachments = false
    return row
  }

  /// Returns the detail without the texts that are hidden.
  func detail(_ detail: ItemDetail) -> ItemDetail {
    var detail = detail
    detail.row = row(detail.row)
    detail.body = placeholder
    detail.raw = detail.raw.map { _ in placeholder }
    detail.format = .plain
    (detail.tags, detail.actions, detail.attachments, detail.outcomes) = ([], [], [], [])
    detail.rules = []
    return detail
  }
}

/// A line that can contain words of an item.
package struct PrivateText: Hashable, Sendable {
  package var text: SafeText
  /// The line while titles and texts are hidden.
  package var hidden: SafeText

  package init(_ text: SafeText, hidden: SafeText) {
    self.text = text
    self.hidden = hidden
  }
}

extension InboxState {
  /// Whether titles and texts are hidden from others who see the screen.
  var hidesTexts: Bool { attention.hidesTexts }

  /// Hides titles and texts from the start.
  package mutating func startHidden() { attention.hidesTexts = true }

  fileprivate mutating func toggleTexts() {
    attention.hidesTexts.toggle()
    // Open menus and notices contain titles.
    closeOverlay()
    say(
      hidesTexts
        ? "Titles and texts are hidden. " + keyHint(.hideTexts) + " shows them."
        : "Titles and texts are shown.")
  }

  /// The texts to show of an item while texts are hidden; nil while they are shown.
  func hiddenTexts(of row: RowSummary) -> HiddenTexts? {
    guard hidesTexts else { return nil }
    let publisher = AppKey(account: row.key.account, app: row.publishedApp)
    let categories = row.category == nil ? [] : apps.settings(of: publisher).categories
    return HiddenTexts(categories.first { $0.id == row.category })
  }

  /// Returns the name of an item in menus and notices: its title, or `data` for raw content.
  func shownTitle(of row: RowSummary) -> SafeText {
    row.isRawOnly ? "data" : hiddenTexts(of: row)?.title(row.title) ?? row.title
  }

  /// The reason why a command that shows texts does nothing while they are hidden.
  var reasonOfHiddenTexts: DisabledReason? {
    hidesTexts
      ? DisabledReason("Texts are hidden. " + keyHint(.hideTexts) + " shows them.") : nil
  }

  /// The state to draw: without the texts that are hidden.
  var drawn: InboxState {
    guard hidesTexts else { return self }
    var drawn = self
    drawn.forEachList { list in
      list.rows = list.rows.map { self.hiddenTexts(of: $0)?.row($0) ?? $0 }
    }
    if let hidden = notice?.hidden {
      drawn.notice?.text = hidden
      drawn.notice?.brief = nil
    }
    return drawn
  }
}
