import BellhopModel
import BellhopScreen
import BellhopText

extension InboxState {
  mutating func take(_ key: Key, _ effects: inout [Effect]) {
    notice = nil
    switch overlay {
    case .help(let help): take(key, in: help)
    case .confirm(let question): take(key, in: question, &effects)
    case .menu(let menu): menu.take(key, &self, &effects)
    case .inspect(let inspect): take(key, in: inspect)
    case .preview(let preview): take(key, in: preview, &effects)
    case .pipe(let pipe): take(key, in: pipe, &effects)
    case .devices(let menu): take(key, in: menu, &effects)
    case .activity(let activity): take(key, in: activity, &effects)
    case .none:
      if leavesTour(by: key) { return }
      if search?.isTyping == true, takeWhileTyping(key, &effects) { return }
      if search == nil, filter?.isTyping == true, takeFilterKey(key, &effects) { return }
      if key == .escape, cancelFetch(&effects) { return }
      typedKeys.append(key)
      switch keymap.match(typedKeys, in: place) {
      case .command(let command):
        typedKeys = []
        perform(command, &effects)
      case .prefix: break
      case .none:
        let isRetried = typedKeys.count > 1
        typedKeys = []
        // A key that ends an unknown sequence may still have a meaning of its own.
        if isRetried {
          take(key, &effects)
        } else if case .character = key {
          say(
            SafeText(key.description) + " is not bound here. " + keyHint(.help)
              + " lists the keys.")
        }
      }
    }
  }
}
