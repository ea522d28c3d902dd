internal import BellhopInbox
internal import BellhopModel
internal import BellhopSettings

extension ConfigurationKey {
  /// All keys, in the order in which a person reads of them.
  static let all: [ConfigurationKey] =
    [theme, mouse, timeZone, escapeDelay, accounts, tray, groups, channel, syncWait, authorityFile]
    + [notify, notifyCommand, sound, urgentPasses, copyCommand]
    + [downloads, attachmentLimit, openCommand, pictures, actions, ring, view, keys]

  // MARK: - Looks

  private static let theme = ConfigurationKey(
    name: "theme",
    help: [
      "The colours: bellhop-dark, bellhop-light, bellhop-any, high-contrast, solarized-dark,",
      "solarized-light, gruvbox, nord, catppuccin, dracula, mono, one of your own in themes/ beside",
      "this file, or the path of a file. Without it bellhop-dark or bellhop-light, whichever fits",
      "the terminal's background.",
    ],
    example: "\"bellhop-light\"",
    read: { (value, configuration) throws(Misfit) in
      guard let name = value.text else { throw Misfit(expected: "a theme's name in quotes") }
      configuration.theme = name
    },
    written: { quoted($0.theme ?? "bellhop-dark") })

  private static let mouse = ConfigurationKey(
    name: "mouse",
    help: ["Clicks and the wheel; false leaves selecting to the terminal (Shift always does)."],
    example: "false",
    read: { (value, configuration) throws(Misfit) in
      guard let isOn = value.flag else { throw Misfit(expected: "true or false") }
      configuration.mouse = isOn
    },
    written: { $0.mouse ? "true" : "false" })

  private static let timeZone = ConfigurationKey(
    name: "time-zone",
    help: ["The zone of all times, also of quiet hours; else the machine's."],
    example: "\"Europe/Berlin\"",
    read: { (value, configuration) throws(Misfit) in
      guard let zone = value.text, !zone.isEmpty else {
        throw Misfit(expected: "a zone's name such as \"Europe/Berlin\"")
      }
      configuration.timeZone = zone
    },
    written: { $0.timeZone.map(quoted) })

  private static let escapeDelay = ConfigurationKey(
    name: "escape-delay",
    help: [
      "Milliseconds to wait for the rest of a key's bytes, 1 to 1000; else 25, over ssh 100."
    ],
    example: "50",
    read: { (value, configuration) throws(Misfit) in
      guard let delay = value.number, (1...1000).contains(delay) else {
        throw Misfit(expected: "a number of milliseconds from 1 to 1000")
      }
      configuration.escapeDelay = delay
    },
    written: { $0.escapeDelay.map { String($0) } })

  // MARK: - Accounts

  private static let accounts = ConfigurationKey(
    name: "accounts",
    help: ["The accounts that the screen opens, in this order; else all."],
    example: "[\"home\", \"work\"]",
    read: { (value, configuration) throws(Misfit) in
      let expected = "a list of accounts' names such as [\"home\", \"work\"]"
      configuration.accounts = try texts(of: value, expected: expected)
    },
    written: { $0.accounts.map(list) })

  private static let tray = ConfigurationKey(
    name: "tray",
    help: ["\"merged\" shows the trays of all accounts as one, \"per-account\" one at a time."],
    example: "\"per-account\"",
    read: { (value, configuration) throws(Misfit) in
      guard let tray = value.text, ["merged", "per-account"].contains(tray) else {
        throw Misfit(expected: "\"merged\" or \"per-account\"")
      }
      configuration.isTrayMerged = tray == "merged"
    },
    written: { $0.isTrayMerged ? "\"merged\"" : "\"per-account\"" })

  private static let groups = ConfigurationKey(
    name: "groups",
    help: [
      "\"folded\" shows a group of the tray as one row until you open it, \"open\" item by item."
    ],
    example: "\"open\"",
    read: { (value, configuration) throws(Misfit) in
      guard let groups = value.text, ["folded", "open"].contains(groups) else {
        throw Misfit(expected: "\"folded\" or \"open\"")
      }
      configuration.foldsGroups = groups == "folded"
    },
    written: { $0.foldsGroups ? "\"folded\"" : "\"open\"" })

  private static let channel = ConfigurationKey(
    name: "channel",
    help: [
      "How changes are noticed: \"signal\" (at once), or \"polling\" without a connection kept."
    ],
    example: "\"polling\"",
    read: { (value, configuration) throws(Misfit) in
      guard let channel = value.text, ["signal", "polling"].contains(channel) else {
        throw Misfit(expected: "\"signal\" or \"polling\"")
      }
      configuration.usesPolling = channel == "polling"
    },
    written: { $0.usesPolling ? "\"polling\"" : "\"signal\"" })

  private static let authorityFile = ConfigurationKey(
    name: "ca-file",
    help: ["Certificate authorities in PEM that are trusted beside the system's."],
    example: "\"/etc/bellhop/ca.pem\"",
    read: { (value, configuration) throws(Misfit) in
      guard let file = value.text, file.hasPrefix("/") else {
        throw Misfit(expected: "the absolute path of a file with certificates in PEM")
      }
      configuration.authorityFile = file
    },
    written: { $0.authorityFile.map(quoted) })

  // MARK: - Attention

  private static let notify = ConfigurationKey(
    name: "notify",
    help: [
      "How the terminal shows a notification on the desktop: \"auto\" asks by what the terminal is",
      "known to take, and uses notify-send elsewhere; \"osc9\", \"osc777\", \"osc99\"; \"none\".",
      "In tmux: set -g allow-passthrough on.",
    ],
    example: "\"osc777\"",
    read: { (value, configuration) throws(Misfit) in
      guard let notify = value.text.flatMap(Configuration.Notify.init(rawValue:)) else {
        throw Misfit(expected: "\"auto\", \"osc9\", \"osc777\", \"osc99\" or \"none\"")
      }
      configuration.notify = notify
    },
    written: { quoted($0.notify.rawValue) })

  private static let notifyCommand = ConfigurationKey(
    name: "notify-command",
    help: [
      "A program with its arguments, instead of notify-send; it reads the title and the text, a",
      "line each, from its standard input. No shell is in between.",
    ],
    example: "[\"notify-phone\", \"--from\", \"bellhop\"]",
    read: { (value, configuration) throws(Misfit) in
      configuration.notifyCommand = try texts(of: value, expected: commandExpected)
    },
    written: { $0.notifyCommand.map(list) })

  private static let sound = ConfigurationKey(
    name: "sound",
    help: ["A program with its arguments that makes a sound; it reads the same."],
    example: "[\"paplay\", \"/usr/share/sounds/freedesktop/stereo/message.oga\"]",
    read: { (value, configuration) throws(Misfit) in
      configuration.sound = try texts(of: value, expected: commandExpected)
    },
    written: { $0.sound.map(list) })

  private static let urgentPasses = ConfigurationKey(
    name: "urgent-passes",
    help: ["Whether urgent items are heard during do not disturb and your quiet hours too."],
    example: "true",
    read: { (value, configuration) throws(Misfit) in
      guard let passes = value.flag else { throw Misfit(expected: "true or false") }
      configuration.ringRules.urgentPasses = passes
    },
    written: { $0.ringRules.urgentPasses ? "true" : "false" })

  // MARK: - Actions

  private static let copyCommand = ConfigurationKey(
    name: "copy-command",
    help: [
      "A program with its arguments that reads what is copied from its standard input, beside the",
      "terminal (OSC 52); else wl-copy or xclip where there is a desktop, and nothing over ssh.",
    ],
    example: "[\"wl-copy\"]",
    read: { (value, configuration) throws(Misfit) in
      configuration.copyCommand = try texts(
        of: value, expected: "a program with its arguments, a list such as [\"wl-copy\"]")
    },
    written: { $0.copyCommand.map(list) })

  private static let actions = ConfigurationKey(
    name: "actions",
    help: [
      "Whether actions of items may call this machine, by plain HTTP too, and the private networks",
      "around it; else they call public addresses by https only.",
    ],
    example: "allow-private = true",
    read: { (value, configuration) throws(Misfit) in
      guard let table = value.table else { throw Misfit(expected: "a table: [actions]") }
      var wrong: [Misfit.Part] = []
      for (name, value) in table {
        if name != "allow-private" {
          wrong.append(.init(unknown: "actions.\(name)", among: ["allow-private"]))
        } else if let isAllowed = value.flag {
          configuration.actionsReachPrivate = isAllowed
        } else {
          wrong.append(.init(key: "actions.\(name)", expected: "true or false"))
        }
      }
      if !wrong.isEmpty { throw Misfit(wrong) }
    },
    written: { "allow-private = \($0.actionsReachPrivate)" }, isTable: true)

  private static let ring = ConfigurationKey(
    name: "ring",
    help: ["How each level asks for attention: any of \"bell\", \"desktop\" and \"sound\"."],
    example: """
      urgent = ["bell", "desktop", "sound"]
      high = ["bell", "sound"]
      normal = []
      """,
    read: { (value, configuration) throws(Misfit) in
      guard let table = value.table else { throw Misfit(expected: "a table: [ring]") }
      var wrong: [Misfit.Part] = []
      let levels = Priority.allCases.reversed().map(\.name)
      for (name, value) in table {
        guard let level = Priority.allCases.first(where: { $0.name == name }) else {
          wrong.append(.init(unknown: "ring.\(name)", among: levels))
          continue
        }
        do throws(Misfit) {
          configuration.ringRules.means[level] = try means(of: value, key: "ring.\(name)")
        } catch {
          wrong += error.parts
        }
      }
      if !wrong.isEmpty { throw Misfit(wrong) }
    },
    written: { configuration in
      Priority.allCases.reversed().map { level in
        let means = configuration.ringRules.means[level] ?? []
        let words = meansByWord.filter { means.contains($0.1) }.map { $0.0 }
        return "\(level.name) = \(list(words))"
      }.joined(separator: "\n")
    }, isTable: true)

  private static let meansByWord: [(String, RingMethods)] = [
    ("bell", .bell), ("desktop", .desktop), ("sound", .sound),
  ]

  private static func means(
    of value: TOMLSetting, key: String
  ) throws(Misfit) -> RingMethods {
    let expected = "a list of \"bell\", \"desktop\" and \"sound\", or []"
    guard case .list(let items) = value else { throw Misfit(key: key, expected: expected) }
    var means: RingMethods = []
    for item in items {
      guard let known = meansByWord.first(where: { $0.0 == item.text }) else {
        throw Misfit(key: key, expected: expected)
      }
      means.insert(known.1)
    }
    return means
  }

  // MARK: - Keys

  private static let keys = ConfigurationKey(
    name: "keys",
    help: [
      "The keys of each command, as they are without a configuration: one such as \"Ctrl-f\", a list,",
      "or [] for none. The palette (:) tells what a command does.",
    ],
    example: Command.all.map { "\($0.id) = \(list($0.defaultKeys))" }
      .joined(separator: "\n"),
    read: { (value, configuration) throws(Misfit) in
      guard let table = value.table else { throw Misfit(expected: "a table: [keys]") }
      let known = Command.all.map(\.id)
      var wrong: [Misfit.Part] = []
      for (command, value) in table {
        let items: [TOMLSetting] = if case .list(let list) = value { list } else { [value] }
        let keys = items.compactMap(\.text)
        if !known.contains(command) {
          wrong.append(.init(unknown: "keys.\(command)", among: known))
        } else if keys.count < items.count {
          let expected = "a key such as \"Ctrl-d\", or a list of them"
          wrong.append(.init(key: "keys.\(command)", expected: expected))
        } else {
          configuration.keys[command] = keys
        }
      }
      if !wrong.isEmpty { throw Misfit(wrong) }
    },
    written: { configuration in
      configuration.keys.sorted { $0.key < $1.key }
        .map { "\($0.key) = \(list($0.value))" }.joined(separator: "\n")
    }, isTable: true)

  // MARK: - Parts

  static let commandExpected =
    "a program with its arguments, a list such as [\"paplay\", \"/a/sound.oga\"]"

  static func texts(
    of value: TOMLSetting, expected: String
  ) throws(Misfit) -> [String] {
    guard case .list(let items) = value, !items.isEmpty else { throw Misfit(expected: expected) }
    let texts = items.compactMap(\.text)
    guard texts.count == items.count, texts.allSatisfy({ !$0.isEmpty && !$0.contains("\0") })
    else { throw Misfit(expected: expected) }
    return texts
  }
}
