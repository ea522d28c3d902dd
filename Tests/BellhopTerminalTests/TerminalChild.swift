import BellhopInbox
import BellhopModel
import BellhopScreen
import BellhopTerminal
import BellhopTestSupport
import BellhopText
import Glibc
import Testing

/// A small program on the real `NcursesTerminal`.
///
/// The test runner starts itself in a pseudo-terminal with `BELLHOP_TERMINAL_CHILD` set, and then
/// runs only this "test".
@Suite("A program in a pseudo-terminal")
struct TerminalChild {
  static let variable = "BELLHOP_TERMINAL_CHILD"
  static let isChild = getenv(variable) != nil

  @Test("plays the program", .enabled(if: isChild, "only in the pseudo-terminal"))
  func play() throws {
    var environment: [String: String] = [:]
    for name in ["TERM", "TMUX", "NO_COLOR", "SSH_CONNECTION"] {
      if let value = getenv(name) { environment[name] = String(cString: value) }
    }
    var options = TerminalOptions(environment: environment)
    options.styles = StyleSheet([
      .error: Style(foreground: .rgb(0xFF8787), isBold: true), .selection: Style(isReversed: true),
    ])
    do {
      let terminal = try NcursesTerminal(options: options)
      let part = getenv(Self.variable).map { String(cString: $0) } ?? ""
      if let plan = FuzzPlan(part) {
        try play(plan, on: terminal)
      } else if part == "screen" {
        try playScreen(on: terminal)
      } else if part == "pictures" {
        try PictureChild().play(on: terminal)
      } else {
        try run(terminal)
      }
      print("child: given back")
    } catch let error as TerminalError {
      print("child: \(error)")
    }
    exit(0)
  }

  /// Shows the frames of a plan, each followed by a bell.
  private func play(_ plan: FuzzPlan, on terminal: NcursesTerminal) throws {
    for number in 0..<plan.count {
      try terminal.present(plan.frame(number))
      terminal.bell()
    }
    terminal.close()
  }

  /// Shows the real screen with untrusted items, and a bell after each answer.
  private func playScreen(on terminal: NcursesTerminal) throws {
    var desk = Self.desk()
    try terminal.present(desk.frame)
    terminal.bell()
    while true {
      for event in terminal.wait(timeout: nil) {
        switch event {
        case .resize(let size): desk.send(.resize(size))
        case .key(let key): desk.send(.key(key))
        case .terminate, .inputClosed: return terminal.close()
        default: continue
        }
        try terminal.present(desk.frame)
        terminal.bell()
      }
    }
  }

  /// The real screen of ``playScreen(on:)``, and of the test that reads it.
  static func desk() -> InboxDesk {
    var strings = HostileStrings(seed: 7)
    var shelf = ItemShelf()
    for index in 0..<60 {
      shelf.publish(
        Content(
          app: strings.name(), appNotificationID: "\(index)",
          group: index % 3 == 0 ? "all" : nil,
          visual: VisualContent(title: strings.next(), body: strings.next(lengthMax: 200))),
        at: InboxDesk.morning.advanced(by: .seconds(Int64(index) - 4000)))
    }
    var desk = InboxDesk(width: 100, height: 30, shelf: shelf)
    desk.start()
    return desk
  }

  private func run(_ terminal: NcursesTerminal) throws {
    var log = ["\(terminal.size.width)×\(terminal.size.height) \(terminal.colorDepth)"]
    var round = 0
    while true {
      try terminal.present(frame(terminal.size, log, round))
      for event in terminal.wait(timeout: nil) {
        log.append(Self.name(of: event))
        switch event {
        case .key(.character("q")), .terminate, .inputClosed:
          terminal.close()
          if case .terminate(let signal) = event { print("child: signal \(signal)") }
          // A terminal that disappeared sends it again, often after the screen was closed.
          if event == .inputClosed || event == .terminate(signal: SIGHUP) { kill(getpid(), SIGHUP) }
          return
        case .key(.character("C")): fatalError("on purpose")
        case .key(.character("A")): abort()
        case .key(.character("S")):
          UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        case .key(.character("X")): exit(3)
        case .key(.character("r")): round += 1
        case .key(.character("F")): terminal.forget()
        case .key(.character("b")): terminal.bell()
        case .key(.character("B")): terminal.askBackground()
        case .key(.character("y")): _ = terminal.copyToClipboard("copied")
        case .key(.character("w")):
          let waker = terminal.waker
          Task.detached { waker.wake() }
        case .key(.character("n")): log.removeLast()
        default: break
        }
      }
    }
  }

  static func name(of event: TerminalEvent) -> String {
    switch event {
    case .key(let key): "key \(key)"
    case .mouse(let mouse): "mouse \(mouse.action) \(mouse.position.x),\(mouse.position.y)"
    case .paste(let text): "paste \(text.count)"
    case .resize(let size): "resize \(size.width)×\(size.height)"
    case .focus(let isFocused): "focus \(isFocused)"
    case .wake: "wake"
    case .terminate(let signal): "signal \(signal)"
    case .graphics(let means): "graphics \(means)"
    case .background(let color): "background \(color.rgbValue)"
    case .resumed: "resumed"
    case .inputClosed: "closed"
    }
  }

  /// Untrusted texts in columns, with the log on the right and random texts below.
  ///
  /// Each column is followed by a bar that must be aligned. The random texts change in each round.
  private func frame(_ size: Size, _ log: [String], _ round: Int) -> Frame {
    var canvas = Canvas(size: size)
    canvas.title = SafeText("child \u{1B}]0;evil\u{7}\(log.count)")
    for (y, text) in Self.strangers.enumerated() {
      let line = Rect(x: 0, y: y, width: 20, height: 1)
      canvas.put(SafeText(text), at: line.origin, in: line, role: y % 3 == 0 ? .error : .text)
      canvas.put("|", at: Point(x: 20, y: y), selected: y == 1)
    }
    for (y, line) in log.suffix(max(1, size.height - 4)).enumerated() {
      canvas.put(SafeText(line), at: Point(x: 24, y: y))
    }
    var random = SeededRandom(seed: UInt64(round))
    for y in Self.strangers.count..<max(Self.strangers.count, size.height) {
      let text = (0..<30).map { _ in Self.strangers.randomElement(using: &random)?.first ?? " " }
      canvas.put(
        SafeText(String(text)), at: Point(x: 0, y: y), in: Rect(x: 0, y: y, width: 20, height: 1))
      canvas.put("|", at: Point(x: 20, y: y))
    }
    canvas.cursor = Point(x: 2, y: 1)
    return canvas.frame
  }

  static let strangers = [
    "plain ascii", "\u{1B}[2J\u{1B}[31mred\u{7}\u{9B}5A", "in\u{202E}gnp.exe\u{2066}",
    "漢字かな交じり文テスト長い", "한국어 \u{1112}\u{1161}\u{11AB}", "👩‍👩‍👧‍👦 👍🏽 🇩🇪 ❤️ 1️⃣ 🏳️‍🌈",
    "e\u{301}a\u{308}\u{323}n\u{303}" + String(repeating: "\u{301}", count: 10_000), "สวัสดี กำ",
    "नमस्ते क्षत्रिय", "مرحبا שלום", "\u{200B}zero\u{FEFF}\u{AD}width", "●○✓»‼│─▌…▸",
  ]
}

extension PseudoTerminal {
  /// Starts this test runner in a pseudo-terminal, as ``TerminalChild``.
  static func terminalChild(
    columns: Int, rows: Int, _ changes: [String: String?] = [:]
  ) throws -> PseudoTerminal {
    var environment = [
      "TERM": "xterm-256color", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin",
      TerminalChild.variable: "1",
      // A backtrace takes seconds and would be written to the terminal.
      "SWIFT_BACKTRACE": "enable=no",
    ]
    if let path = getenv("LD_LIBRARY_PATH") {
      environment["LD_LIBRARY_PATH"] = String(cString: path)
    }
    for (name, value) in changes { environment[name] = value }
    let arguments = ["--testing-library", "swift-testing", "--filter", "TerminalChild"]
    return try PseudoTerminal(
      "/proc/self/exe", arguments, environment: environment, columns: columns, rows: rows)
  }
}
