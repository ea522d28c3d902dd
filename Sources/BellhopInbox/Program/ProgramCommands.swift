import BellhopModel
import BellhopText

extension Command {
  static let programCommands: [Command] = [syncNow, close, quit, suspend, redraw]

  static let syncNow = program(
    id: "sync", title: "sync", help: "synchronise now",
    synonyms: ["refresh", "reload", "fetch", "update"], keys: ["R"],
    perform: { state, effects in
      effects.append(.store(.syncNow))
      state.say("Asking the store …")
    })

  static let close = program(
    id: "close", title: "close", help: "close the topmost pane or menu; in a list, quit",
    keys: ["q"], perform: { state, effects in state.close(&effects) })

  static let quit = program(
    id: "quit", title: "quit", help: "quit", synonyms: ["exit"], keys: ["Q"],
    perform: { state, effects in effects.append(.terminal(.quit(farewell: state.farewell))) })

  static let suspend = program(
    id: "suspend", title: "suspend", help: "suspend the program; fg continues it", keys: ["Ctrl-z"],
    perform: { _, effects in effects.append(.terminal(.suspend)) })

  static let redraw = program(
    id: "redraw", title: "redraw", help: "redraw the screen", keys: ["Ctrl-l"],
    perform: { _, effects in effects.append(.terminal(.repaint)) })

  private static func program(
    id: String, title: String, help: String, synonyms: [String] = [], keys: [String],
    perform: @escaping Handler
  ) -> Command {
    Command(
      id: id, title: title, help: help, synonyms: synonyms, keys: keys, places: .everywhere,
      chapter: .program, perform: perform)
  }
}

extension InboxState {
  fileprivate mutating func close(_ effects: inout [Effect]) {
    if focus == .detail {
      leaveDetail()
    } else if !marks.isEmpty {
      clearMarks()
    } else if search != nil {
      closeSearch(&effects)
    } else if filter != nil {
      clearFilter(&effects)
    } else {
      effects.append(.terminal(.quit(farewell: farewell)))
    }
  }

  /// The line about changes to be sent next time; nil if there are none.
  fileprivate var farewell: SafeText? {
    guard connection.waiting > 0 else { return nil }
    let changes = connection.waiting.counted("change is", "changes are")
    return SafeText("\(changes) saved and will be sent next time.")
  }
}
