package import BellhopModel
package import BellhopScreen

/// An event; the whole screen is a function of the messages that it received.
///
/// Time enters only through ``tick(_:)``: send one before each batch of other messages, and when
/// ``InboxState/nextWake`` is reached.
package indirect enum Message: Sendable {
  /// The first message, which requests everything for the first paint.
  case start
  /// The current time by the store's clock.
  case tick(Timestamp)
  /// The user's keys, clicks and pasted text.
  case person(UserInput)
  case resize(Size)
  /// The terminal gained or lost the focus.
  case focusChanged(Bool)
  /// The program resumed from suspension, or the machine from sleep.
  case resumed
  /// The cache has changed for any reason; may be sent at any rate.
  case dataChanged
  /// Registers of these few items have changed, or the items are gone.
  ///
  /// ``dataChanged`` follows soon.
  case itemsChanged([ItemKey])
  /// An answer to ``Effect/read(_:)``.
  case answer(CacheAnswer)
  /// A failure of ``Effect/read(_:)``; the notice contains the reason.
  ///
  /// The screen does not change, and the same data is requested again after a moment: a disk may
  /// fail once.
  case readFailed(CacheRead, Notice)
  /// An answer to ``Effect/slow(_:)``.
  case slow(SlowAnswer)
  /// The outcome of ``Effect/change(_:)``.
  case change(ChangeOutcome)
  /// The outcome of ``Effect/item(_:)``.
  case item(ItemOutcome)
  /// Progress of ``Effect/attachment(_:)``.
  case attachment(AttachmentProgress)
  /// An answer to ``Effect/activity(_:)``.
  case activity(ActivityAnswer)
  /// An answer to ``Effect/terminal(_:)``, or a later change of the terminal.
  case terminal(TerminalReport)
  /// News of an account.
  case account(AccountUpdate)
  /// A notice for the user, such as an operation that the store rejected.
  ///
  /// It stays until the next key.
  case notice(Notice)
  case firstRunHelpChanged(FirstRunHelp)
}

/// Input by the user.
package enum UserInput: Sendable {
  case key(Key)
  /// Text from the clipboard, which is never interpreted as keys.
  case paste(String)
  case mouse(MouseEvent)
}
