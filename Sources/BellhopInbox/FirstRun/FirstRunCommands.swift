import BellhopModel
import BellhopText

extension Command {
  static let firstRunCommands: [Command] = [publishSample, copyPublishLine]

  static let publishSample = Command(
    id: "publish-sample", title: "send a sample", help: "send yourself a first notification",
    keys: ["p"], places: .firstRun, chapter: .program,
    perform: { _, effects in effects.append(.store(.publishSample)) })

  static let copyPublishLine = Command(
    id: "copy-publish-line", title: "copy the line", help: "copy the curl line", keys: ["c"],
    places: .firstRun, chapter: .program,
    disabledReason: { state in
      state.firstRunHelp.map { !$0.curlLine.isEmpty } == true ? nil : "There is no line to copy."
    },
    perform: { state, effects in
      guard let line = state.firstRunHelp?.curlLine else { return }
      effects.append(.terminal(.copy(line.string)))
      state.notice = Notice(.success, "Copied. Paste it in another terminal.")
    })
}
