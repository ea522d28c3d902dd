import BellhopInbox
import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

/// The conditions in which a pane is shown.
enum Condition: String, CaseIterable, Sendable {
  /// An ordinary morning, without problems.
  case few
  /// No content for the pane.
  case empty
  /// More than fits into it.
  case many
  /// The store is unreachable, and changes are pending.
  case offline
  /// This device was signed out, and an action failed.
  case error
  /// Chinese, Japanese, Arabic, Thai, emoji, and malicious text.
  case world
  /// A terminal that is not UTF-8.
  case ascii
  /// A terminal without colours: the second plane shows bold, underlined and reversed.
  case mono

  /// Whether the inbox's state is that of `few`, and only the terminal differs.
  var isOfTerminal: Bool { self == .ascii || self == .mono }
}

/// A pane, the keys that open it, and the conditions in which it needs a snapshot.
struct PaneScene: Sendable, CustomTestStringConvertible {
  typealias Way = @Sendable (inout InboxDesk) -> Void

  /// The folder of its snapshots.
  var name: String
  var shelf: @Sendable () -> ItemShelf = Scenes.morning
  var open: Way
  /// The conditions with snapshots, in addition to ``Condition/few``.
  var conditions: Set<Condition> = []
  /// Other items, or other keys, that a condition needs.
  var shelves: [Condition: @Sendable () -> ItemShelf] = [:]
  var ways: [Condition: Way] = [:]
  /// The sizes in addition to ``pictureSize`` in which its layout differs, each with a snapshot.
  var otherSizes: [Size] = []

  var testDescription: String { name }

  static let pictureSize = Size(width: 80, height: 24)
  /// Too low for a preview below the list.
  static let low = Size(width: 40, height: 12)
  /// Wide enough for two panes side by side.
  static let wide = Size(width: 120, height: 40)
  static let widest = Size(width: 200, height: 50)
  static let sizes = [low, pictureSize, wide, widest]

  /// All sizes of its snapshots in a condition.
  func sizes(_ condition: Condition) -> [Size] {
    [Self.pictureSize] + (condition == .few ? otherSizes : [])
  }

  /// The conditions of its snapshots.
  var pictured: [Condition] { Condition.allCases.filter { $0 == .few || conditions.contains($0) } }

  /// The conditions in which it must stay in its cells: all, but many items only where they are
  /// visible.
  var tried: [Condition] {
    Condition.allCases.filter {
      !$0.isOfTerminal && ($0 != .many || conditions.contains(.many))
    }
  }

  /// The path of a snapshot below the folder of snapshots, with one folder per pane.
  func pictureName(_ condition: Condition, _ size: Size) -> String {
    "\(name)/" + (condition == .few ? "" : condition.rawValue + "-")
      + "\(size.width)x\(size.height)"
  }

  /// A desk that shows the pane.
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

// MARK: - User actions

extension InboxDesk {
  /// Answers the last request for devices.
  mutating func answer(devices: [DeviceSummary], problem: SafeText? = nil) {
    let serials = acts.compactMap { effect -> Int? in
      if case .activity(.loadDevices(let serial, _)) = effect { serial } else { nil }
    }
    send(.activity(.devices(serial: serials.last ?? 0, devices, problem: problem)))
  }

  /// Answers the last request for activity.
  mutating func answer(activity: ActivityReport) {
    let serials = acts.compactMap { effect -> Int? in
      if case .activity(.loadActivity(let serial, _, _)) = effect { serial } else { nil }
    }
    send(.activity(.report(serial: serials.last ?? 0, activity)))
  }

  /// Applies the user's settings of apps.
  mutating func configure(_ settings: [AppSettings]) {
    shelf.settings = settings.reduce(into: [:]) { $0[$1.app] = $1 }
    send(shelf.appsConfigured)
  }
}
