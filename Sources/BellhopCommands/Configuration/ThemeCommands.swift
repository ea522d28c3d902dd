package import BellhopClient
internal import BellhopInbox
internal import BellhopScreen
internal import BellhopTerminal
internal import BellhopText
internal import BellhopThemes

extension Commands {
  /// `bellhop themes`: each theme as a small screen in its colours; where there are none, the names.
  ///
  /// - Throws: ``ClientError`` with exit code 78 for a theme that is wrong, after the others.
  package static func themes(_ context: ClientContext, named wanted: [String]) throws {
    let names = wanted.isEmpty ? Theme.names(searchPath: ThemeChoice.searchPath(context)) : wanted
    let colored = StandardOutput.isTerminal && context.environment["NO_COLOR"]?.isEmpty != false
    let background = ThemeChoice.knownBackground(context)
    var problems: [String] = []
    for (index, name) in names.enumerated() {
      let (styles, problem) = ThemeChoice.styles(
        named: name, on: background, context: context)
      if let problem {
        problems.append(problem)
        continue
      }
      guard StandardOutput.isTerminal else {
        StandardOutput.line(SafeText(name))
        continue
      }
      if index > 0 { StandardOutput.line("") }
      let depth = colored ? ColorDepth(environment: context.environment) : .monochrome
      let frame = SampleScreen.frame(named: SafeText(name, byteLimit: 64))
      for line in FrameText.lines(frame, styles: styles, depth: depth) {
        _ = StandardOutput.offer(line)
      }
    }
    if StandardOutput.isTerminal, problems.isEmpty {
      StandardError.say("t in bellhop tries them on your own tray; Enter keeps one.")
    }
    guard problems.isEmpty else {
      throw ClientError(.configuration, problems.joined(separator: "\n"))
    }
  }
}
