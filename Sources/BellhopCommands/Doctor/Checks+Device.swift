internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
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
        "Fix \(path); until then these settings are ignored.")
    }
    return access(path, F_OK) == 0 ? .ok(path) : .ok("no config.toml: the defaults are used")
  }

  static let keys = DoctorCheck(id: "keys", title: "keys", isOfAccount: false) { examination in
    let check = ConfigurationCheck(examination.context)
    let findings = check.keys
    guard !findings.isEmpty else {
      return .ok((["all can be pressed"] + check.movedKeys.map(\.words)).joined(separator: "\n"))
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
        return .warning(problem, "Fix the file; until then the default theme is used.")
      }
    }
    let chosen = examination.context.configuration.theme
    if let problem = ThemeChoice.problem(named: chosen, context: examination.context) {
      return .warning(problem, "Choose another theme in config.toml; the default theme is used.")
    }
    return .ok(chosen ?? "the built-in theme is used")
  }

  static let directories = DoctorCheck(
    id: "directories", title: "directories", isOfAccount: false
  ) { examination in
    let directories = examination.context.directories
    for (path, isSecret) in [
      (directories.config, false), (directories.state, true), (directories.store, true),
      (directories.runtime, true),
    ] {
      do { try Directories.checkSafety(of: path) } catch { return .broken(error) }
      var status = stat()
      guard lstat(path, &status) == 0 else {
        // A missing folder is created when it is needed.
        if errno == ENOENT { continue }
        return .broken(.inputOutput, "Cannot look at \(path): \(systemMessage(errno)).")
      }
      guard status.st_mode & S_IFMT == S_IFDIR || status.st_mode & S_IFMT == S_IFLNK else {
        return .broken(.cannotCreate, "\(path) is no directory.", "Move it away.")
      }
      guard status.st_uid == geteuid() else {
        return .broken(
          .notAllowed, "\(path) belongs to somebody else.",
          "chown it, or choose another directory with the XDG variables.")
      }
      guard access(path, W_OK | X_OK) == 0 else {
        return .broken(.notAllowed, "Nothing can be written into \(path).", "chmod 700 \(path)")
      }
      if isSecret, status.st_mode & 0o077 != 0 {
        return .warning("Others can look into \(path).", "chmod 700 \(path)")
      }
    }
    return .ok(directories.state)
  }

  static let terminal = DoctorCheck(id: "terminal", title: "terminal", isOfAccount: false) {
    examination in
    let name = examination.context.environment["TERM"] ?? ""
    guard !name.isEmpty else {
      return .warning("TERM is not set, so this is no terminal for the screen.")
    }
    // The command runs every check on the program's first thread, and no terminal is open then.
    let kind = MainActor.assumeIsolated { TerminalKind.look(named: name) }
    guard let colors = kind.colors else {
      return .warning(
        "No description of \(name.prefix(64)) is installed; xterm-256color is used instead.",
        "Install the terminal's terminfo (ncurses-term), or set TERM to what it resembles.")
    }
    let isPlain = examination.context.environment["NO_COLOR"]?.isEmpty == false
    var facts = [String(name.prefix(64)), isPlain ? "no colours (NO_COLOR)" : "\(colors) colours"]
    if let size = StandardOutput.size { facts.append("\(size.width)×\(size.height)") }
    guard kind.isUTF8 else {
      return .warning(
        facts.joined(separator: ", ") + "; the locale is not UTF-8, so ASCII marks are drawn",
        "export LC_ALL=C.UTF-8")
    }
    if let size = StandardOutput.size, size.width < 40 || size.height < 10 {
      return .warning(facts.joined(separator: ", ") + ": small for the screen", "40×10 is enough.")
    }
    return .ok((facts + ["UTF-8"]).joined(separator: ", "))
  }

  static let accounts = DoctorCheck(id: "accounts", title: "accounts", isOfAccount: false) {
    examination in
    do {
      let all = try examination.context.accounts.all()
      guard !all.isEmpty else {
        return .ok("none yet: bellhop starts a private store and makes one")
      }
      let names = all.map(\.name.rawValue).joined(separator: ", ")
      if let name = examination.context.accountName {
        _ = try examination.context.accounts.current(named: name)
      } else if all.count > 1, (try? examination.context.accounts.current(named: nil)) == nil {
        return .warning(
          names + "; none is the default", "Choose with bellhop accounts use NAME.")
      }
      return .ok(names)
    } catch {
      return .broken(error)
    }
  }
}
