import BellhopModel
import BellhopScreen
import BellhopText

extension InboxState {
  /// Whether the tab of the apps is what is on the screen.
  var isInApps: Bool { tab == .apps && search == nil && !isFirstRun }

  /// Asks for what the caches count, where it is shown.
  mutating func settleApps(_ layout: Layout, _ effects: inout [Effect]) {
    let isOpen = if case .app = overlay { true } else { false }
    guard isInApps || isOpen else { return }
    if apps.isStale, apps.outstanding == nil, !pausesReading {
      serial += 1
      apps.isStale = false
      apps.outstanding = serial
      effects.append(.loadAppOverviews(serial: serial, of: shownAccount))
    }
    if let list = layout.apps { apps.settleView(height: AppsPane.rows(in: list).height) }
  }

  mutating func accept(_ overviews: [AppOverview], serial: Int) {
    guard apps.outstanding == serial else { return }
    apps.accept(overviews)
    apps.arrange(shownAccount)
  }

  mutating func moveInApps(_ command: Command) {
    let height = max(1, layout.apps.map { AppsPane.rows(in: $0).height } ?? 1)
    switch command {
    case .moveDown: apps.move(by: 1)
    case .moveUp: apps.move(by: -1)
    case .moveToFirst: apps.setCursor(0)
    case .moveToLast: apps.setCursor(apps.rows.count - 1)
    case .pageDown: apps.move(by: max(1, height - 1))
    case .pageUp: apps.move(by: -max(1, height - 1))
    case .halfPageDown: apps.move(by: max(1, height / 2))
    default: apps.move(by: -max(1, height / 2))
    }
  }

  // MARK: - The mouse

  /// Takes a click in the tab of the apps; false for one that is elsewhere.
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
    let menu = AppMenu(key: key)
    overlay = .app(menu)
    if let index = AppPane.line(at: point, of: menu, in: rect) { choose(menu, index, &effects) }
    return true
  }

  /// Takes a click while an app's settings are open.
  mutating func press(
    _ point: Point, isDouble: Bool, in menu: AppMenu, _ layout: Layout, _ effects: inout [Effect]
  ) {
    let rect = AppPane.area(isInApps ? layout.appSettings : nil, in: layout.body)
    if let index = AppPane.line(at: point, of: menu, in: rect) {
      return choose(menu, index, &effects)
    }
    guard !rect.contains(point) else { return }
    overlay = .none
    _ = pressInApps(point, isDouble: isDouble, layout, &effects)
  }

  /// Takes a click while it is asked for how long an app is to be silent.
  mutating func press(
    _ point: Point, in menu: MuteMenu, _ layout: Layout, _ effects: inout [Effect]
  ) {
    let rect = MutePane.choices(of: menu, in: layout.body)
    guard rect.contains(point) else {
      overlay = menu.before.map { .app($0) } ?? .none
      return
    }
    choose(menu, point.y - rect.y + MutePane.first(of: menu, height: rect.height), &effects)
  }
}
