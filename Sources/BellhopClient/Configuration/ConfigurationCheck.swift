internal import BellhopInbox
internal import BellhopModel
package import BellhopSettings

/// The check of a configuration file, and of the keys, theme, views, accounts and programs in it.
package struct ConfigurationCheck {
  private let context: ClientContext
  private let file: ConfigurationFile

  /// - Parameter file: The file to check; nil for the one that is in force.
  package init(_ context: ClientContext, file: ConfigurationFile? = nil) {
    self.context = context
    self.file = file ?? context.configurationFile
  }

  /// All findings, in the order of the lines.
  ///
  /// - Throws: ``ClientError`` when the accounts cannot be read.
  package func findings() throws -> [ConfigurationFinding] {
    var findings =
      file.findings + keys + theme + SavedViewsFile(context, file: file).load().findings
    findings += try accounts
    findings += programs
    return findings.sorted { ($0.line ?? .max) < ($1.line ?? .max) }
  }

  /// The problems of `[keys]`.
  package var keys: [ConfigurationFinding] {
    Keymap(overrides: file.configuration.keys).problems.map { problem in
      ConfigurationFinding(
        line: file.lines.line(of: "keys.\(problem.command.id)"), text: problem.words)
    }
  }

  /// The standard keys that other commands have now, which is not a problem.
  package var movedKeys: [ConfigurationFinding] {
    Keymap(overrides: file.configuration.keys).movedKeys.map { moved in
      ConfigurationFinding(
        line: file.lines.line(of: "keys.\(moved.to.id)"),
        text: "\(moved.keys) is now \(moved.to.id); it was \(moved.from.id).")
    }
  }

  private var theme: [ConfigurationFinding] {
    let problem = ThemeChoice.problem(named: file.configuration.theme, context: context)
    return problem.map { [.init(line: file.lines.line(of: "theme"), sentence: $0)] } ?? []
  }

  private var accounts: [ConfigurationFinding] {
    get throws {
      let known = try context.accounts.all().map(\.name.rawValue)
      return (file.configuration.accounts ?? []).filter { !known.contains($0) }.map { name in
        ConfigurationFinding(
          line: file.lines.line(of: "accounts"), text: Self.unknownAccount(name, known: known))
      }
    }
  }

  /// Returns the problem and its fix for a name in `accounts` that is not an account of this device.
  ///
  /// The screen does not open with such a name.
  package static func unknownAccount(_ name: String, known: [String]) -> String {
    let near = Spelling.nearest(name, in: known).map { " Did you mean \($0)?" } ?? ""
    return "\"\(name.prefix(64))\" in accounts is not an account of this device.\(near) "
      + "The screen does not open until you correct it, or sign in with bellhop login URL --name "
      + "\(name.prefix(64))."
  }

  private var programs: [ConfigurationFinding] {
    let configuration = file.configuration
    let sounds = configuration.sounds.sorted { $0.key < $1.key }
    let commands: [(String, [String]?)] =
      [
        ("notify-command", configuration.notifyCommand), ("sound", configuration.sound),
        ("copy-command", configuration.copyCommand), ("open-command", configuration.openCommand),
        ("actions.authenticate", configuration.authenticate),
      ] + sounds.map { ("sounds.\($0.key)", $0.value) }
    return commands.compactMap { key, command in
      guard let program = command?.first else { return nil }
      let isThere =
        program.hasPrefix("/")
        ? ChildProcess.isExecutable(program)
        : ChildProcess.find(program, environment: context.environment) != nil
      guard !isThere else { return nil }
      return ConfigurationFinding(
        line: file.lines.line(of: key),
        sentence: "The program \(program.prefix(64)) of \(key) was not found.")
    }
  }
}

extension Keymap.Problem {
  /// The command whose line in the configuration causes the problem.
  var command: Command {
    switch self {
    case .unknownKey(_, let command), .shadowed(_, _, let command), .unsafeKey(_, let command),
      .conflict(_, _, let command):
      command
    case .keyless(_, _, let owner, _): owner
    }
  }

  /// The problem and its fix, in one or more sentences.
  var words: String {
    switch self {
    case .unknownKey(let spelling, let command):
      "\"\(spelling.prefix(32))\" for \(command.id) is not a key, such as d, Ctrl-d, PgDn or "
        + "g g. It is left out."
    case .conflict(let keys, let kept, let refused):
      "\(keys) is \(kept.id) already, so \(refused.id) goes without it."
    case .shadowed(let keys, let other, let command):
      "\(keys) for \(command.id) cannot be typed beside \(other). It is left out."
    case .unsafeKey(let keys, let command):
      "\(keys) ends the bytes of a split arrow key, so it never changes an item. "
        + "\(command.id) goes without it."
    case .keyless(let command, let keys, let owner, let free):
      "\(keys) is now \(owner.id); \(command.id) has no key left. "
        + "Give \(command.id) another key"
        + (free.map { ", such as \(command.id) = [\"\($0.spelling)\"]." } ?? ".")
    }
  }
}
