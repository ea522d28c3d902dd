internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopSettings
internal import BellhopTerminal
internal import BellhopThemes
internal import FoundationEssentials
internal import Glibc

/// The checks of this device, independent of accounts.
extension DoctorCheck {
  static let configuration = DoctorCheck(
    id: "configuration", title: "configuration", isOfAccount: false
  ) { examination in
    if let problem = examination.configurationProblem { return .broken(problem) }
    let path = examination.context.configPath
    let findings = examination.context.configurationFile.findings
    guard findings.isEmpty else {
      return .warning(
        findings.map(\.words).joined(separator: " "),
        "Fix \(path); until then, these settings are ignored.")
    }
    return access(path, F_OK) == 0 ? .ok(path) : .ok("no config.toml: the defaults are used")
  }

  static let keys = DoctorCheck(id: "keys", title: "keys", isOfAccount: false) { examination in
    let check = ConfigurationCheck(examination.context)
    let findings = check.keys
    guard !findings.isEmpty else {
      return .ok((["all can be typed"] + check.movedKeys.map(\.words)).joined(separator: "\n"))
    }
    return .warning(
      findings.map(\.words).joined(separator: " "),
      "Fix [keys] in \(examination.context.configPath).")
  }

  static let theme = DoctorCheck(id: "themes", title: "themes", isOfAccount: false) {
    examination in
    let folder = examination.context.directories.config + "/themes"
    let own = Theme.names(searchPath: [folder])
    for name in Set(own).subtracting(Theme.names(searchPath: [])).sorted() {
      if let problem = ThemeChoice.problem(named: name, context: examination.context) {
        return .warning(problem, "Fix the file; until then, the default theme is used.")
      }
    }
    let chosen = examination.context.configuration.theme
    if let problem = ThemeChoice.problem(named: chosen, context: examination.context) {
      return .warning(
        problem, "Choose another theme in config.toml; until then, the default theme is used.")
    }
    return .ok(chosen ?? "default theme")
  }

  static let previews = DoctorCheck(id: "previews", title: "previews", isOfAccount: false) {
    examination in
    let context = examination.context
    switch context.configuration.previews {
    case .always: return .ok("titles and texts are shown")
    case .never: return .ok("titles and texts are hidden")
    case .whenUnlocked:
      guard SessionLock.isLocked(environment: context.environment) != nil else {
        return .warning(
          "Nothing tells whether the desktop is locked, so its notifications never have titles.",
          "This needs systemd-logind, on this machine. Or set previews below [privacy] in "
            + "\(context.configPath) to \"always\" or \"never\".")
      }
      return .ok("titles and texts are hidden while the desktop is locked")
    }
  }

  static let directories = DoctorCheck(
    id: "directories", title: "directories", isOfAccount: false
  ) { examination in
    let directories = examination.context.directories
    for (path, isSecret) in [
      (directories.config, false), (directories.state, true), (directories.store, true),
      (directories.runtime, true),
    ] {
      try Directories.checkSafety(of: path)
      var status = stat()
      guard lstat(path, &status) == 0 else {
        // A missing folder is created when it is needed.
        if errno == ENOENT { continue }
        return .broken(.inputOutput, "Cannot read \(path): \(systemMessage(errno)).")
      }
      guard status.st_mode & S_IFMT == S_IFDIR || status.st_mode & S_IFMT == S_IFLNK else {
        return .broken(.cannotCreate, "\(path) is not a directory.", "Move or rename it.")
      }
      guard status.st_uid == geteuid() else {
        return .broken(
          .notAllowed, "\(path) belongs to another user.",
          "Change its owner with chown, or choose another directory with the XDG variables.")
      }
      guard access(path, W_OK | X_OK) == 0 else {
        return .broken(.notAllowed, "\(path) is not writable.", "chmod 700 \(path)")
      }
      if isSecret, status.st_mode & 0o077 != 0 {
        return .warning("Other users can read \(path).", "chmod 700 \(path)")
      }
    }
    return .ok(directories.state)
  }

  static let terminal = DoctorCheck(id: "terminal", title: "terminal", isOfAccount: false) {
    examination in
    let name = examination.context.environment["TERM"] ?? ""
    guard !name.isEmpty else {
      return .warning("TERM is not set, so the screen cannot be shown here.")
    }
    // The command runs every check on the program's first thread, and no terminal is open then.
    let kind = MainActor.assumeIsolated { TerminalKind.find(named: name) }
    guard let colors = kind.colors else {
      return .warning(
        "The terminal type \(name.prefix(64)) is not installed; xterm-256color is used instead.",
        "Install its terminfo entry (ncurses-term), or set TERM to a similar terminal.")
    }
    let isPlain = examination.context.environment["NO_COLOR"]?.isEmpty == false
    var facts = [String(name.prefix(64)), isPlain ? "no colours (NO_COLOR)" : "\(colors) colours"]
    if let size = StandardOutput.size { facts.append("\(size.width)×\(size.height)") }
    guard kind.isUTF8 else {
      return .warning(
        facts.joined(separator: ", ") + "; the locale is not UTF-8, so ASCII symbols are used",
        "export LC_ALL=C.UTF-8")
    }
    if let size = StandardOutput.size, size.width < 40 || size.height < 10 {
      return .warning(
        facts.joined(separator: ", ") + ": too small for the screen", "Use at least 40×10.")
    }
    return .ok((facts + ["UTF-8"]).joined(separator: ", "))
  }

  static let accounts = DoctorCheck(id: "accounts", title: "accounts", isOfAccount: false) {
    examination in
    let all = try examination.context.accounts.all()
    guard !all.isEmpty else {
      return .ok("none yet: bellhop starts a private store and creates one")
    }
    let names = all.map(\.name.rawValue).joined(separator: ", ")
    if let name = examination.context.accountName {
      _ = try examination.context.accounts.current(named: name)
    } else if all.count > 1, (try? examination.context.accounts.current(named: nil)) == nil {
      return .warning(
        names + "; no default", "Choose one with bellhop accounts use NAME.")
    }
    return .ok(names)
  }
}
