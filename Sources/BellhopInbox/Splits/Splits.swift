import BellhopScreen
import BellhopText

/// The positions of the rules between the panes, for screens of every size.
package struct Splits: Hashable, Sendable {
  /// The part of the screen's width for the lists, in thousandths.
  package var listShare: Int
  /// The part of the lists' height for the pane below the tray, in thousandths.
  package var lowerShare: Int
  /// The number of rows of the preview below a single list; nil derives it from the screen's
  /// height.
  package var previewRows: Int?

  package static let shares = 50...950
  package static let rows = 1...500

  /// The minimum sizes of the panes, enough for a title and a few rows.
  private static let columnsMin = 30
  private static let rowsMin = 4
  private static let previewRowsMin = 2

  package init(listShare: Int = 520, lowerShare: Int = 350, previewRows: Int? = nil) {
    self.listShare = listShare
    self.lowerShare = lowerShare
    self.previewRows = previewRows
  }

  /// Returns the number of columns of the lists beside the detail pane.
  func listColumns(of width: Int) -> Int {
    Self.within(width * listShare / 1000, Self.columnsMin, width - Self.columnsMin - 1)
  }

  /// Returns the number of rows of the pane below the tray, without the divider above it.
  func lowerRows(of height: Int) -> Int {
    Self.within(height * lowerShare / 1000, Self.rowsMin, height - Self.rowsMin - 1)
  }

  /// Returns the number of rows of the preview below the list, without the divider above it.
  func previewRows(ofBody height: Int, screen: Int) -> Int {
    let usual = min(8, max(3, (screen - 12) / 4))
    return previewRows.map {
      Self.within($0, Self.previewRowsMin, height - Self.rowsMin - 1)
    } ?? usual
  }

  private static func within(_ value: Int, _ lowest: Int, _ highest: Int) -> Int {
    max(lowest, min(value, highest))
  }

  /// Returns the smallest number of thousandths that gives at least `part` of `whole`.
  static func share(_ part: Int, of whole: Int) -> Int {
    guard whole > 0 else { return shares.lowerBound }
    return within(
      (part * 1000 + whole - 1) / whole, shares.lowerBound, shares.upperBound)
  }
}

/// The rules between the panes, and the one that the user is dragging.
struct SplitsState: Sendable {
  var places: Splits
  var dragged: Split?
}

/// A divider that the user can move.
enum Split: Hashable, Sendable {
  /// The divider between the lists and the detail pane.
  case item
  /// The divider between the tray and the pane below it.
  case lower
  /// The divider between a single list and the preview below it.
  case preview
}

extension Command {
  static let splitCommands: [Command] = [widerList, narrowerList, tallerList, shorterList]

  static let widerList = split(
    "wider", "make the list wider, the item beside it narrower", ">", across: 1)
  static let narrowerList = split(
    "narrower", "make the list narrower, the item beside it wider", "<", across: -1)
  static let tallerList = split(
    "taller", "make the list taller, the pane below it shorter", "+", down: 1)
  static let shorterList = split(
    "shorter", "make the list shorter, the pane below it taller", "-", down: -1)

  /// Creates a command that moves a divider.
  ///
  /// - Parameters:
  ///   - columns: The movement of the divider beside the list, in steps.
  ///   - rows: The movement of the divider below the list, in rows.
  private static func split(
    _ id: String, _ help: String, _ key: String, across columns: Int = 0, down rows: Int = 0
  ) -> Command {
    let wanted: [Split] = columns == 0 ? [.lower, .preview] : [.item]
    return Command(
      id: id, title: id, help: help, keys: [key], places: .items, chapter: .places,
      disabledReason: { state in
        if state.layout.splits.keys.contains(where: wanted.contains) { return nil }
        return columns == 0
          ? "There is only one pane."
          : DisabledReason(
            "The item is beside the list only from \(Layout.wideWidth) columns on.")
      },
      perform: { state, effects in
        state.moveSplit(wanted, across: columns, down: rows, &effects)
      })
  }
}

extension InboxState {
  /// The number of columns that one key moves a vertical divider.
  private static let columnsPerKey = 2

  /// Moves the first of the wanted rules that is on the screen.
  fileprivate mutating func moveSplit(
    _ wanted: [Split], across columns: Int, down rows: Int, _ effects: inout [Effect]
  ) {
    let layout = layout
    guard let split = wanted.first(where: { layout.splits[$0] != nil }),
      let divider = layout.splits[split]
    else { return }
    let point = Point(x: divider.x + columns * Self.columnsPerKey, y: divider.y + rows)
    let before = splits.places
    move(split, to: point)
    guard self.layout.splits[split] != divider else {
      splits.places = before
      return say("The divider cannot move further: both panes need space.")
    }
    effects.append(.remember(.splits(splits.places)))
  }

  /// Moves a divider to the pointer, as far as the minimum sizes allow.
  mutating func move(_ split: Split, to point: Point) {
    let layout = layout
    switch split {
    case .item: splits.places.listShare = Splits.share(point.x - layout.body.x, of: size.width)
    case .lower:
      let height = layout.body.height
      splits.places.lowerShare = Splits.share(layout.body.maxY - point.y - 1, of: height)
    case .preview:
      splits.places.previewRows = min(
        max(Splits.rows.lowerBound, layout.body.maxY - point.y - 1), Splits.rows.upperBound)
    }
  }
}
