/// What the screen is after `message`, and what is to be done outside.
///
/// Pure and synchronous: the same state and message give the same result. The order of the effects
/// matters.
public func reduce(_ state: inout InboxState, _ message: Message) -> [Effect] {
  switch message {
  case .tick(let now): state.now = now
  case .resize(let size): state.size = size
  case .connectionChanged(let status): state.connection = status
  case .firstRunHelpChanged(let help): state.firstRunHelp = help
  default: break
  }
  return []
}
