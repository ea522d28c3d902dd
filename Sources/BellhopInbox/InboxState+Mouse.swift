import BellhopScreen
import BellhopText

extension InboxState {
  /// The number of rows that one notch of the wheel scrolls.
  private static let wheelRows = 3

  mutating func take(_ event: MouseEvent, _ effects: inout [Effect]) {
    switch event.action {
    case .press: press(event.position, isDouble: false, &effects)
    case .doublePress: press(event.position, isDouble: true, &effects)
    case .wheelDown: wheel(event.position, Self.wheelRows)
    case .wheelUp: wheel(event.position, -Self.wheelRows)
    case .drag: if let dragged = splits.dragged { move(dragged, to: event.position) }
    case .release:
      if splits.dragged != nil { effects.append(.remember(.splits(splits.places))) }
      splits.dragged = nil
    }
  }

  private mutating func press(_ point: Point, isDouble: Bool, _ effects: inout [Effect]) {
    notice = nil
    splits.dragged = nil
    let layout = layout
    switch overlay {
    case .help(let help): return press(point, in: help)
    case .confirm:
      // Only a key confirms.
      closeOverlay()
      return say("Nothing was done.")
    case .menu(let menu):
      return press(point, in: menu, layout, &effects)
    case .inspect(let inspect): return press(point, in: inspect)
    case .preview(let preview):
      if !layout.body.contains(point) { close(preview, &effects) }
      return
    case .pipe: return closeOverlay()
    case .devices(let menu): return press(point, in: menu, layout)
    case .activity: return closeOverlay()
    case .none: splits.dragged = layout.splits.first { $0.value.contains(point) }?.key
    }
    if splits.dragged != nil { return }
    if let command = command(at: point, layout) { return perform(command, &effects) }
    if pressInApps(point, isDouble: isDouble, layout, &effects) { return }
    if let detail = layout.detail, detail.contains(point) {
      if layout.isWide, activeItem != nil { goIntoDetail() }
      return
    }
    guard let pane = layout.lists.first(where: { $0.rows.contains(point) }) else { return }
    let lines = lines(of: pane.id, height: pane.rows.height).lines(from: self[pane.id].top)
    let line = point.y - pane.rows.y
    guard lines.indices.contains(line), case .row(let index) = lines[line] else { return }
    search?.isTyping = false
    filter?.isTyping = false
    focus = pane.id == .handled ? .lower : .list
    let isOnMark =
      self[pane.id].rows[index].isGroup
      && ListPane.foldMark(isASCII: isASCII).contains(point.x - pane.rows.x)
    self[pane.id].keepsMargin = false
    self[pane.id].setCursor(index)
    if isOnMark {
      perform(.fold, &effects)
    } else if isDouble {
      perform(.enter, &effects)
    }
  }

  /// Handles a click while a menu is open.
  ///
  /// In a menu with its own place, a click outside of its lines does nothing; a click outside of
  /// the menu closes it.
  private mutating func press(
    _ point: Point, in menu: any Menu, _ layout: Layout, _ effects: inout [Effect]
  ) {
    let frame = menu.frame(in: layout, of: self)
    let index = menu.index(at: point, in: frame)
    if index == nil, frame.subtitle != nil {
      guard !frame.area.contains(point) else { return }
      closeOverlay()
      _ = pressInApps(point, isDouble: false, layout, &effects)
      return
    }
    menu.press(index, &self, &effects)
  }

  /// Returns the command of a tab or of a hint in the footer.
  private func command(at point: Point, _ layout: Layout) -> Command? {
    let line: [PlacedSpan]
    if layout.header.contains(point), search == nil, filter?.isTyping != true {
      line = HeaderLine(self).place(width: layout.header.width)
    } else if layout.footer.contains(point) {
      line = FooterLine(self).place(width: layout.footer.width)
    } else {
      return nil
    }
    return line.first { point.x >= $0.x && point.x < $0.x + $0.span.text.width }?.span.command
  }

  private mutating func wheel(_ point: Point, _ rows: Int) {
    switch overlay {
    case .help(let help): wheel(help, rows)
    case .inspect(var inspect):
      inspect.move(by: rows)
      overlay = .inspect(inspect)
    case .preview(var preview):
      preview.move(by: rows)
      overlay = .preview(preview)
    case .activity(let activity): wheel(activity, rows)
    case .confirm, .menu, .pipe, .devices: break
    case .none:
      let layout = layout
      if let list = layout.apps, list.contains(point) { apps.move(by: rows) }
      if let detail = layout.detail, detail.contains(point) {
        self.detail.move(by: rows)
      } else if let pane = layout.lists.first(where: { $0.rows.contains(point) }) {
        self[pane.id].move(by: rows, scrolling: true)
      }
    }
  }
}
