package import BellhopModel
import BellhopScreen
import BellhopText

extension InboxState {
  /// Fits the state to the size of the screen, and requests missing data.
  mutating func settle(_ effects: inout [Effect]) {
    settleFocus()
    tray.dropHold()
    settleMarks(&effects)
    let layout = layout
    for pane in layout.lists {
      // Only the cursor that keys act on keeps a ghost visible.
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
      // Inside an item the list is not drawn, but its rows still update the item.
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
    settleHelp(layout)
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
      hiding: activeRow.flatMap { hiddenTexts(of: $0) },
      out: rect.inset(left: 1, right: 1).size, ghost: activeGhost, account: account,
      actionsKey: keyHint(.actions), attachmentsKey: keyHint(.attachments),
      backKey: canBringBack ? keyHint(.backToTray) : nil, words: self[activeList].query.words,
      time: timeText)
  }

  /// Whether the ghost under the cursor can be put back into the tray.
  var canBringBack: Bool {
    guard let ghost = activeGhost, case .item = ghost.id, let now = ghost.now else { return false }
    return ItemChange.restore.noEffectReason(now, self.now) == nil
  }

  /// The ghost under the cursor of the active list.
  var activeGhost: DepartedItem? {
    let list = self[activeList]
    return list.ghost.flatMap { $0.id == list.cursor?.rowID ? $0 : nil }
  }

  /// The time when the next ``Message/tick(_:)`` would change the screen; nil if none would.
  ///
  /// At most once a minute, and only while a visible age will change; sooner only after a failed
  /// read, and while a notice with an end is shown.
  package var nextWake: Timestamp? {
    let ends = [readPause.end, notice?.later?.start]
    if let sooner = ends.compactMap(\.self).min() { return sooner }
    var next: Timestamp?
    func consider(_ instant: Timestamp) {
      if instant > now, next.map({ instant < $0 }) ?? true { next = instant }
    }
    for pane in layout.lists {
      if lines(of: pane.id, height: pane.rows.height).isByDay {
        // There are no ages in a list by day; it changes at the next hour or day.
        if !self[pane.id].rows.isEmpty { consider(timeText.nextHour) }
        continue
      }
      for row in self[pane.id].rows.dropFirst(self[pane.id].top).prefix(pane.rows.height) {
        consider(timeText.nextChange(ofAge: row.shownArrival))
        consider(row.newestArrival.advanced(by: RowLine.newMarkDuration))
      }
    }
    if layout.detail != nil, let row = detail.row {
      consider(timeText.nextChange(ofAge: row.arrival))
    }
    // The header shows the end of do not disturb.
    for settings in attention.everyApp.values {
      if let end = settings.mute.end { consider(end) }
    }
    // Lists mark muted apps, and the apps tab shows when each was last seen.
    for mute in apps.mutes.values {
      if let end = mute.end { consider(end) }
    }
    if let list = layout.apps {
      for row in apps.rows.dropFirst(apps.top).prefix(list.height) {
        if let seen = row.lastSeen { consider(timeText.nextChange(ofAge: seen)) }
      }
    }
    guard let next else { return nil }
    // All changes within the same minute are drawn together, at its end.
    let minute: Int64 = 60_000
    let distance = next.milliseconds - now.milliseconds
    return Timestamp(
      milliseconds: now.milliseconds + (distance + minute - 1) / minute * minute)
  }
}

extension ListState {
  /// Whether rows with the cursor's item may still arrive.
  var isAwaited: Bool { outstanding != nil || isStale }
}
