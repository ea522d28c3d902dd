import BellhopText

/// Counts as a line of blocks, one a cell; the highest is the highest count.
enum SparkLine {
  /// Nothing, then ever more.
  private static let blocks: [SafeText] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// - Parameters:
  ///   - begun: How many of the counts are of hours that have begun; the others are blank.
  ///   - step: How many counts are one cell.
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
    // Rounded up: one is more than nothing.
    return blocks[(count * (blocks.count - 1) + highest - 1) / highest]
  }
}
