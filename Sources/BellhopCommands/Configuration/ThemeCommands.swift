package import BellhopClient
internal import BellhopInbox
internal import BellhopScreen
internal import BellhopTerminal
internal import BellhopText
internal import BellhopThemes

extension Commands {
  /// Runs `bellhop themes`, which prints each theme as a small screen in its colours.
  ///
  /// Prints only the names if there are no colours.
  ///
  /// - Throws: `ClientError` with exit code 78 if a theme is not valid, after printing the
  ///   others.
  package static func themes(_ context: ClientContext, named wanted: [String]) throws {
    let names = wanted.isEmpty ? Theme.names(searchPath: ThemeChoice.searchPath(context)) : wanted
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
      let depth = ColorDepth(environment: context.environment)
      let frame = SampleScreen.frame(named: SafeText(name, byteLimit: 64))
      for line in FrameText.lines(frame, styles: styles, depth: depth) {
        _ = StandardOutput.offer(line)
      }
    }
    if StandardOutput.isTerminal, problems.isEmpty {
      StandardError.say("In bellhop, t previews them on your tray; Enter selects one.")
    }
    guard problems.isEmpty else {
      throw ClientError(.configuration, problems.joined(separator: "\n"))
    }
  }
}
