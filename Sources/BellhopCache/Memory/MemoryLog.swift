import BellhopModel

/// The change log as a value, with its rows in blocks.
///
/// A transaction works on a copy, which copies the last block and references to the others.
struct MemoryLog: Sendable {
  private final class Block: Sendable {
    let rows: [LoggedChanges]
    init(_ rows: [LoggedChanges]) {
      self.rows = rows
    }
  }

  private static let blockRows = 64

  /// The full blocks of rows, oldest first.
  private var blocks: [Block] = []
  /// The newest rows.
  private var rows: [LoggedChanges] = []

  mutating func append(_ row: LoggedChanges) {
    if rows.count == Self.blockRows {
      blocks.append(Block(rows))
      rows = []
    }
    rows.append(row)
  }

  /// Removes the rows before the first row that is kept.
  mutating func cut(before isKept: (LoggedChanges) -> Bool) {
    while let first = blocks.first {
      guard let index = first.rows.firstIndex(where: isKept) else {
        blocks.removeFirst()
        continue
      }
      if index > 0 { blocks[0] = Block(Array(first.rows[index...])) }
      return
    }
    if let index = rows.firstIndex(where: isKept), index > 0 { rows.removeFirst(index) }
  }

  /// Returns the rows that extend beyond the number, oldest first.
  func rows(beyond number: Int64, limit: Int) -> [LoggedChanges] {
    var found: [LoggedChanges] = []
    for block in blocks.map(\.rows) + [rows] where block.last.map({ $0.last > number }) ?? false {
      found += block.lazy.filter { $0.last > number }.prefix(limit - found.count)
      if found.count == limit { break }
    }
    return found
  }
}
