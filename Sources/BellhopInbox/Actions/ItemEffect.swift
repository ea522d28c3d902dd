/// An action of an item that reaches beyond the store.
public enum ItemEffect: Hashable, Sendable {
  /// Make the request of an action that the person confirmed, then say
  /// ``Message/actionFinished(_:_:)``; that may take its time.
  case runAction(ActionRun)
  /// Open a link, then say ``Message/linkOpened(_:)`` or ``Message/linkUnopened(_:_:)``.
  case openLink(LinkOrder)
}
