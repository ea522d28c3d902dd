/// An action of an item that reaches beyond the store.
package enum ItemEffect: Hashable, Sendable {
  /// Sends the request of an action that the user confirmed; may take long.
  ///
  /// Answered by ``ItemOutcome/actionFinished(_:_:)``.
  case runAction(ActionRun)
  /// Opens a link.
  ///
  /// Answered by ``ItemOutcome/linkOpened(_:)`` or ``ItemOutcome/linkUnopened(_:_:)``.
  case openLink(LinkOrder)
}

/// The outcome of an ``ItemEffect``.
package enum ItemOutcome: Sendable {
  case actionFinished(ActionRun, ActionOutcome)
  /// A program opened the link.
  case linkOpened(LinkOrder)
  /// No program opened the link, for this reason; nil if there is no browser.
  case linkUnopened(LinkOrder, Notice?)
}

extension InboxState {
  mutating func take(_ outcome: ItemOutcome, _ effects: inout [Effect]) {
    switch outcome {
    case .actionFinished(let run, let outcome): finish(run, outcome, &effects)
    case .linkOpened(let order): linkOpened(order, &effects)
    case .linkUnopened(let order, let reason): linkUnopened(order, reason, &effects)
    }
  }
}
