import BellhopScreen
import BellhopText

/// Draws the screen of an empty store.
struct FirstRunPane {
  let help: FirstRunHelp?
  let keymap: Keymap
  /// The program's name in hints.
  let program: ProgramName
  /// Whether the screen has few columns.
  let isNarrow: Bool

  init(_ state: InboxState) {
    help = state.firstRunHelp
    keymap = state.keymap
    program = state.program
    isNarrow = state.size.width < Self.narrowWidth
  }

  private static let narrowWidth = 48

  func draw(in rect: Rect, on canvas: inout Canvas) {
    let inner = rect.inset(left: rect.width >= 60 ? 3 : 1, right: 1)
    var lines = self.lines(width: inner.width)
    if lines.count > rect.height { lines = shortLines(width: inner.width) }
    let top = rect.height > lines.count + 1 ? 1 : 0
    for (offset, line) in lines.prefix(rect.height - top).enumerated() {
      canvas.put(line, in: inner.row(top + offset))
    }
  }

  private func lines(width: Int) -> [StyledLine] {
    guard let help else {
      return [StyledLine("Nothing here yet.", .accent), .empty, sample, tour, quit("quit")]
    }
    var lines = [
      StyledLine(
        help.isPrivateStore
          ? "Nothing here yet. This is your own store, on this machine only."
          : "Nothing here yet.", .accent),
      .empty, sample, .empty,
      StyledLine("From another terminal:"),
    ]
    // A line may be longer than the screen; it is copied completely.
    let room = max(8, width - 4)
    func code(_ text: SafeText) -> [StyledLine] {
      text.wrapped(to: room).map { StyledLine("    " + $0, .code) }
    }
    lines += code(program.written(in: help.publishCommand))
    if !help.curlLine.isEmpty {
      lines.append(
        StyledLine(
          help.isPrivateStore
            ? "Any other program (the file contains the token, so it stays off your screen):"
            : program.written(
              in: "Any other program, with a token from bellhop token create --app backups:")))
      lines += code(help.curlLine)
      if !help.portNote.isEmpty {
        lines += help.portNote.wrapped(to: width).map { StyledLine($0, .accent) }
      }
      lines += [.empty, hint(.copyPublishLine, "copy that line")]
    }
    lines.append(tour)
    if help.isPrivateStore {
      lines += [
        quit("quit; the store keeps running, so nothing is missed"), .empty,
        StyledLine(program.written(in: "bellhop store stop ends the store."), .dim),
      ]
    } else {
      lines.append(quit("quit"))
    }
    return lines
  }

  /// Returns the most important lines, for small screens.
  private func shortLines(width: Int) -> [StyledLine] {
    var lines = SafeText("Nothing here yet.").wrapped(to: width).map { StyledLine($0, .accent) }
    lines += [sample, tour]
    guard let help else { return lines }
    if !help.curlLine.isEmpty {
      lines.append(hint(.copyPublishLine, "copy a curl line"))
    }
    lines.append(quit("quit"))
    lines += program.written(in: help.publishCommand).wrapped(to: width).map {
      StyledLine($0, .code)
    }
    return lines
  }

  private var sample: StyledLine {
    hint(
      .publishSample,
      isNarrow
        ? "send yourself a first one" : "send yourself a first notification, now")
  }

  private var tour: StyledLine { hint(.tour, "a tour in five steps") }

  private func quit(_ text: SafeText) -> StyledLine { hint(.close, text) }

  private func hint(_ command: Command, _ text: SafeText) -> StyledLine {
    var line = StyledLine(keymap.hint(for: command).padded(to: 4), .accent)
    line.add(text, .text)
    return line
  }
}
