import BellhopModel
import BellhopScreen
import BellhopText

extension InboxState {
  // MARK: - Keys

  mutating func take(_ key: Key, _ effects: inout [Effect]) {
    notice = nil
    switch overlay {
    case .help(let help): take(key, in: help)
    case .confirm(let question): take(key, in: question, &effects)
    case .menu(let menu): menu.take(key, &self, &effects)
    case .inspect(let inspect): take(key, in: inspect)
    case .preview(let preview): take(key, in: preview, &effects)
    case .pipe(let pipe): take(key, in: pipe, &effects)
    case .devices(let menu): take(key, in: menu, &effects)
    case .activity(let activity): take(key, in: activity, &effects)
    case .none:
      if leavesTour(by: key) { return }
      if search?.isTyping == true, takeWhileTyping(key, &effects) { return }
      if search == nil, filter?.isTyping == true, takeFilterKey(key, &effects) { return }
      if key == .escape, cancelFetch(&effects) { return }
      typedKeys.append(key)
      switch keymap.match(typedKeys, in: place) {
      case .command(let command):
        typedKeys = []
        perform(command, &effects)
      case .prefix: break
      case .none:
        let isRetried = typedKeys.count > 1
        typedKeys = []
        // A key that ends a sequence nobody knows may still mean something alone.
        if isRetried {
          take(key, &effects)
        } else if case .character = key {
          notice = Notice(
            .information,
            SafeText(key.description) + " is not bound here. " + keyHint(.help)
              + " lists the keys.")
        }
      }
    }
  }

  // MARK: - Commands

  mutating func perform(_ command: Command, _ effects: inout [Effect]) {
    switch command {
    case .moveDown, .moveUp, .moveToFirst, .moveToLast, .pageDown, .pageUp, .halfPageDown,
      .halfPageUp:
      move(command)
    case .enter: enter(&effects)
    case .fold: toggleFold()
    case .leave: leave(&effects)
    case .dismiss, .toggleRead, .delete, .backToTray, .keep: handle(command, &effects)
    case .snooze: openSnoozeMenu()
    case .undo: undo(&effects)
    case .redo: redo(&effects)
    case .mark: markOne(&effects)
    case .markRange: markRange(&effects)
    case .markAll: markAll(&effects)
    case .actions: openActions(&effects)
    case .openLink: openLink(&effects)
    case .copyLink: copyLink(&effects)
    case .copyText: copyText(&effects)
    case .attachments: openAttachments(&effects)
    case .previewAttachment: previewAttachment(&effects)
    case .pipe: openPipe()
    case .inspect: openInspection()
    case .search: openSearch()
    case .filter: openFilter(&effects)
    case .unreadOnly: toggleUnreadOnly(&effects)
    case .nextMatch: walkMatches(by: 1)
    case .previousMatch: walkMatches(by: -1)
    case .muteApp: openMuteMenu()
    case .appSettings: openAppMenu()
    case .showAppItems: showAppItems(&effects)
    case .showTray, .showHistory, .showLater, .showApps, .nextTab, .previousTab, .nextPane,
      .previousPane:
      go(command, &effects)
    case .nextAccount: showNextAccount()
    case .showView1, .showView2, .showView3, .showView4, .showView5:
      showView(command.viewIndex ?? 0, &effects)
    case .saveView: openViewMenu()
    case .removeView: openViewRemoval()
    case .widerList, .narrowerList, .tallerList, .shorterList: moveSplit(command, &effects)
    case .publishSample: effects.append(.publishSample)
    case .copyPublishLine: copyPublishLine(&effects)
    case .tour: startTour(&effects)
    case .doNotDisturb: toggleDoNotDisturb(&effects)
    case .themes: effects.append(.loadThemes)
    case .palette: openPalette()
    case .devices: openDevices(&effects)
    case .activity: openActivity(&effects)
    case .syncNow, .help, .close, .quit, .suspend, .redraw: control(command, &effects)
    }
  }

  /// Changes what is marked, or the item under the cursor.
  private mutating func handle(_ command: Command, _ effects: inout [Effect]) {
    if actsOnMarks {
      let verb: Verb =
        switch command {
        case .dismiss: .dismiss
        case .toggleRead: markedReadVerb
        case .delete: .delete
        case .backToTray: .restore
        default: markedKeepVerb
        }
      return actOnMarked(verb, &effects)
    }
    if activeRow?.isGroup == true { return handleGroup(command, &effects) }
    // What was handled elsewhere while the person looked at it may come back from here.
    if command == .backToTray, canBringBack, let handled = activeGhost?.now {
      return act(.restore, on: handled, &effects)
    }
    switch command {
    case .dismiss: act(.dismiss, &effects)
    case .delete: act(.delete, &effects)
    case .backToTray: act(.restore, &effects)
    case .toggleRead:
      guard let row = subject() else { return }
      act(row.readState == .unread ? .read : .unread, on: row, &effects)
    default:
      guard let row = subject() else { return }
      act(row.isKept ? .unkeep : .keep, on: row, &effects)
    }
  }

  private mutating func control(_ command: Command, _ effects: inout [Effect]) {
    switch command {
    case .syncNow:
      effects.append(.syncNow)
      notice = Notice(.information, "Asking the store …")
    case .help: overlay = .help(HelpState())
    case .close: close(&effects)
    case .quit: effects.append(.quit(farewell: farewell))
    case .suspend: effects.append(.suspend)
    default: effects.append(.repaint)
    }
  }

  /// The state that waits for the next time.
  private var farewell: SafeText? {
    guard connection.waiting > 0 else { return nil }
    let changes = connection.waiting.counted("change is", "changes are")
    return SafeText("\(changes) kept and will be sent next time.")
  }

  private mutating func close(_ effects: inout [Effect]) {
    if focus == .detail {
      leaveDetail()
    } else if !marks.isEmpty {
      clearMarks()
    } else if search != nil {
      closeSearch(&effects)
    } else if filter != nil {
      clearFilter(&effects)
    } else {
      effects.append(.quit(farewell: farewell))
    }
  }

  // MARK: - Moving

  private mutating func move(_ command: Command) {
    if isInApps { return moveInApps(command) }
    if focus == .detail { return scrollDetail(command) }
    let id = activeList
    let height = max(1, layout.list(id)?.rows.height ?? 1)
    let half = max(1, height / 2)
    switch command {
    case .moveDown: self[id].move(by: 1)
    case .moveUp: self[id].move(by: -1)
    case .moveToFirst: self[id].moveToFirst()
    case .moveToLast: self[id].moveToLast()
    case .pageDown: turnPage(of: id, height: height, isDown: true)
    case .pageUp: turnPage(of: id, height: height, isDown: false)
    case .halfPageDown: self[id].move(by: half, scrolling: true)
    default: self[id].move(by: -half, scrolling: true)
    }
  }

  private mutating func scrollDetail(_ command: Command) {
    let height = max(1, layout.detail?.height ?? 1)
    switch command {
    case .moveDown: detail.move(by: 1)
    case .moveUp: detail.move(by: -1)
    case .moveToFirst: detail.moveToEnd(first: true)
    case .moveToLast: detail.moveToEnd(first: false)
    case .pageDown: detail.move(by: max(1, height - 1))
    case .pageUp: detail.move(by: -max(1, height - 1))
    case .halfPageDown: detail.move(by: max(1, height / 2))
    default: detail.move(by: -max(1, height / 2))
    }
  }

  private mutating func enter(_ effects: inout [Effect]) {
    if isInApps { return openAppMenuHere() }
    if activeRow?.isGroup == true { return enterGroup() }
    guard let row = subject() else { return }
    goIntoDetail()
    if row.readState == .unread { act(.read, on: row, &effects) }
  }

  private mutating func leave(_ effects: inout [Effect]) {
    if focus == .detail {
      leaveDetail()
    } else if !marks.isEmpty {
      clearMarks()
    } else if search != nil {
      closeSearch(&effects)
    } else if leaveGroup() {
      return
    } else if focus == .list {
      clearFilter(&effects)
    } else {
      focus = .list
    }
  }

  mutating func goIntoDetail() {
    guard focus != .detail else { return }
    focusBeforeDetail = focus
    focus = .detail
  }

  mutating func leaveDetail() {
    focus = focusBeforeDetail
    detail.scroll = 0
  }

  // MARK: - Tabs and panes

  private mutating func go(_ command: Command, _ effects: inout [Effect]) {
    let tabs = Tab.allCases
    switch command {
    case .showTray: show(.tray, &effects)
    case .showHistory: show(.history, &effects)
    case .showLater: show(.later, &effects)
    case .showApps: show(.apps, &effects)
    case .nextTab: show(tabs[(tab.rawValue + 1) % tabs.count], &effects)
    case .previousTab: show(tabs[(tab.rawValue + tabs.count - 1) % tabs.count], &effects)
    case .nextPane: showPane(by: 1, &effects)
    default: showPane(by: -1, &effects)
    }
  }

  mutating func show(_ tab: Tab, _ effects: inout [Effect]) {
    if search != nil { closeSearch(&effects) }
    filter?.isTyping = false
    closeView()
    // What cannot be seen any more is not acted on.
    if tab != self.tab { clearMarks() }
    self.tab = tab
    focus = .list
    focusBeforeDetail = .list
  }

  private mutating func showPane(by step: Int, _ effects: inout [Effect]) {
    let layout = layout
    guard layout.isWide, !isInApps, !isFirstRun else {
      // With one pane on the screen the tabs are what there is to go through.
      if focus == .detail { return leaveDetail() }
      return go(step > 0 ? .nextTab : .previousTab, &effects)
    }
    var panes: [Focus] = [.list]
    if layout.list(.handled) != nil { panes.append(.lower) }
    if activeItem != nil { panes.append(.detail) }
    let index = panes.firstIndex(of: focus) ?? 0
    let next = panes[(index + step + panes.count) % panes.count]
    if next == .detail {
      goIntoDetail()
    } else {
      focus = next
    }
  }

  // MARK: - Links

  private mutating func openLink(_ effects: inout [Effect]) {
    guard let row = subject(), let link = link(of: row) else { return }
    let handling = LinkOrder.Handling(key: row.key, seen: row.contentSequence)
    effects.append(.openLink(LinkOrder(link, handling: handling)))
  }

  private mutating func copyLink(_ effects: inout [Effect]) {
    guard let row = activeRow?.isGroup == true ? subject() : activeRow, let link = link(of: row)
    else { return }
    effects.append(.copy(link.url))
    notice = Notice(.success, "Link copied.")
  }

  /// The link of an item, if it may be opened; otherwise a line says why not.
  private mutating func link(of row: RowSummary) -> Link? {
    guard let url = row.clickURL else {
      notice = Notice(.information, "It has no link.")
      return nil
    }
    guard let link = Link(url) else {
      notice = Notice(
        .error,
        "Its link is not opened: only plain https, http and mailto links are. Nothing was done.")
      return nil
    }
    return link
  }

  private mutating func copyPublishLine(_ effects: inout [Effect]) {
    guard let line = firstRunHelp?.curlLine, !line.isEmpty else { return }
    effects.append(.copy(line.string))
    notice = Notice(.success, "Copied. Paste it in another terminal.")
  }
}
