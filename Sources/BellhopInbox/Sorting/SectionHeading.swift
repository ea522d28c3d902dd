import BellhopModel
import BellhopScreen
import BellhopText

/// The heading of a section of a sorted list: its name and its number of items.
struct SectionHeading {
  var name: SafeText
  /// The number of items; nil if not all of them are among the rows that have been read.
  var count: Int?

  func line(width: Int) -> StyledLine {
    let number = count.map { SafeText($0.grouped) } ?? .empty
    let name = name.truncated(to: width)
    var line = StyledLine(name, .accent)
    guard !number.isEmpty, name.width + 2 + number.width <= width else { return line }
    line.trailing = StyledLine.Piece(text: number, role: .dim)
    return line
  }
}

extension Priority {
  /// The name of the section of a level.
  fileprivate var heading: SafeText {
    switch self {
    case .urgent: "Urgent"
    case .high: "High"
    case .normal: "Normal"
    case .low: "Low"
    case .min: "Min"
    }
  }
}

extension InboxState {
  /// Returns the heading of the section of the row at `index`; nil in a list without sections.
  func sectionHeading(of id: ListID, _ lines: ListLines, at index: Int) -> SectionHeading? {
    let list = self[id]
    let row = list.rows[index]
    let name: SafeText
    switch lines.division {
    case .level: name = row.priority.heading
    case .app: name = row.app
    case .days, nil: return nil
    }
    // A ghost is drawn, but is no longer a result.
    let ghost = list.ghost.flatMap { list.index(of: $0.id) }
    let ghosts = ghost.map { lines.isOneSection($0, index) ? 1 : 0 } ?? 0
    let count = lines.count(
      ofSectionAt: index, reachesStart: list.reachesStart, reachesEnd: list.reachesEnd)
    return SectionHeading(name: name, count: count.map { $0 - ghosts })
  }
}
