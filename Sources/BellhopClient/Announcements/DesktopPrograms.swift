package import BellhopInbox
internal import BellhopModel
internal import BellhopText
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Programs that ring and copy: those of the desktop, or the commands of the configuration.
///
/// All are started with a list of arguments, never through a shell.
package final class DesktopPrograms: Sendable {
  /// The most programs that run at once. Further rings are dropped instead of delayed.
  private static let runningMax = 4

  private let configuration: Configuration
  private let environment: [String: String]
  private let running = Mutex(0)
  private let hasComplained = Mutex(false)

  package init(_ context: ClientContext) {
    configuration = context.configuration
    environment = context.environment
  }

  /// The command that shows desktop notifications; nil if there is none.
  package var notifier: [String]? {
    if let command = configuration.notifyCommand { return command }
    // Over ssh, the desktop is on another machine.
    let isRemote = environment["SSH_CONNECTION"] != nil || environment["SSH_TTY"] != nil
    let hasDesktop = ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"]
      .contains { environment[$0]?.isEmpty == false }
    guard !isRemote, hasDesktop else { return nil }
    return ChildProcess.find("notify-send", environment: environment).map { [$0] }
  }

  /// Shows notes and plays the sound without waiting.
  ///
  /// - Returns: A problem that the user must know of, reported once: a command that cannot be
  ///   started.
  package func ring(_ ring: Ring) -> String? {
    var problem: String?
    for note in ring.notes {
      guard let notifier else { break }
      problem = start(
        notifier + (configuration.notifyCommand == nil ? Self.arguments(note) : []), note)
    }
    if let note = ring.sound, let command = player(of: note) {
      problem = start(command, note) ?? problem
    }
    guard let problem else { return nil }
    let isNew = hasComplained.withLock { known in
      defer { known = true }
      return !known
    }
    return isNew ? problem : nil
  }

  /// Returns the command that makes the note's sound, if one is configured.
  func player(of note: RingNote) -> [String]? {
    note.sound.flatMap { configuration.sounds[$0] } ?? configuration.sound
  }

  /// The command that copies text to the desktop's clipboard, besides the terminal; nil if none.
  var copier: [String]? {
    if let command = configuration.copyCommand { return command }
    // Over ssh, only the terminal reaches the user's own clipboard.
    guard environment["SSH_CONNECTION"] == nil, environment["SSH_TTY"] == nil else { return nil }
    func isSet(_ name: String) -> Bool { environment[name]?.isEmpty == false }
    let found =
      isSet("WAYLAND_DISPLAY") ? ChildProcess.find("wl-copy", environment: environment) : nil
    if let found { return [found] }
    guard isSet("DISPLAY") else { return nil }
    return ChildProcess.find("xclip", environment: environment).map {
      [$0, "-selection", "clipboard"]
    }
  }

  /// Copies text to the desktop's clipboard without waiting.
  ///
  /// Many terminals do not accept copies from programs, and do not report it.
  package func copy(_ text: String) {
    guard let command = copier, let name = command.first,
      let path = name.hasPrefix("/") ? name : ChildProcess.find(name, environment: environment),
      text.utf8.count <= ChildProcess.inputBytesMax
    else { return }
    // The program may run for as long as it owns the clipboard.
    try? ChildProcess.startAndForget(path, Array(command.dropFirst()), input: text)
  }

  /// Opens a file on the desktop without waiting. Over ssh, the desktop is on another machine.
  ///
  /// - Parameter path: An absolute path, so that it is never read as an option.
  /// - Returns: Whether there is a program for it.
  /// - Throws: ``ClientError`` if the program cannot be started.
  package func open(_ path: String) throws -> Bool {
    guard let command = opener, let name = command.first,
      let program = name.hasPrefix("/") ? name : ChildProcess.find(name, environment: environment)
    else { return false }
    try ChildProcess.startAndForget(program, Array(command.dropFirst()) + [path])
    return true
  }

  private var opener: [String]? {
    if let command = configuration.openCommand { return command }
    let isRemote = environment["SSH_CONNECTION"] != nil || environment["SSH_TTY"] != nil
    let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    return isRemote || !hasDesktop ? nil : ["xdg-open"]
  }

  /// Returns the arguments for `notify-send`.
  ///
  /// The options end before the texts, and the body is markup (Desktop Notifications Specification
  /// 1.2, "Markup").
  static func arguments(_ note: RingNote) -> [String] {
    [
      "--app-name=bellhop", "--urgency=" + (note.isUrgent ? "critical" : "normal"), "--",
      note.title.string, escaped(note.body.string),
    ]
  }

  /// Escapes text as markup that shows the same text.
  ///
  /// Works by scalar, as a markup parser does: `<` with a combining mark is one character for the
  /// user only.
  static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result.append(contentsOf: "&amp;".unicodeScalars)
      case "<": result.append(contentsOf: "&lt;".unicodeScalars)
      case ">": result.append(contentsOf: "&gt;".unicodeScalars)
      default: result.append(scalar)  // open: Unicode.Scalar
      }
    }
    return String(result)
  }

  /// Starts a command with the title and the body on its standard input, one line each.
  private func start(_ command: [String], _ note: RingNote) -> String? {
    guard let name = command.first,
      let path = name.hasPrefix("/") ? name : ChildProcess.find(name, environment: environment)
    else { return "\(command.first ?? "a command") from config.toml was not found." }
    let isFree = running.withLock { count in
      guard count < Self.runningMax else { return false }
      count += 1
      return true
    }
    guard isFree else { return nil }
    do {
      let body = SafeText(note.body.string, lineBreaks: .joined, byteLimit: SafeText.titleBytesMax)
      let child = try ChildProcess.start(
        path, Array(command.dropFirst()), input: note.title.string + "\n" + body.string + "\n",
        isDetached: true)
      // A separate thread reads the output to its end and reaps the process, so that no zombie
      // remains.
      DispatchQueue.global().async { [self] in
        ChildProcess.drain(child)
        _ = ChildProcess.wait(for: child.processID)
        running.withLock { $0 -= 1 }
      }
      return nil
    } catch {
      running.withLock { $0 -= 1 }
      return error.explanation
    }
  }
}
