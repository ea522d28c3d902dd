import BellhopScreen

/// The layout of a screen of one size, also used to locate clicks.
struct Layout: Hashable, Sendable {
  struct ListPane: Hashable, Sendable {
    var id: ListID
    /// The line above the rows; empty if the tabs are enough.
    var caption: Rect
    var rows: Rect
  }

  /// The minimum width at which the detail pane is beside the lists.
  static let wideWidth = 100
  /// The minimum heights for the preview below the list, and for the pane below the tray.
  static let previewScreenHeight = 18
  static let lowerBodyHeight = 10

  var isWide = false
  var header = Rect(x: 0, y: 0, width: 0, height: 0)
  /// The area between header and footer, without their dividers.
  var body = Rect(x: 0, y: 0, width: 0, height: 0)
  var lists: [ListPane] = []
  /// The list of apps, and the settings of one, which may replace the list.
  var apps: Rect?
  var appSettings: Rect?
  /// The detail pane, beside the list or in its place.
  var detail: Rect?
  /// The preview of an item below the list.
  var preview: Rect?
  /// The line about the connection, or of the tour.
  var notice: Rect?
  var footer = Rect(x: 0, y: 0, width: 0, height: 0)
  /// Dividers one row high, and dividers one column wide.
  var horizontalRules: [Rect] = []
  var verticalRules: [Rect] = []
  /// The dividers that the user can move.
  var splits: [Split: Rect] = [:]

  func list(_ id: ListID) -> ListPane? { lists.first { $0.id == id } }
}

extension InboxState {
  /// The current layout.
  var layout: Layout {
    var layout = Layout()
    frame(&layout)
    if isFirstRun { return layout }
    if isInApps {
      appsBody(&layout)
    } else if layout.isWide {
      wideBody(&layout)
    } else if focus == .detail {
      layout.detail = layout.body
    } else {
      narrowBody(&layout)
    }
    return layout
  }

  /// Lays out the header, the footer, the notice line and their dividers, as far as they fit.
  private func frame(_ layout: inout Layout) {
    var body = Rect(size)
    if body.height >= 2 { (layout.header, body) = body.splitTop(1) }
    if body.height >= 2 { (body, layout.footer) = body.splitBottom(1) }
    if size.height >= 8 {
      if hasConnectionNotice || tour != nil {
        let (rest, notice) = body.splitBottom(1)
        (body, layout.notice) = (rest, notice)
      }
      let (top, rest) = body.splitTop(1)
      let (inner, bottom) = rest.splitBottom(1)
      layout.horizontalRules = [top, bottom]
      body = inner
    }
    layout.body = body
    layout.isWide = size.width >= Layout.wideWidth && body.height >= 3
  }

  private func appsBody(_ layout: inout Layout) {
    guard layout.isWide else {
      if hasAppMenu { layout.appSettings = layout.body } else { layout.apps = layout.body }
      return
    }
    let (left, right) = split(&layout)
    (layout.apps, layout.appSettings) = (left, right)
  }

  /// Whether the settings of an app are open, or a menu opened from them.
  var hasAppMenu: Bool {
    guard case .menu(let menu) = overlay else { return false }
    return menu is AppMenu || menu.before is AppMenu
  }

  /// Splits the body into two panes with a divider, which meets the ones above and below it.
  private func split(_ layout: inout Layout) -> (left: Rect, right: Rect) {
    let (left, rest) = layout.body.splitLeft(splits.places.listColumns(of: size.width))
    let (rule, right) = rest.splitLeft(1)
    layout.splits[.item] = rule
    let isRuled = !layout.horizontalRules.isEmpty
    layout.verticalRules = [
      isRuled ? Rect(x: rule.x, y: rule.y - 1, width: 1, height: rule.height + 2) : rule
    ]
    return (left, right)
  }

  private func wideBody(_ layout: inout Layout) {
    let (left, right) = split(&layout)
    layout.detail = right
    if search != nil {
      layout.lists = [
        Layout.ListPane(id: .search, caption: left.splitTop(0).top, rows: left)
      ]
      return
    }
    guard tab == .tray, left.height >= Layout.lowerBodyHeight else {
      layout.lists = [captioned(tab.list, left)]
      return
    }
    let (upper, lower) = left.splitBottom(splits.places.lowerRows(of: left.height) + 1)
    let (ruleBetween, bottom) = lower.splitTop(1)
    layout.horizontalRules.append(
      Rect(x: ruleBetween.x, y: ruleBetween.y, width: ruleBetween.width + 1, height: 1))
    layout.splits[.lower] = ruleBetween
    layout.lists = [captioned(.tray, upper), captioned(.handled, bottom)]
  }

  private func captioned(_ id: ListID, _ rect: Rect) -> Layout.ListPane {
    let (caption, rows) = rect.splitTop(rect.height >= 4 ? 1 : 0)
    return Layout.ListPane(id: id, caption: caption, rows: rows)
  }

  /// Returns the number of rows of the preview.
  ///
  /// Uses the rows that a short list leaves free, up to the item's end, unless the user moved the
  /// divider.
  private func previewRows(ofBody height: Int) -> Int {
    let usual = splits.places.previewRows(ofBody: height, screen: size.height)
    let list = self[activeList]
    guard splits.places.previewRows == nil, list.isLoaded, list.reachesStart, list.reachesEnd
    else { return usual }
    // Keep one extra row, so that a new item does not move the divider.
    let free = height - 1 - (list.rows.count + 1)
    let wanted = activeRow.map { DetailPreview.rows(of: $0, width: size.width) } ?? 0
    return max(usual, min(free, wanted))
  }

  private func narrowBody(_ layout: inout Layout) {
    var rows = layout.body
    // With an empty list there is no item to preview.
    if size.height >= Layout.previewScreenHeight, size.width >= 20,
      activeRow != nil || !self[activeList].isLoaded
    {
      let height = previewRows(ofBody: rows.height)
      let (rest, preview) = rows.splitBottom(height)
      let (list, rule) = rest.splitBottom(1)
      layout.preview = preview
      layout.horizontalRules.append(rule)
      layout.splits[.preview] = rule
      rows = list
    }
    let id = activeList == .handled ? ListID.tray : activeList
    layout.lists = [Layout.ListPane(id: id, caption: rows.splitTop(0).top, rows: rows)]
  }
}
