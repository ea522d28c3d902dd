import BellhopInbox
import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

/// What a pane is shown with.
enum Condition: String, CaseIterable, Sendable {
  /// An ordinary morning, all well.
  case few
  /// Nothing that the pane could show.
  case empty
  /// More than fits into it.
  case many
  /// The store is away, and changes wait.
  case offline
  /// This device was signed out, and something could not be done.
  case error
  /// Chinese, Japanese, Arabic, Thai, emoji, and text of people who mean no good.
  case world
  /// A terminal that is not UTF-8.
  case ascii
  /// A terminal without colours: the second plane says bold, underlined and reversed.
  case mono

  /// Whether the state of the inbox is that of `few`, and only the terminal is another.
  var isOfTerminal: Bool { self == .ascii || self == .mono }
}

/// A pane, how a person gets there, and in which conditions it is worth a picture.
struct PaneScene: Sendable, CustomTestStringConvertible {
  typealias Way = @Sendable (inout InboxDesk) -> Void

  /// The folder of its pictures.
  var name: String
  var shelf: @Sendable () -> ItemShelf = Scenes.morning
  var open: Way
  /// Beside ``Condition/few``.
  var conditions: Set<Condition> = []
  /// Where a condition needs other items, or another way.
  var shelves: [Condition: @Sendable () -> ItemShelf] = [:]
  var ways: [Condition: Way] = [:]
  /// The sizes beside ``pictureSize`` in which its layout differs, each with a picture.
  var otherSizes: [Size] = []

  var testDescription: String { name }

  static let pictureSize = Size(width: 80, height: 24)
  /// Too low for a preview below the list.
  static let low = Size(width: 40, height: 12)
  /// Two panes beside each other.
  static let wide = Size(width: 120, height: 40)
  static let widest = Size(width: 200, height: 50)
  static let sizes = [low, pictureSize, wide, widest]

  /// All sizes of its pictures in a condition.
  func sizes(_ condition: Condition) -> [Size] {
    [Self.pictureSize] + (condition == .few ? otherSizes : [])
  }

  /// The conditions of its pictures.
  var pictured: [Condition] { Condition.allCases.filter { $0 == .few || conditions.contains($0) } }

  /// The conditions in which it stays in its cells: all, but many items only where they are seen.
  var tried: [Condition] {
    Condition.allCases.filter {
      !$0.isOfTerminal && ($0 != .many || conditions.contains(.many))
    }
  }

  /// The path of a picture below the folder of snapshots: a folder a pane.
  func pictureName(_ condition: Condition, _ size: Size) -> String {
    "\(name)/" + (condition == .few ? "" : condition.rawValue + "-")
      + "\(size.width)x\(size.height)"
  }

  /// The pane in front of a person.
  func desk(_ condition: Condition, _ size: Size) -> InboxDesk {
    let items: ItemShelf =
      if let make = shelves[condition] {
        make()
      } else {
        switch condition {
        case .many: Scenes.many
        case .world: Scenes.world()
        default: shelf()
        }
      }
    var desk = InboxDesk(width: size.width, height: size.height, shelf: items)
    desk.state.isASCII = condition == .ascii
    desk.start()
    switch condition {
    case .offline:
      desk.send(
        .account(.connection(ConnectionStatus(.offline(since: Scenes.before(3)), waiting: 4))))
    case .error:
      let device = Provenance(by: "work-laptop", at: Scenes.before(2))
      desk.send(.account(.connection(ConnectionStatus(.signedOut(device), waiting: 1))))
    default: break
    }
    (ways[condition] ?? open)(&desk)
    if condition == .error {
      desk.send(.notice(Notice(.error, "Not kept: the disk is full. Nothing was changed.")))
    }
    return desk
  }
}

// MARK: - What people do

extension InboxDesk {
  /// The answer to what was asked last about devices.
  mutating func answer(devices: [DeviceSummary], problem: SafeText? = nil) {
    let serials = acts.compactMap { effect -> Int? in
      if case .activity(.loadDevices(let serial, _)) = effect { serial } else { nil }
    }
    send(.activity(.devices(serial: serials.last ?? 0, devices, problem: problem)))
  }

  /// The answer to what was asked last about activity.
  mutating func answer(activity: ActivityReport) {
    let serials = acts.compactMap { effect -> Int? in
      if case .activity(.loadActivity(let serial, _, _)) = effect { serial } else { nil }
    }
    send(.activity(.report(serial: serials.last ?? 0, activity)))
  }

  /// What the person wants of their apps.
  mutating func configure(_ settings: [AppSettings]) {
    shelf.settings = settings.reduce(into: [:]) { $0[$1.app] = $1 }
    send(shelf.appsConfigured)
  }
}
