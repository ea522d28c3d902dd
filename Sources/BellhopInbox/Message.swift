package import BellhopModel
package import BellhopScreen

/// Something that happened. The whole screen is a function of the messages it was given.
///
/// Time comes in by ``tick(_:)`` alone: send one before each batch of other messages, and when
/// ``InboxState/nextWake`` is reached.
package enum Message: Sendable {
  /// The first message: asks for everything that the first paint needs.
  case start
  /// The time now, by the store's clock.
  case tick(Timestamp)
  /// The person's keys, clicks and pasted text.
  case person(PersonInput)
  case resize(Size)
  /// The terminal got or lost the focus.
  case focusChanged(Bool)
  /// The program came back from suspension, or the machine from sleep.
  case resumed
  /// The cache has changed, by whatever hand; may come as often as it likes.
  case dataChanged
  /// Registers of these few items have changed, or the items are gone. ``dataChanged`` follows soon.
  case itemsChanged([ItemKey])
  /// An answer to ``Effect/read(_:)``.
  case answer(CacheAnswer)
  /// ``Effect/read(_:)`` could not read; the line says why. The screen stays as it is, and the same is
  /// asked for again after a moment: a disk may fail once.
  case readFailed(CacheRead, Notice)
  /// An answer to ``Effect/slow(_:)``.
  case slow(SlowAnswer)
  /// The outcome of ``Effect/change(_:)``.
  case change(ChangeOutcome)
  /// The outcome of ``Effect/item(_:)``.
  case item(ItemOutcome)
  /// News of ``Effect/attachment(_:)``.
  case attachment(AttachmentProgress)
  /// An answer to ``Effect/activity(_:)``.
  case activity(ActivityAnswer)
  /// An answer to ``Effect/terminal(_:)``, and later what has changed in it.
  case terminal(TerminalReport)
  /// News of an account.
  case account(AccountUpdate)
  /// A line for the person, such as an operation that the store refused. It stays until the next
  /// key.
  case notice(Notice)
  case firstRunHelpChanged(FirstRunHelp)
}

/// Input of the person.
package enum PersonInput: Sendable {
  case key(Key)
  /// Text from the clipboard; it is only ever taken as text, never as keys.
  case paste(String)
  case mouse(MouseEvent)
}
