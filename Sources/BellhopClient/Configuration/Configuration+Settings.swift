internal import BellhopInbox
internal import BellhopModel
package import BellhopSettings

extension Configuration {
  /// The settings of `config.toml`. A new setting is one record in one of these lists.
  package static let schema = SettingsSchema(
    looks + accounts + sync + attention + [sounds] + attachments + actions + privacy + ring + keys
      + [view],
    tables: tables, allowsUnknown: true, listing: "bellhop config default")

  /// A file with every setting and an example of it that changes nothing.
  package static var defaultFile: String {
    schema.documentation(
      .examples, of: Configuration(),
      head: "# Bellhop's config.toml. Everything is commented out: uncomment what you change.\n")
  }

  private static let looks: [Setting<Configuration>] = [
    .optional(
      "theme", \.theme, expected: "a theme's name in quotes", example: "\"bellhop-light\"",
      """
      The colours: bellhop-dark, bellhop-light, bellhop-any, high-contrast, solarized-dark, \
      solarized-light, gruvbox, nord, catppuccin, dracula, mono, one of your own in themes/ \
      beside this file, or the path of a file. Without it bellhop-dark or bellhop-light, \
      whichever fits the terminal's background.
      """, written: TOMLText.quoted, read: \.text),
    .flag(
      "mouse", \.mouse, example: "false",
      "Clicks and the wheel; false leaves selecting to the terminal (Shift always does)."),
    .text(
      "time-zone", \.timeZone,
      expected: "a time zone of /usr/share/zoneinfo, such as \"Europe/Berlin\"",
      example: "\"Europe/Berlin\"",
      "The time zone of all times, also of quiet hours; else the machine's.",
      where: { !$0.isEmpty && SystemClock.knows(zone: $0) }),
    .optional(
      "escape-delay", \.escapeDelay,
      expected: "a whole number of milliseconds from 1 to 1000", example: "50",
      "Milliseconds to wait for the rest of a key's bytes, 1 to 1000; else 25, over ssh 100.",
      written: { String($0) }, read: { $0.number(in: 1...1000) }),
  ]

  private static let accounts: [Setting<Configuration>] = [
    .arguments(
      "accounts", \.accounts, expected: "a list of accounts' names such as [\"home\", \"work\"]",
      example: "[\"home\", \"work\"]",
      "The accounts that the screen opens, in this order; else all."),
    .choice(
      "tray", \.isTrayMerged, among: [("merged", true), ("per-account", false)],
      example: "\"per-account\"",
      "\"merged\" shows the trays of all accounts as one, \"per-account\" one at a time."),
    .choice(
      "groups", \.foldsGroups, among: [("folded", true), ("open", false)], example: "\"open\"",
      "\"folded\" shows a group of the tray as one row until you open it, \"open\" item by item."),
  ]

  private static let sync: [Setting<Configuration>] = [
    .choice(
      "channel", \.usesPolling, among: [("signal", false), ("polling", true)],
      example: "\"polling\"",
      """
      How the client receives changes: "signal" (at once), or "polling" without an open \
      connection.
      """),
    // A user who waits longer runs `bellhop sync`.
    .optional(
      "sync-wait", \.syncWait, expected: "a whole number of milliseconds from 0 to 60000",
      example: "2000",
      """
      Milliseconds that list, search, status and the like wait for the store before they print, \
      0 to 60000; by default 300 for a store on this machine and 1000 for another. 0 never asks.
      """, written: { String($0.milliseconds) },
      read: { $0.number(in: 0...60_000).map { .milliseconds($0) } }),
    .text(
      "ca-file", \.authorityFile,
      expected: "the absolute path of a file with certificates in PEM",
      example: "\"/etc/bellhop/ca.pem\"",
      "Certificate authorities in PEM that are trusted beside the system's.",
      where: { $0.hasPrefix("/") }),
  ]

  private static let attention: [Setting<Configuration>] = [
    .choice(
      "notify", \.notify, among: Notify.allCases.map { ($0.rawValue, $0) },
      example: "\"osc777\"",
      """
      How the terminal shows a notification on the desktop: "auto" asks by what the terminal is \
      known to take, and uses notify-send elsewhere; "osc9", "osc777", "osc99"; "none". In tmux: \
      set -g allow-passthrough on.
      """),
    .arguments(
      "notify-command", \.notifyCommand, expected: programExpected,
      example: "[\"notify-phone\", \"--from\", \"bellhop\"]",
      """
      A program with its arguments, instead of notify-send; it reads the title and the text, a \
      line each, from its standard input. No shell is in between.
      """),
    .arguments(
      "sound", \.sound, expected: programExpected,
      example: "[\"paplay\", \"/usr/share/sounds/freedesktop/stereo/message.oga\"]",
      "A program with its arguments that makes a sound; it reads the same."),
    .flag(
      "urgent-passes", \.ringRules.urgentPasses, example: "true",
      "Whether urgent items are heard during do not disturb and your quiet hours too."),
    .arguments(
      "copy-command", \.copyCommand,
      expected: "a program with its arguments, a list such as [\"wl-copy\"]",
      example: "[\"wl-copy\"]",
      """
      A program with its arguments that reads what is copied from its standard input, beside the \
      terminal (OSC 52); else wl-copy or xclip where there is a desktop, and nothing over ssh.
      """),
  ]

  private static let attachments: [Setting<Configuration>] = [
    .text(
      "downloads", \.downloads, expected: "the absolute path of a folder",
      example: "\"/home/alice/Files\"",
      "The folder for attachments that are saved; else $XDG_DOWNLOAD_DIR, or ~/Downloads.",
      where: { $0.hasPrefix("/") && !$0.contains("\0") }),
    .value(
      "attachment-limit", \.attachmentBytesMax,
      expected: "a whole number of MiB from 1 to 4096", example: "100",
      "The client asks before it fetches attachments of more MiB than this, 1 to 4096; else 25.",
      written: { String($0 >> 20) }, read: { $0.number(in: 1...4096).map { $0 << 20 } }),
    .arguments(
      "open-command", \.openCommand, expected: programExpected, example: "[\"gio\", \"open\"]",
      "A program that opens an attachment, named behind its arguments; else xdg-open."),
    .choice(
      "pictures", \.pictures, among: Pictures.allCases.map { ($0.rawValue, $0) },
      example: "\"blocks\"",
      """
      How pictures are previewed: "auto" asks the terminal for kitty's graphics and sixels, else, \
      and in tmux, "blocks"; "kitty" or "sixel" unasked; "off" draws none.
      """),
  ]

  static let programExpected =
    "a program with its arguments, a list such as [\"paplay\", \"/a/sound.oga\"]"
}

extension Setting<Configuration> {
  /// A list of texts, none of them empty.
  static func arguments(
    _ path: String, _ place: any Place<[String]?>, expected: String, example: String,
    _ help: String
  ) -> Setting {
    optional(
      path, place, expected: expected, example: example, help, written: TOMLText.list,
      read: Configuration.program)
  }
}
