import BellhopScreen
import CNcurses

/// Which styles' blanks look alike: a blank shows no more than its ground, and changing the style for
/// it, and back for the next word, is most of what a line would send.
struct BlankStyles {
  /// The ground of each style, by its number; nil where a blank shows more than that.
  private var grounds: [Ground?] = []

  private struct Ground: Hashable {
    var color: Color?
  }

  /// Longer gaps are left to ncurses, which jumps over what stays and erases what goes.
  private static let gapMax = 4

  /// Of the next style's number.
  mutating func add(_ style: ResolvedStyle) {
    let showsMore = style.isReversed || style.isUnderlined
    grounds.append(showsMore ? nil : Ground(color: style.background))
  }

  /// Gives the blanks of short gaps the style of the cell before them, or of the one behind them, where
  /// nobody sees it and one change of style less is written.
  func join(_ row: inout [cn_cluster]) {
    var start: Int?
    for index in row.indices {
      guard !row[index].isBlank else {
        start = start ?? index
        continue
      }
      if let start, start > 0, index - start <= Self.gapMax {
        join(&row, start..<index)
      }
      start = nil
    }
  }

  private func join(_ row: inout [cn_cluster], _ gap: Range<Int>) {
    let style = row[gap.lowerBound].style
    let (before, after) = (row[gap.lowerBound - 1].style, row[gap.upperBound].style)
    guard style != before, style != after, gap.allSatisfy({ row[$0].style == style }),
      let joined = [before, after].first(where: { looksAlike($0, style) })
    else { return }
    for index in gap { row[index].style = joined }
  }

  private func looksAlike(_ one: UInt8, _ other: UInt8) -> Bool {
    guard grounds.indices.contains(Int(one)), grounds.indices.contains(Int(other)),
      let ground = grounds[Int(one)]
    else { return false }
    return ground == grounds[Int(other)]
  }
}

extension cn_cluster {
  fileprivate var isBlank: Bool { count == 1 && scalars.0 == 0x20 && style != UInt8(cn_painted) }
}
