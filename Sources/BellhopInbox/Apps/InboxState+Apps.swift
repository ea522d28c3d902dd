import BellhopModel
import BellhopScreen
import BellhopText

extension InboxState {
  /// Whether the screen shows the apps tab.
  var isInApps: Bool { tab == .apps && search == nil && !isFirstRun }

  /// Requests the counts of the caches if they are shown.
  mutating func settleApps(_ layout: Layout, _ effects: inout [Effect]) {
    guard isInApps || overlay.appMenu != nil else { return }
    if apps.isStale, apps.outstanding == nil, !readPause.holds {
      serial += 1
      apps.isStale = false
      apps.outstanding = serial
      effects.append(.read(.appOverviews(serial: serial, of: accounts.shown)))
    }
    if let list = layout.apps { apps.settleView(height: AppsPane.rows(in: list).height) }
  }

  mutating func accept(_ overviews: [AppOverview], serial: Int) {
    guard apps.outstanding == serial else { return }
    apps.accept(overviews)
    apps.arrange(accounts.shown)
  }

  mutating func moveInApps(_ movement: Movement) {
    let height = max(1, layout.apps.map { AppsPane.rows(in: $0).height } ?? 1)
    switch movement {
    case .down: apps.move(by: 1)
    case .up: apps.move(by: -1)
    case .first: apps.setCursor(0)
    case .last: apps.setCursor(apps.rows.count - 1)
    case .pageDown: apps.move(by: max(1, height - 1))
    case .pageUp: apps.move(by: -max(1, height - 1))
    case .halfPageDown: apps.move(by: max(1, height / 2))
    case .halfPageUp: apps.move(by: -max(1, height / 2))
    }
  }

  // MARK: - The mouse

  /// Handles a click in the apps tab.
  ///
  /// - Returns: false for a click elsewhere.
  mutating func pressInApps(
    _ point: Point, isDouble: Bool, _ layout: Layout, _ effects: inout [Effect]
  ) -> Bool {
    if let list = layout.apps, AppsPane.rows(in: list).contains(point) {
      let index = apps.top + point.y - AppsPane.rows(in: list).y
      guard apps.rows.indices.contains(index) else { return true }
      apps.setCursor(index)
      if isDouble { openAppMenu() }
      return true
    }
    guard let rect = layout.appSettings, rect.contains(point), let key = apps.cursor else {
      return false
    }
    let menu = AppMenu(key: key, title: name(of: key))
    overlay = .menu(menu)
    if let index = menu.index(at: point, in: menu.frame(in: layout, of: self)) {
      choose(menu, index, &effects)
    }
    return true
  }
}
