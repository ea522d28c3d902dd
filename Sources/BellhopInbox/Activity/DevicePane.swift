package import BellhopModel
import BellhopScreen
package import BellhopText

/// A device of the user, as its store describes it.
package struct DeviceSummary: Hashable, Sendable {
  package var account: AccountName
  package var id: DeviceID
  package var name: SafeText
  /// The platform, such as `linux` or `ios`.
  package var platform: SafeText
  /// The state of its registration.
  package var state: SafeText
  /// The time it was last seen, to the day.
  package var lastSeen: Timestamp
  /// Whether this is the current device.
  package var isThis: Bool

  package init(
    account: AccountName, id: DeviceID, name: SafeText, platform: SafeText, state: SafeText,
    lastSeen: Timestamp, isThis: Bool
  ) {
    self.account = account
    self.id = id
    self.name = name
    self.platform = platform
    self.state = state
    self.lastSeen = lastSeen
    self.isThis = isThis
  }
}

/// The user's devices, one of which is selected.
struct DevicesState: Sendable {
  /// The devices; nil until the store has answered.
  var devices: [DeviceSummary]?
  /// The reason why the answer is missing or incomplete.
  var problem: SafeText?
  var serial: Int
  var selected = 0
  /// Whether the user has to confirm signing out the selected device.
  var isAsking = false

  var chosen: DeviceSummary? {
    devices.flatMap { $0.indices.contains(selected) ? $0[selected] : nil }
  }

  var hints: [MenuHint] {
    let signOut = chosen.map { !$0.isThis } == true ? [MenuHint("x", "sign out")] : []
    return signOut + [MenuHint("R", "refresh"), MenuHint("Esc", "close")]
  }

  /// The question before a device is signed out.
  var question: SafeText {
    "Sign " + (chosen?.name ?? "it").truncated(to: 24) + " out? This revokes its token."
  }
}

extension Command {
  static let deviceCommands: [Command] = [devices]

  static let devices = Command(
    id: "devices", title: "devices", help: "list your devices; sign one out", keys: ["g d"],
    places: .everywhere, chapter: .program,
    perform: { state, effects in state.openDevices(&effects) })
}

extension InboxState {
  fileprivate mutating func openDevices(_ effects: inout [Effect]) {
    serial += 1
    overlay = .devices(DevicesState(serial: serial))
    effects.append(.activity(.loadDevices(serial: serial, of: accounts.shown)))
  }

  mutating func accept(_ devices: [DeviceSummary], problem: SafeText?, serial: Int) {
    guard case .devices(var menu) = overlay, menu.serial == serial else { return }
    let chosen = menu.chosen
    menu.devices = devices
    menu.problem = problem
    menu.selected = devices.firstIndex { $0.id == chosen?.id } ?? 0
    // The device in question may be gone.
    if menu.chosen != chosen { menu.isAsking = false }
    overlay = .devices(menu)
  }

  mutating func take(_ key: Key, in menu: DevicesState, _ effects: inout [Effect]) {
    var menu = menu
    if menu.isAsking {
      menu.isAsking = false
      overlay = .devices(menu)
      guard case .character(let letter) = key, letter == "y" || letter == "Y",
        let device = menu.chosen
      else { return say("Nothing was done.") }
      effects.append(.activity(.revokeDevice(device, serial: menu.serial, of: accounts.shown)))
      return say("Signing " + device.name + " out …")
    }
    let count = max(1, menu.devices?.count ?? 1)
    switch key {
    case .escape, .left, .character("h"), .character("q"), .control("c"), .control("g"):
      return closeOverlay()
    case .down, .character("j"), .tab, .control("n"): menu.selected = (menu.selected + 1) % count
    case .up, .character("k"), .backTab, .control("p"):
      menu.selected = (menu.selected + count - 1) % count
    case .character("R"): return openDevices(&effects)
    case .character("x"), .delete:
      guard let device = menu.chosen else { return }
      guard !device.isThis else {
        return say("This is the current device: bellhop logout signs it out.")
      }
      menu.isAsking = true
    default: return  // open: Key
    }
    overlay = .devices(menu)
  }

  /// Handles a click while the devices are open.
  mutating func press(_ point: Point, in menu: DevicesState, _ layout: Layout) {
    let rows = DevicePane.rows(in: layout.body)
    guard !menu.isAsking, rows.contains(point) else {
      // Only a key confirms.
      return closeOverlay()
    }
    let index = point.y - rows.y + DevicePane.first(of: menu, height: rows.height)
    guard menu.devices?.indices.contains(index) == true else { return }
    var menu = menu
    menu.selected = index
    overlay = .devices(menu)
  }
}

/// Draws the user's devices over the body.
struct DevicePane {
  let menu: DevicesState
  let accounts: AccountSet
  let time: TimeText

  private static let nameCells = 24
  private static let lineCellsMax = 100
  private static let stateCells = 14

  static func rows(in body: Rect) -> Rect { body.splitTop(min(2, body.height - 1)).rest }

  /// Returns the first device drawn, which keeps the selected one visible.
  static func first(of menu: DevicesState, height: Int) -> Int {
    max(0, menu.selected - height + 1)
  }

  func draw(in body: Rect, on canvas: inout Canvas) {
    canvas.fill(body)
    let rows = Self.rows(in: body)
    if rows.y > body.y {
      var line = StyledLine(" Your devices", .accent)
      if let problem = menu.problem {
        line.add(" · " + problem, .error)
      }
      canvas.put(line, in: body.row(0))
    }
    guard let devices = menu.devices else {
      return canvas.put(StyledLine("   Asking the store …", .dim), in: rows.row(0))
    }
    if devices.isEmpty {
      return canvas.put(StyledLine("   No answer from the store.", .dim), in: rows.row(0))
    }
    let first = Self.first(of: menu, height: rows.height)
    for offset in 0..<rows.height where first + offset < devices.count {
      line(
        devices[first + offset], isSelected: first + offset == menu.selected, in: rows.row(offset),
        on: &canvas)
    }
  }

  private func line(
    _ device: DeviceSummary, isSelected: Bool, in whole: Rect, on canvas: inout Canvas
  ) {
    // Further apart, the columns would no longer read as one line.
    let rect = whole.splitLeft(Self.lineCellsMax).left
    var line = StyledLine(isSelected ? "▌ " : "  ", .accent)
    let cells = rect.width < 60 ? max(8, rect.width - 23) : Self.nameCells
    line.add((device.isThis ? "* " : "  "), .accent)
    line.add(
      device.name.truncated(to: cells).padded(to: cells + 1), device.isThis ? .unread : .text)
    if rect.width >= 60 {
      line.add(device.state.truncated(to: Self.stateCells).padded(to: Self.stateCells), .dim)
      line.add(device.platform.truncated(to: 10).padded(to: 11), .dim)
    }
    if accounts.areSeveral { line.add(accounts.label(of: device.account) + " ", .dim) }
    if device.isThis { line.add("this device", .accent) }
    // The store records use to the day.
    let day = time.timeOrDay(device.lastSeen)
    let isToday = time.zone.local(device.lastSeen).date == time.zone.local(time.now).date
    line.trailing = StyledLine.Piece(text: (isToday ? "today" : day) + " ", role: .dim)
    canvas.put(line, in: rect)
    if isSelected { canvas.select(whole) }
  }
}
