/// What a person can mean by a key, a click or a word. One case with its spec (``spec``) is all that
/// a new action needs to be bound, shown in help and footer, and listed in the README.
public enum Command: String, CaseIterable, Hashable, Sendable {
  case moveDown, moveUp, moveToFirst, moveToLast
  case pageDown, pageUp, halfPageDown, halfPageUp
  case enter, leave, fold
  case dismiss, toggleRead, snooze, delete, backToTray, keep, undo, redo
  case mark, markRange, markAll
  case actions, openLink, copyLink, copyText, attachments, previewAttachment, pipe, inspect
  case search, nextMatch, previousMatch, filter, unreadOnly
  case muteApp, appSettings, showAppItems
  case showTray, showHistory, showLater, showApps, nextTab, previousTab, nextPane, previousPane
  case nextAccount
  case showView1, showView2, showView3, showView4, showView5, saveView, removeView
  case widerList, narrowerList, tallerList, shorterList
  case publishSample, copyPublishLine, tour
  case doNotDisturb, themes
  case palette, devices, activity
  case syncNow, help, close, quit, suspend, redraw
}

/// Where the person is: a command is available in some places only.
public struct Places: OptionSet, Hashable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// A list of items: tray, history, later.
  public static let list = Places(rawValue: 1)
  /// The results of a search, while no words are being typed.
  public static let results = Places(rawValue: 2)
  /// Inside an item.
  public static let detail = Places(rawValue: 4)
  /// The screen of a store that has nothing yet.
  public static let firstRun = Places(rawValue: 8)

  /// The list of the apps.
  public static let apps = Places(rawValue: 16)

  /// Everywhere an item can be acted on.
  public static let items: Places = [.list, .results, .detail]
  /// Everywhere there is something to move through.
  public static let browsing: Places = [.list, .results, .detail, .apps]
  public static let everywhere: Places = [.list, .results, .detail, .firstRun, .apps]
}

/// All there is to know of a command: key map, help, footer and README derive from it.
public struct CommandSpec: Sendable {
  /// The chapters of help and README, in their order.
  public enum Chapter: String, CaseIterable, Sendable {
    case moving = "Moving"
    case handling = "Handling"
    case finding = "Finding and opening"
    case apps = "Apps"
    case places = "Tabs and panes"
    case program = "The program"
  }

  /// The name in the configuration: `back-to-tray`.
  public var id: String
  /// The word in the footer.
  public var title: String
  /// What it does, in one phrase for help and README.
  public var help: String
  /// Key sequences as the configuration spells them; the keys of a sequence are parted by blanks.
  public var defaultKeys: [String]
  public var places: Places
  public var chapter: Chapter
  /// Whether it changes an item: such a command is never bound to a letter that may be the tail of
  /// a split arrow key.
  public var changesItems = false
  /// The lower, the further left in the footer; nil is not shown there.
  public var footerRank: Int?
}
