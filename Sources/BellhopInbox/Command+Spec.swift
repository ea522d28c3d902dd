extension Command {
  /// The command's one definition.
  public var spec: CommandSpec {
    switch self {
    case .moveDown, .moveUp, .moveToFirst, .moveToLast, .pageDown, .pageUp, .halfPageDown,
      .halfPageUp, .enter, .leave, .fold:
      movingSpec
    case .dismiss, .toggleRead, .snooze, .delete, .backToTray, .keep, .undo, .redo:
      handlingSpec
    case .mark, .markRange, .markAll: markingSpec
    case .actions, .openLink, .copyLink, .copyText, .attachments, .previewAttachment, .pipe,
      .inspect, .search, .nextMatch, .previousMatch, .filter, .unreadOnly:
      findingSpec
    case .muteApp, .appSettings, .showAppItems: appSpec
    case .showTray, .showHistory, .showLater, .showApps, .nextTab, .previousTab, .nextPane,
      .previousPane, .nextAccount:
      placeSpec
    case .showView1, .showView2, .showView3, .showView4, .showView5, .saveView, .removeView:
      viewSpec
    case .widerList, .narrowerList, .tallerList, .shorterList: splitSpec
    case .publishSample, .copyPublishLine, .tour, .doNotDisturb, .themes, .palette, .devices,
      .activity, .syncNow, .help, .close, .quit, .suspend, .redraw:
      programSpec
    }
  }

  private var movingSpec: CommandSpec {
    func spec(
      _ id: String, _ title: String, _ help: String, _ keys: [String],
      _ places: Places = .browsing, footerRank: Int? = nil
    ) -> CommandSpec {
      CommandSpec(
        id: id, title: title, help: help, defaultKeys: keys, places: places, chapter: .moving,
        footerRank: footerRank)
    }
    return switch self {
    case .moveDown: spec("down", "down", "one item down, or scroll inside one", ["j", "Down"])
    case .moveUp: spec("up", "up", "one item up, or scroll inside one", ["k", "Up"])
    case .moveToFirst: spec("first", "first", "to the first item", ["g g", "Home"])
    case .moveToLast: spec("last", "last", "to the last item", ["G", "End"])
    case .pageDown: spec("page-down", "page down", "a page down", ["PgDn"])
    case .pageUp: spec("page-up", "page up", "a page up", ["PgUp"])
    case .halfPageDown: spec("half-page-down", "half down", "half a page down", ["Ctrl-d"])
    case .halfPageUp: spec("half-page-up", "half up", "half a page up", ["Ctrl-u"])
    case .enter:
      spec(
        "enter", "open", "into the item, which marks it read; opens a group, or an app",
        ["l", "Enter", "Right"],
        [.list, .results, .apps])
    case .fold:
      spec(
        "fold", "fold", "fold the items of a group to one row, or open it",
        ["z"], .list)
    default:
      spec(
        "leave", "back", "out of the item, the search or the group", ["h", "Esc", "Left"],
        .browsing, footerRank: nil)
    }
  }

  private var handlingSpec: CommandSpec {
    func spec(
      _ id: String, _ title: String, _ help: String, _ keys: [String], footerRank: Int?,
      _ places: Places = .items
    ) -> CommandSpec {
      CommandSpec(
        id: id, title: title, help: help, defaultKeys: keys, places: places, chapter: .handling,
        changesItems: true, footerRank: footerRank)
    }
    return switch self {
    case .dismiss:
      spec(
        "dismiss", "dismiss", "dismiss: it leaves every tray, history keeps it", ["d"],
        footerRank: 1)
    case .toggleRead:
      spec(
        "read", "read", "read, or unread again; it stays in the tray", ["r"], footerRank: 2)
    case .snooze:
      spec(
        "snooze", "snooze", "snooze: it comes back, on every device", ["s"], footerRank: 3)
    case .delete:
      spec(
        "delete", "delete", "delete: gone everywhere, history too; u within 5 s takes it back",
        ["x", "Del"], footerRank: 5)
    case .backToTray:
      spec("back-to-tray", "back to tray", "back to the tray", ["b"], footerRank: 4)
    case .keep:
      spec("keep", "keep", "keep: it never expires; again to let it expire", ["*"], footerRank: nil)
    case .undo:
      spec(
        "undo", "undo", "undo the last change, several steps back", ["u"], footerRank: 8,
        .everywhere)
    default:
      spec(
        "redo", "redo", "do again what was undone last", ["Ctrl-r"], footerRank: nil, .everywhere)
    }
  }

  private var markingSpec: CommandSpec {
    func spec(_ id: String, _ title: String, _ help: String, _ keys: [String]) -> CommandSpec {
      CommandSpec(
        id: id, title: title, help: help, defaultKeys: keys, places: [.list, .results],
        chapter: .handling)
    }
    return switch self {
    case .mark:
      spec("mark", "mark", "mark the item, for the keys above to act on all marked", ["Space"])
    case .markRange:
      spec("mark-range", "range", "mark from here to where the cursor goes", ["v"])
    default: spec("mark-all", "mark all", "mark all that the list has; acting asks first", ["a"])
    }
  }

  private var findingSpec: CommandSpec {
    func spec(
      _ id: String, _ title: String, _ help: String, _ keys: [String], _ places: Places,
      changesItems: Bool = false, footerRank: Int? = nil
    ) -> CommandSpec {
      CommandSpec(
        id: id, title: title, help: help, defaultKeys: keys, places: places, chapter: .finding,
        changesItems: changesItems, footerRank: footerRank)
    }
    return switch self {
    case .actions:
      spec(
        "actions", "actions", "choose one of its actions", ["."], .items, changesItems: true,
        footerRank: 6)
    case .openLink:
      spec(
        "open-link", "open link", "open its link, which marks it opened", ["o"], .items,
        changesItems: true, footerRank: 7)
    case .copyLink:
      spec("copy-link", "copy link", "copy its link", ["y"], .items)
    case .copyText:
      spec("copy-text", "copy text", "copy its text, or that of what is marked", ["Y"], .items)
    case .attachments:
      spec(
        "attachments", "attachments", "its attachments: save, open or preview one", ["e"], .items)
    case .previewAttachment:
      spec("preview", "preview", "preview its attachment: text or a picture", ["E"], .items)
    case .pipe:
      spec(
        "pipe", "pipe", "pipe its text, or JSON, to a command; what is marked one by one", ["|"],
        .items)
    case .inspect:
      spec(
        "inspect", "inspect", "look underneath: payload, times, ids, who did what", ["i"], .items)
    case .search:
      spec("search", "search", "search all history as you type", ["/"], .browsing, footerRank: 9)
    case .filter:
      spec(
        "filter", "filter", "narrow the list: app:ci is:unread prio:>=high after:yesterday", ["f"],
        .items, footerRank: 10)
    case .unreadOnly:
      spec("unread-only", "unread only", "unread items only; again for all", ["U"], .list)
    case .nextMatch:
      spec("next-match", "next", "the next result of the last search", ["n"], .items)
    default:
      spec("previous-match", "previous", "the previous result", ["N"], .items)
    }
  }

  private var appSpec: CommandSpec {
    func spec(
      _ id: String, _ title: String, _ help: String, _ keys: [String], _ places: Places
    ) -> CommandSpec {
      CommandSpec(
        id: id, title: title, help: help, defaultKeys: keys, places: places, chapter: .apps,
        changesItems: true)
    }
    return switch self {
    case .muteApp:
      spec(
        "mute", "mute", "mute the app for an hour, today or always; again to hear of it", ["m"],
        .browsing)
    case .appSettings:
      spec(
        "app-settings", "rules",
        "what the app may do: alert, sound, badge, quiet hours, how long its items stay, its name",
        ["M"], .browsing)
    default: spec("app-items", "its items", "all items of the app", ["o"], .apps)
    }
  }

  private var placeSpec: CommandSpec {
    func spec(_ id: String, _ help: String, _ keys: [String]) -> CommandSpec {
      CommandSpec(
        id: id, title: help, help: help, defaultKeys: keys,
        // The tabs are drawn while the store is empty, too.
        places: .everywhere, chapter: .places)
    }
    return switch self {
    case .showTray: spec("tray", "the tray", ["1"])
    case .showHistory: spec("history", "the history", ["2"])
    case .showLater: spec("later", "what is for later", ["3"])
    case .showApps: spec("apps", "the apps, and what each may do", ["4"])
    case .nextTab: spec("next-tab", "the next tab", ["]"])
    case .previousTab: spec("previous-tab", "the tab before", ["["])
    case .nextPane: spec("next-pane", "the next pane, or tab where there is one pane", ["Tab"])
    case .nextAccount:
      spec("next-account", "one account only, the next one, or all together", ["@"])
    default: spec("previous-pane", "the pane before", ["Shift-Tab"])
    }
  }

  private var viewSpec: CommandSpec {
    if self == .removeView {
      return CommandSpec(
        id: "remove-view", title: "remove view", help: "remove the view that is shown; asks first",
        defaultKeys: ["X"], places: .items, chapter: .places)
    }
    guard let index = viewIndex else {
      return CommandSpec(
        id: "save-view", title: "save view", help: "save what the filter shows as a view",
        defaultKeys: ["V"], places: .items, chapter: .places)
    }
    return CommandSpec(
      id: "view-\(index + 1)", title: "view \(index + 1)", help: "your saved view \(index + 1)",
      defaultKeys: ["\(index + 5)"], places: .items, chapter: .places)
  }

  private var splitSpec: CommandSpec {
    func spec(_ id: String, _ help: String, _ key: String) -> CommandSpec {
      CommandSpec(
        id: id, title: id, help: help, defaultKeys: [key], places: .items, chapter: .places)
    }
    return switch self {
    case .widerList: spec("wider", "the list wider, the item beside it narrower", ">")
    case .narrowerList: spec("narrower", "the list narrower, the item beside it wider", "<")
    case .tallerList: spec("taller", "the list higher, the pane below it lower", "+")
    default: spec("shorter", "the list lower, the pane below it higher", "-")
    }
  }

  private var programSpec: CommandSpec {
    func spec(
      _ id: String, _ title: String, _ help: String, _ keys: [String],
      _ places: Places = .everywhere
    ) -> CommandSpec {
      CommandSpec(
        id: id, title: title, help: help, defaultKeys: keys, places: places, chapter: .program)
    }
    return switch self {
    case .publishSample:
      spec(
        "publish-sample", "send a first one", "send yourself a first notification", ["p"],
        .firstRun)
    case .copyPublishLine:
      spec("copy-publish-line", "copy the line", "copy the curl line", ["c"], .firstRun)
    case .tour: spec("tour", "tour", "a tour in five steps; Esc leaves it", ["T"])
    case .doNotDisturb:
      spec(
        "do-not-disturb", "do not disturb", "do not disturb, on every device; again to turn it off",
        ["!"])
    case .themes:
      spec("themes", "themes", "try the themes; Enter keeps one, Esc goes back", ["t"])
    case .palette:
      spec("palette", "commands", "find any command by its words, and do it", [":", "Ctrl-p"])
    case .devices:
      spec("devices", "devices", "your devices; sign one out", ["g d"])
    case .activity:
      spec(
        "activity", "activity", "what came by hour and app, the synchronisation, what waits",
        ["g a"])
    case .syncNow: spec("sync", "sync", "synchronise now", ["R"])
    case .help: spec("help", "keys", "the keys of this place; typing filters them", ["?"])
    case .close:
      spec("close", "close", "close the topmost thing; quit only at the list", ["q"])
    case .quit: spec("quit", "quit", "quit", ["Q"])
    case .suspend: spec("suspend", "suspend", "suspend, and come back clean", ["Ctrl-z"])
    default: spec("redraw", "redraw", "paint the screen anew", ["Ctrl-l"])
    }
  }
}
