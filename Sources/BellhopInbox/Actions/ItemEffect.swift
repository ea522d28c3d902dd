/// An action of an item that reaches beyond the store.
package enum ItemEffect: Hashable, Sendable {
  /// Make the request of an action that the person confirmed, then say
  /// ``ItemOutcome/actionFinished(_:_:)``; that may take its time.
  case runAction(ActionRun)
  /// Open a link, then say ``ItemOutcome/linkOpened(_:)`` or ``ItemOutcome/linkUnopened(_:_:)``.
  case openLink(LinkOrder)
}

/// The outcome of an ``ItemEffect``.
package enum ItemOutcome: Sendable {
  case actionFinished(ActionRun, ActionOutcome)
  /// A program opens the link.
  case linkOpened(LinkOrder)
  /// The outcome for a link that no program opened, with the reason; nil if there is no browser.
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
