import BellhopText

/// Counts as a line of blocks, one per cell, scaled to the highest count.
enum SparkLine {
  /// The blocks, from zero to the maximum.
  private static let blocks: [SafeText] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// Draws the counts.
  ///
  /// - Parameters:
  ///   - begun: The number of counts whose hours have begun; the others are blank.
  ///   - step: The number of counts per cell.
  static func text(_ counts: [Int], begun: Int? = nil, step: Int = 1) -> SafeText {
    let step = max(1, step)
    let starts = Array(stride(from: 0, to: counts.count, by: step))
    let sums = starts.map { counts[$0..<min($0 + step, counts.count)].reduce(0, +) }
    let highest = sums.max() ?? 0
    var text = SafeText.empty
    for (start, sum) in zip(starts, sums) {
      text += start < begun ?? counts.count ? block(sum, of: highest) : " "
    }
    return text
  }

  private static func block(_ count: Int, of highest: Int) -> SafeText {
    guard count > 0, highest > 0 else { return blocks[0] }
    // Rounded up, so that one is visibly more than zero.
    return blocks[(count * (blocks.count - 1) + highest - 1) / highest]
  }
}
