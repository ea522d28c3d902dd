package import BellhopModel
package import BellhopText

/// A change to an item, with all texts that the screen shows about it.
///
/// The wire knows a change only by its `mutation`. Undo, marks, whole lists and counts derive
/// from it, so that a new kind of change is one value of this type.
package struct ItemChange: Sendable {
  var mutation: BellhopModel.Operation.Mutation
  /// The past participle, for use after "Undone:".
  var pastTense: SafeText
  /// The question before many items are changed: the words around "12 items in the tray".
  var question: (before: SafeText, after: SafeText)
  /// Whether the cursor moves to the next item.
  ///
  /// It also does so in a list that keeps the item, so that the same key can be pressed again.
  var movesOn = false
  /// The end of the notice, after the item's name; nil if the notice says how to undo the change.
  var doneSuffix: (@Sendable (InboxState) -> SafeText)?
  /// The reason why the change would do nothing to an item at a time of the store; otherwise nil.
  var noEffectReason: @Sendable (RowSummary, Timestamp) -> SafeText? = { _, _ in nil }
  /// Whether the store would reject the change for an item.
  var isRefused: @Sendable (RowSummary) -> Bool = { _ in false }

  /// The registers that the change sets; none for a delete.
  var registers: StateChange {
    if case .set(let change) = mutation { change } else { StateChange() }
  }

  var isDelete: Bool { mutation == .delete }
}

// MARK: - Changes

extension ItemChange {
  static let read = ItemChange(
    mutation: ItemCommand.read.mutation, pastTense: "marked read", question: ("Mark ", " read?"))

  static let unread = ItemChange(
    mutation: ItemCommand.unread.mutation, pastTense: "marked unread",
    question: ("Mark ", " unread?"))

  static let activate = ItemChange(
    mutation: ItemCommand.activate.mutation, pastTense: "opened", question: ("Open ", "?"))

  static let dismiss = ItemChange(
    mutation: ItemCommand.dismiss.mutation, pastTense: "dismissed", question: ("Dismiss ", "?"),
    movesOn: true,
    noEffectReason: { row, _ in
      if row.action == .dismissed { return "Already dismissed." }
      return row.occurrence == .beforeFirst
        ? "Not delivered yet. Cancel its deliveries, or delete it." : nil
    })

  static let restore = ItemChange(
    mutation: ItemCommand.restore.mutation, pastTense: "put back in the tray",
    question: ("Put ", " back in the tray?"),
    noEffectReason: { row, now in
      if row.placement == .tray { return "Already in the tray." }
      if row.isRawOnly { return "This item has only data, so it never enters the tray." }
      var facts = row.facts
      facts.action = .noInteraction
      switch facts.placement(at: now).placement {
      case .tray, .snoozed: return nil
      case .scheduled:
        return row.action == .noInteraction
          ? "Not delivered yet: it enters the tray at its time." : nil
      case .handled, .gone: return "Its time in the tray is over. It stays in the history."
      }
    })

  static func snooze(until: Timestamp) -> ItemChange {
    ItemChange(
      mutation: ItemCommand.snooze(until: until).mutation, pastTense: "snoozed",
      question: ("Snooze ", "?"), movesOn: true,
      doneSuffix: { state in " until " + state.timeText.full(until) + ", on every device." },
      isRefused: { row in row.isRawOnly || row.expires.map { until > $0 } ?? false })
  }

  static let pin = ItemChange(
    mutation: ItemCommand.pin.mutation, pastTense: "pinned", question: ("Pin ", "?"),
    doneSuffix: { _ in ": it never expires." })

  static let unpin = ItemChange(
    mutation: ItemCommand.unpin.mutation, pastTense: "unpinned",
    question: ("Unpin ", "?"),
    doneSuffix: { _ in ": it can expire again." })

  static let cancel = ItemChange(
    mutation: ItemCommand.cancel.mutation, pastTense: "cancelled",
    question: ("Cancel the deliveries of ", "?"),
    doneSuffix: { state in
      ": it is not delivered again. " + state.keyHint(.undo) + " undoes it"
    },
    noEffectReason: { row, _ in
      if row.facts.nextOccurrence == nil { return "It is not delivered again anyway." }
      return row.placement == .scheduled ? "Not delivered yet: delete it instead." : nil
    })

  static let resume = ItemChange(
    mutation: ItemCommand.resume.mutation, pastTense: "resumed",
    question: ("Resume the deliveries of ", "?"),
    doneSuffix: { state in ": it is delivered again. " + state.keyHint(.undo) + " undoes it" })

  /// The change that gives an item the fields and registers that rules have changed.
  static let withoutRules = ItemChange(
    mutation: .set(StateChange(applied: .empty)), pastTense: "freed of rules",
    question: ("Free ", " of rules?"))

  static let delete = ItemChange(
    mutation: ItemCommand.delete.mutation, pastTense: "deleted", question: ("Delete ", "?"),
    movesOn: true,
    doneSuffix: { state in
      ", here and on every device. " + state.keyHint(.undo) + " within 5 s undoes it"
    })

  /// Creates the change for a command on an item.
  package init(_ command: ItemCommand) {
    self =
      switch command {
      case .read: .read
      case .unread: .unread
      case .activate: .activate
      case .dismiss: .dismiss
      case .restore: .restore
      case .snooze(let until): .snooze(until: until)
      case .pin: .pin
      case .unpin: .unpin
      case .cancel: .cancel
      case .resume: .resume
      case .delete: .delete
      }
  }
}

// MARK: - Texts

extension ItemChange {
  private static let titleCellsMax = 48
  private static let briefTitleCellsMax = 20

  private var pastTenseAtStart: SafeText {
    let words = pastTense.string
    return SafeText(words.prefix(1).uppercased() + words.dropFirst())
  }

  /// Returns the notice after one item was changed:
  /// `Dismissed “build 434 passed” (ci). u undoes it`
  func doneNotice(_ row: RowSummary, in state: InboxState) -> Notice {
    let title = state.shownTitle(of: row)
    func text(_ cells: Int) -> SafeText {
      pastTenseAtStart + " “" + title.truncated(to: cells) + "” (" + row.app.truncated(to: cells)
        + ")"
    }
    let undo = ". " + state.keyHint(.undo) + " undoes it"
    let later: Notice.Later? =
      isDelete
      ? state.endOfUndoOffer(text(Self.titleCellsMax) + ", here and on every device.") : nil
    return Notice(
      .success, text(Self.titleCellsMax) + (doneSuffix?(state) ?? undo),
      brief: text(Self.briefTitleCellsMax) + undo, later: later)
  }

  /// Returns the notice after several items were changed: `Dismissed · 12 items.`
  func doneText(count: Int) -> SafeText { pastTenseAtStart + " · " + count.items + "." }

  /// Returns the question before several items are changed: `Dismiss 12 items in the tray?`
  ///
  /// - Parameter count: The number of items; nil while unknown.
  package func question(_ count: Int?, _ place: SafeText) -> SafeText {
    question.before + (count?.items ?? "… items") + place + question.after
  }
}

extension Int {
  /// The number with its noun: `1 item`, `1,204 items`.
  var items: SafeText { SafeText(counted("item")) }
}

// MARK: - Counts

extension ItemChange {
  /// Returns the effect on the counts of changing all items of a selection of the tray.
  func counts(of extent: SelectionExtent) -> InboxCounts {
    let (all, unread) = (extent.count, extent.unread)
    if isDelete { return InboxCounts(tray: -all, trayUnread: -unread, history: -all) }
    switch registers.userActionState {
    case .dismissed, .activated:
      return InboxCounts(tray: -all, trayUnread: -unread, handled: all)
    case .snoozed: return InboxCounts(tray: -all, trayUnread: -unread, later: all)
    case .noInteraction, nil: break
    }
    switch registers.readState {
    case .read: return InboxCounts(trayUnread: -unread)
    case .unread: return InboxCounts(trayUnread: all - unread)
    case nil: return InboxCounts()
    }
  }
}
