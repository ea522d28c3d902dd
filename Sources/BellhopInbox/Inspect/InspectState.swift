import BellhopModel
import BellhopScreen
import BellhopText

/// The inspection of an item: its outline, with the cursor in it.
struct InspectState: Sendable {
  static let hints = [
    MenuHint("Esc", "close"), MenuHint("z", "fold"), MenuHint("Z", "fold all"),
    MenuHint("↓ ↑", "move"),
  ]

  let key: ItemKey
  /// The title: `#12 · build 412 failed`.
  var title: SafeText
  private(set) var inspection: ItemInspection?
  /// Whether the item no longer exists; the data read before stays.
  private(set) var isGone = false
  private(set) var outline = Outline([])
  private(set) var lines: [Outline.Drawn] = []
  /// The line under the cursor.
  private(set) var cursor = 0
  /// The first visible line.
  private(set) var scroll = 0
  var isStale = true
  private var outstanding: Int?
  private var width = 0
  private var height = 0

  init(key: ItemKey, title: SafeText) {
    self.key = key
    self.title = title
  }

  /// Whether to read the item now; one read at a time.
  mutating func request(serial: Int) -> Bool {
    guard outstanding == nil, isStale else { return false }
    outstanding = serial
    isStale = false
    return true
  }

  /// Records that the read failed, so that it is repeated.
  mutating func readFailed(serial: Int) {
    guard outstanding == serial else { return }
    outstanding = nil
    isStale = true
  }

  mutating func accept(
    _ value: ItemInspection?, serial: Int, time: TimeText, clock: WallClock
  ) {
    guard outstanding == serial else { return }
    outstanding = nil
    let wasGone = isGone
    isGone = value == nil
    guard let shown = value ?? inspection, shown != inspection || isGone != wasGone else { return }
    let old = outline
    inspection = shown
    outline = InspectLines(
      inspection: shown, time: time, clock: clock, isGone: isGone
    ).outline()
    // Keep the user's folds while the outline has the same form.
    if old.lines.map(\.indent) == outline.lines.map(\.indent) { outline.takeFolds(of: old) }
    draw()
  }

  /// Lays out the lines for a pane of `size`.
  mutating func lay(out size: Size) {
    guard size.width != width || size.height != height else { return }
    let index = lines.indices.contains(cursor) ? lines[cursor].index : 0
    (width, height) = (size.width, size.height)
    draw()
    move(to: lines.firstIndex { $0.index >= index } ?? 0)
  }

  private mutating func draw() {
    lines = outline.drawn(width: width)
    move(to: cursor)
  }

  // MARK: - Moving and folding

  mutating func move(to line: Int) {
    cursor = min(max(0, line), max(0, lines.count - 1))
    scroll = min(max(0, scroll), max(0, lines.count - height))
    scroll = min(max(scroll, cursor - height + 1), cursor)
  }

  mutating func move(by offset: Int) { move(to: cursor + offset) }

  mutating func page(by pages: Int) {
    let offset = pages * max(1, height - 1)
    scroll += offset
    move(by: offset)
  }

  mutating func toggle() {
    guard lines.indices.contains(cursor), let index = outline.toggle(lines[cursor].index) else {
      return
    }
    lines = outline.drawn(width: width)
    move(to: lines.firstIndex { $0.index == index } ?? 0)
  }

  mutating func toggleAll() {
    guard lines.indices.contains(cursor) else { return }
    let index = lines[cursor].index
    outline.toggleAll()
    lines = outline.drawn(width: width)
    move(to: lines.lastIndex { $0.index <= index } ?? 0)
  }
}

extension Command {
  static let inspectCommands: [Command] = [inspect]

  static let inspect = Command(
    id: "inspect", title: "inspect",
    help: "inspect it: payload, times, ids, who changed it", keys: ["i"], places: .items,
    chapter: .finding,
    // An item that was handled elsewhere can still be inspected.
    disabledReason: {
      $0.reasonOfHiddenTexts ?? ($0.activeItem == nil ? $0.reasonAgainstItem : nil)
    },
    perform: { state, _ in state.openInspection() })
}

extension InboxState {
  /// Inspects the item under the cursor, or a ghost while its item exists.
  fileprivate mutating func openInspection() {
    guard let row = activeItem else { return }
    overlay = .inspect(
      InspectState(
        key: row.key,
        title: SafeText(ItemNumber.text(row.shortNumber)) + " · " + shownTitle(of: row)))
  }

  mutating func settleInspection(_ layout: Layout, _ effects: inout [Effect]) {
    guard case .inspect(var inspect) = overlay else { return }
    inspect.lay(out: layout.body.size)
    if !readPause.holds, inspect.request(serial: serial + 1) {
      serial += 1
      effects.append(.read(.inspection(inspect.key, serial: serial)))
    }
    overlay = .inspect(inspect)
  }

  mutating func accept(_ value: ItemInspection?, of key: ItemKey, serial: Int) {
    guard case .inspect(var inspect) = overlay, inspect.key == key else { return }
    inspect.accept(value, serial: serial, time: timeText, clock: attention.wallClock)
    overlay = .inspect(inspect)
  }

  mutating func take(_ key: Key, in inspect: InspectState) {
    var inspect = inspect
    switch key {
    case .escape, .left, .character("q"), .character("h"), .character("i"), .control("c"),
      .control("g"):
      return closeOverlay()
    case .down, .character("j"), .control("n"): inspect.move(by: 1)
    case .up, .character("k"), .control("p"): inspect.move(by: -1)
    case .pageDown, .control("d"): inspect.page(by: 1)
    case .pageUp, .control("u"): inspect.page(by: -1)
    case .home, .character("g"): inspect.move(to: 0)
    case .end, .character("G"): inspect.move(to: inspect.lines.count - 1)
    case .enter, .right, .character("l"), .character("z"), .character(" "): inspect.toggle()
    case .character("Z"): inspect.toggleAll()
    default: return  // open: Key
    }
    overlay = .inspect(inspect)
  }

  /// Moves the cursor to a line; a click on a mark folds.
  mutating func press(_ point: Point, in inspect: InspectState) {
    let body = layout.body
    guard body.contains(point) else { return closeOverlay() }
    var inspect = inspect
    let line = inspect.scroll + point.y - body.y
    guard inspect.lines.indices.contains(line) else { return }
    inspect.move(to: line)
    let drawn = inspect.lines[line]
    let margin = drawn.line.pieces.first?.text.width ?? 0
    if inspect.outline.canFold(drawn.index), point.x - body.x < margin { inspect.toggle() }
    overlay = .inspect(inspect)
  }
}
