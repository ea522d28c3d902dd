import BellhopScreen
import BellhopText

/// Where the rules between the panes are, for screens of every size.
package struct Splits: Hashable, Sendable {
  /// The part of the screen's width that the lists take, in thousandths.
  package var listShare: Int
  /// The part of the lists' height that the pane below the tray takes, in thousandths.
  package var lowerShare: Int
  /// The rows of the item below a single list; nil leaves it to the screen's height.
  package var previewRows: Int?

  package static let shares = 50...950
  package static let rows = 1...500

  /// What is left of every pane: a title can be read in it, and a few rows seen.
  private static let columnsMin = 30
  private static let rowsMin = 4
  private static let previewRowsMin = 2

  package init(listShare: Int = 520, lowerShare: Int = 350, previewRows: Int? = nil) {
    self.listShare = listShare
    self.lowerShare = lowerShare
    self.previewRows = previewRows
  }

  /// The columns of the lists beside the item.
  func listColumns(of width: Int) -> Int {
    Self.within(width * listShare / 1000, Self.columnsMin, width - Self.columnsMin - 1)
  }

  /// The rows of the pane below the tray, without the rule above it.
  func lowerRows(of height: Int) -> Int {
    Self.within(height * lowerShare / 1000, Self.rowsMin, height - Self.rowsMin - 1)
  }

  /// The rows of the item below the list, without the rule above it.
  func previewRows(ofBody height: Int, screen: Int) -> Int {
    let usual = min(8, max(3, (screen - 12) / 4))
    return previewRows.map {
      Self.within($0, Self.previewRowsMin, height - Self.rowsMin - 1)
    } ?? usual
  }

  private static func within(_ value: Int, _ lowest: Int, _ highest: Int) -> Int {
    max(lowest, min(value, highest))
  }

  /// The thousandths that give at least `part` of `whole`, and not one more.
  static func share(_ part: Int, of whole: Int) -> Int {
    guard whole > 0 else { return shares.lowerBound }
    return within(
      (part * 1000 + whole - 1) / whole, shares.lowerBound, shares.upperBound)
  }
}

/// The rules between the panes, and the one that the pointer is dragging.
struct SplitsState: Sendable {
  var places: Splits
  var dragged: Split?
}

/// A rule that can be moved.
enum Split: Hashable, Sendable {
  /// Between the lists and the item.
  case item
  /// Between the tray and the history below it.
  case lower
  /// Between a single list and the item below it.
  case preview
}

extension Command {
  static let splitCommands: [Command] = [widerList, narrowerList, tallerList, shorterList]

  static let widerList = split(
    "wider", "the list wider, the item beside it narrower", ">", across: 1)
  static let narrowerList = split(
    "narrower", "the list narrower, the item beside it wider", "<", across: -1)
  static let tallerList = split(
    "taller", "the list higher, the pane below it lower", "+", down: 1)
  static let shorterList = split(
    "shorter", "the list lower, the pane below it higher", "-", down: -1)

  /// - Parameters:
  ///   - columns: how far the rule beside the list goes, in steps.
  ///   - rows: how far the rule below the list goes, in rows.
  private static func split(
    _ id: String, _ help: String, _ key: String, across columns: Int = 0, down rows: Int = 0
  ) -> Command {
    let wanted: [Split] = columns == 0 ? [.lower, .preview] : [.item]
    return Command(
      id: id, title: id, help: help, keys: [key], places: .items, chapter: .places,
      disabledReason: { state in
        if state.layout.splits.keys.contains(where: wanted.contains) { return nil }
        return columns == 0
          ? "There is one pane here: no rule to move up or down."
          : DisabledReason(
            "The item is beside the list on screens of \(Layout.wideWidth) columns and more.")
      },
      perform: { state, effects in
        state.moveSplit(wanted, across: columns, down: rows, &effects)
      })
  }
}

extension InboxState {
  /// How far one key moves a rule that stands.
  private static let columnsPerKey = 2

  /// Moves the first of the wanted rules that is on the screen.
  fileprivate mutating func moveSplit(
    _ wanted: [Split], across columns: Int, down rows: Int, _ effects: inout [Effect]
  ) {
    let layout = layout
    guard let split = wanted.first(where: { layout.splits[$0] != nil }),
      let rule = layout.splits[split]
    else { return }
    let point = Point(x: rule.x + columns * Self.columnsPerKey, y: rule.y + rows)
    let before = splits.places
    move(split, to: point)
    guard self.layout.splits[split] != rule else {
      splits.places = before
      notice = Notice(.information, "It goes no further: both panes need some room.")
      return
    }
    effects.append(.remember(.splits(splits.places)))
  }

  /// Puts a rule where the pointer is, as far as both sides keep some room.
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
