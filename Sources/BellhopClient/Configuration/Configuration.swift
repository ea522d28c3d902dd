package import BellhopInbox
package import BellhopModel
internal import BellhopScreen
package import BellhopTerminal

/// The values of `config.toml`. Every setting is optional, and a promise once released.
package struct Configuration: Sendable, Hashable {
  /// `theme = "bellhop-light"`: a theme's name.
  package var theme: String?
  /// `mouse = false` leaves selection to the terminal.
  package var mouse = true
  /// `time-zone = "Europe/Berlin"` overrides the machine's.
  package var timeZone: String?
  /// `escape-delay = 25`: milliseconds to wait for the rest of a key's bytes, 1 to 1,000.
  package var escapeDelay: Int?
  /// `channel = "polling"` keeps no connection open.
  package var usesPolling = false
  /// `sync-wait = 300`: how long commands wait for the store; nil for a default by its distance.
  package var syncWait: Duration?
  /// `ca-file = "/etc/bellhop/ca.pem"`: certificate authorities trusted beside the system's.
  package var authorityFile: String?
  /// `accounts = ["home", "work"]`: the accounts of the screen, in this order; nil for all.
  package var accounts: [String]?
  /// `tray = "per-account"` shows one account at a time.
  package var isTrayMerged = true
  /// `groups = "open"` shows the items of a group below each other until it is folded.
  package var foldsGroups = true
  /// `notify = "osc777"`: the escape sequence for notifications of the desktop.
  package var notify = Notify.auto
  /// `notify-command = ["notify-phone"]`: a program instead of `notify-send`.
  package var notifyCommand: [String]?
  /// `sound = ["paplay", "/a/sound.oga"]`: a program that makes a sound.
  package var sound: [String]?
  /// `[sounds]`: programs that make the sounds that apps choose, by name.
  package var sounds: [String: [String]] = [:]
  /// `copy-command = ["wl-copy"]`: a program that reads copied text.
  package var copyCommand: [String]?
  /// `downloads = "/home/alice/Files"`: the folder of saved attachments.
  package var downloads: String?
  /// `attachment-limit = 25`: the largest attachment that is fetched without a question.
  package var attachmentBytesMax = 25 << 20
  /// `open-command = ["mimeopen"]`: a program that shows a file.
  package var openCommand: [String]?
  /// `pictures = "blocks"`: the graphics for pictures among attachments.
  package var pictures = Pictures.auto
  /// `[privacy]`, `previews = "never"`: when banners and the screen show titles and bodies.
  package var previews = Previews.always
  /// `[actions]`, `allow-private`: actions of items may call this machine and networks around it.
  package var actionsReachPrivate = false
  /// `[actions]`, `authenticate`: the program that asks who the user is, with its arguments.
  package var authenticate: [String]?
  /// `[ring]` and `urgent-passes`.
  var ringRules = RingRules()
  /// `[ring]`, `repeats = [10, 100, 1000]`: the counts at which repeats of an open item ring again.
  package var repeatRings = RepeatRings.standard
  /// `[[view]]`: filters of lists under names, on the keys 5 to 9.
  var views: [SavedView] = []
  /// `[keys]`: the keys of commands by their ids.
  package var keys: [String: [String]] = [:]

  package init() {}

  /// The values of `notify`.
  package enum Notify: String, CaseIterable, Hashable, Sendable {
    case auto, osc9, osc777, osc99
    case never = "none"
  }

  /// The values of `previews`.
  package enum Previews: String, CaseIterable, Hashable, Sendable {
    case always
    /// Banners hide them while the desktop's session is locked, or if nothing tells whether it is.
    case whenUnlocked = "when-unlocked"
    /// The screen hides them too, until the user shows them.
    case never
  }

  /// The values of `pictures`.
  package enum Pictures: String, CaseIterable, Hashable, Sendable {
    case auto, kitty, sixel, blocks, off
  }

  /// Reads the settings of `text`; errors name the file as `path`.
  ///
  /// - Throws: ``ClientError`` with the line of every error. The program does not start with half a
  ///   configuration. Settings that do not exist are left out.
  package init(text: String, path: String) throws {
    let file = ConfigurationFile(text: text, path: path)
    if let failure = file.failure { throw failure }
    self = file.configuration
  }
}

extension Configuration.Notify {
  package var choice: NotificationChoice {
    switch self {
    case .auto: .automatic
    case .osc9: .always(.osc9)
    case .osc777: .always(.osc777)
    case .osc99: .always(.osc99)
    case .never: .never
    }
  }
}

extension Configuration.Pictures {
  package var choice: GraphicsChoice {
    switch self {
    case .auto: .automatic
    case .kitty: .always(.kitty)
    case .sixel: .always(.sixel)
    case .blocks, .off: .never
    }
  }
}

extension Configuration {
  /// The ring rules with `notify` applied.
  package var rulesInForce: RingRules {
    var rules = ringRules
    guard notify == .never else { return rules }
    for level in rules.means.keys { rules.means[level]?.remove(.desktop) }
    return rules
  }
}
