package import BellhopModel
import BellhopScreen
import BellhopText

extension InboxState {
  /// Makes the state fit the size it is drawn in, and asks for what is missing.
  mutating func settle(_ effects: inout [Effect]) {
    settleFocus()
    tray.dropHold()
    settleMarks(&effects)
    let layout = layout
    for pane in layout.lists {
      // Only under the cursor that keys act on does an item that has left stay visible.
      if pane.id != activeList {
        if let ghost = self[pane.id].ghost { self[pane.id].remove(ghost.id) }
        self[pane.id].stayAtTop(height: pane.rows.height)
      }
      if pane.rows.height > 0 {
        self[pane.id].settleView(lines(of: pane.id, height: pane.rows.height))
      }
      requestRows(of: pane.id, height: pane.rows.height, &effects)
    }
    settleApps(layout, &effects)
    if layout.list(activeList) == nil, !isFirstRun, !isInApps {
      // Inside an item the list is not drawn, but what becomes of the item is still told by it.
      requestRows(of: activeList, height: layout.body.height, &effects)
    }
    if counting.isStale, counting.outstanding == nil, !readPause.holds {
      serial += 1
      counting.ask(serial: serial)
      effects.append(.read(.counts(serial: serial, of: accounts.shown)))
    }
    countViews(&effects)
    countDays(layout, &effects)
    countLists(layout, &effects)
    settleSuggestion(&effects)
    settleDetail(layout, &effects)
    settleInspection(layout, &effects)
    settlePreview(layout, &effects)
  }

  private mutating func requestRows(of id: ListID, height: Int, _ effects: inout [Effect]) {
    guard !readPause.holds else { return }
    let wanted = self[id].request(height: height, serial: serial + 1, folding: folding)
    guard let request = wanted else { return }
    serial += 1
    effects.append(.read(.window(self[id].query, request)))
  }

  private mutating func settleFocus() {
    if focus == .lower, layout.list(.handled) == nil { focus = .list }
    if focusBeforeDetail == .lower, tab != .tray || !layout.isWide { focusBeforeDetail = .list }
    if focus == .detail, activeRow == nil, !self[activeList].isAwaited { focus = .list }
    if focus == .detail, activeRow?.isGroup == true { leaveDetail() }
    if isFirstRun || isInApps { focus = .list }
  }

  private mutating func settleDetail(_ layout: Layout, _ effects: inout [Effect]) {
    guard let rect = layout.detail else { return }
    detail.show(activeRow)
    if !readPause.holds, let key = detail.request(serial: serial + 1) {
      serial += 1
      effects.append(.read(.detail(key, serial: serial)))
    }
    let account =
      accounts.areSeveral ? activeRow.map { accounts.label(of: $0.key.account) } : nil
    detail.lay(
      out: rect.inset(left: 1, right: 1).size, ghost: activeGhost, account: account,
      actionsKey: keyHint(.actions), attachmentsKey: keyHint(.attachments),
      backKey: canBringBack ? keyHint(.backToTray) : nil, words: self[activeList].query.words,
      time: timeText)
  }

  /// Whether what was handled elsewhere under the cursor can be put back into the tray.
  var canBringBack: Bool {
    guard let ghost = activeGhost, case .item = ghost.id, let now = ghost.now else { return false }
    return ItemChange.restore.uselessText(now, self.now) == nil
  }

  /// The ghost under the cursor of the active list.
  var activeGhost: Ghost? {
    let list = self[activeList]
    return list.ghost.flatMap { $0.id == list.cursor?.rowID ? $0 : nil }
  }

  /// When the next ``Message/tick(_:)`` would change what is drawn; nil when only messages can.
  ///
  /// At most once a minute, and only while an age on the screen will change; sooner only after a
  /// read that failed, and while a line is drawn that goes by itself.
  package var nextWake: Timestamp? {
    let ends = [readPause.end, questionEnd, notice?.later?.start]
    if let sooner = ends.compactMap(\.self).min() { return sooner }
    var next: Timestamp?
    func consider(_ instant: Timestamp) {
      if instant > now, next.map({ instant < $0 }) ?? true { next = instant }
    }
    for pane in layout.lists {
      if lines(of: pane.id, height: pane.rows.height).isByDay {
        // No ages there: an hour of today begins, or the day after it.
        if !self[pane.id].rows.isEmpty { consider(timeText.nextHour) }
        continue
      }
      for row in self[pane.id].rows.dropFirst(self[pane.id].top).prefix(pane.rows.height) {
        consider(timeText.nextChange(ofAge: row.arrival))
      }
    }
    if layout.detail != nil, let row = detail.row {
      consider(timeText.nextChange(ofAge: row.arrival))
    }
    // The header says until when nothing rings.
    for settings in attention.everyApp.values {
      if let end = settings.mute.end { consider(end) }
    }
    // The lists say which apps are muted, and their own list when each was last seen.
    for mute in apps.mutes.values {
      if let end = mute.end { consider(end) }
    }
    if let list = layout.apps {
      for row in apps.rows.dropFirst(apps.top).prefix(list.height) {
        if let seen = row.lastSeen { consider(timeText.nextChange(ofAge: seen)) }
      }
    }
    guard let next else { return nil }
    // Everything that falls into the same minute is drawn in one go, at its end.
    let minute: Int64 = 60_000
    let distance = next.milliseconds - now.milliseconds
    return Timestamp(
      milliseconds: now.milliseconds + (distance + minute - 1) / minute * minute)
  }
}

extension ListState {
  /// Whether rows may still come that hold the cursor's item.
  var isAwaited: Bool { outstanding != nil || isStale }
}
