import BellhopInbox
import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText

/// A plan for frames of untrusted text, drawn by the program in the pseudo-terminal.
///
/// The program and the test both create the same frames from its few words.
struct FuzzPlan: CustomStringConvertible {
  enum Kind: String {
    /// Scalars one after another, each between two letters.
    case scalars
    /// Strings side by side, each in its own column.
    case strings
    /// The real screen, with such strings in every untrusted field.
    case panes
  }

  var kind: Kind
  var seed: UInt64
  var first: Int
  var count: Int

  init(_ kind: Kind, seed: UInt64, first: Int = 0, count: Int) {
    self.kind = kind
    self.seed = seed
    self.first = first
    self.count = count
  }

  init?(_ description: String) {
    let parts = description.split(separator: ":")
    guard parts.count == 4, let kind = Kind(rawValue: String(parts[0])),
      let seed = UInt64(parts[1]), let first = Int(parts[2]), let count = Int(parts[3])
    else { return nil }
    self.init(kind, seed: seed, first: first, count: count)
  }

  var description: String { "\(kind.rawValue):\(seed):\(first):\(count)" }

  var size: Size {
    kind == .panes ? Size(width: 160, height: 48) : Size(width: 400, height: 100)
  }

  private static let scalarCells = 4
  private static let stringCells = 25
  static let scalarsPerFrame = 400 / scalarCells * 100
  static let stringsPerFrame = 400 / stringCells * 100
  /// The approximate number: title, subtitle, body, app, group, tags and actions of some forty
  /// items.
  static let stringsPerPanes = 300

  func frame(_ number: Int) -> Frame {
    switch kind {
    case .scalars: scalars(first + number)
    case .strings: strings(first + number)
    case .panes: panes(first + number)
    }
  }

  private func scalars(_ number: Int) -> Frame {
    var canvas = Canvas(size: size)
    let across = size.width / Self.scalarCells
    for index in 0..<Self.scalarsPerFrame {
      guard let scalar = Unicode.Scalar(UInt32(number * Self.scalarsPerFrame + index)) else {
        continue
      }
      let cell = Rect(
        x: index % across * Self.scalarCells, y: index / across, width: Self.scalarCells, height: 1)
      canvas.put(SafeText("a\(scalar)z"), at: cell.origin, in: cell)
    }
    canvas.title = SafeText("scalars \(number)")
    return canvas.frame
  }

  private func strings(_ number: Int) -> Frame {
    var strings = HostileStrings(seed: seed, number: number)
    var canvas = Canvas(size: size)
    let across = size.width / Self.stringCells
    for index in 0..<Self.stringsPerFrame {
      let cell = Rect(
        x: index % across * Self.stringCells, y: index / across, width: Self.stringCells - 1,
        height: 1)
      canvas.put(SafeText(strings.next()), at: cell.origin, in: cell)
      canvas.put("|", at: Point(x: cell.maxX, y: cell.y))
    }
    canvas.title = SafeText(strings.next())
    return canvas.frame
  }

  // MARK: - The real screen

  private static let keys = [
    "", "2", "3", "j j", "Enter", "Tab", ".", "s", "f a p p : n", "/ n", "a", "?", "d d u",
    "j j j z",
  ]

  private func panes(_ number: Int) -> Frame {
    var strings = HostileStrings(seed: seed, number: number)
    var shelf = ItemShelf()
    for index in 0..<40 {
      var content = Content(
        app: strings.name(), appNotificationID: "\(index)",
        group: index % 4 == 0 ? strings.name() : nil,
        priority: Priority.allCases[index % Priority.allCases.count],
        tags: [strings.name(), strings.name()],
        visual: VisualContent(
          title: strings.next(), subtitle: index % 3 == 0 ? strings.next() : nil,
          body: strings.next(lengthMax: 200)))
      content.extras.actions = [
        ContentExtras.Action(id: "a", title: strings.name(), kind: .copy, text: strings.next()),
        ContentExtras.Action(id: "b", title: strings.name()),
      ]
      let at = InboxDesk.morning.advanced(by: .seconds(Int64(index) - 4000))
      let id = shelf.publish(content, at: at)
      if index % 7 == 1 { shelf.handle(id, .dismiss, on: strings.name(), at: at) }
      if index % 7 == 2 {
        shelf.handle(
          id, .snooze(until: InboxDesk.morning.advanced(by: .seconds(9000))), on: strings.name(),
          at: at)
      }
    }
    var desk = InboxDesk(width: size.width, height: size.height, shelf: shelf)
    desk.start()
    desk.press(Self.keys[number % Self.keys.count])
    return desk.frame
  }
}
