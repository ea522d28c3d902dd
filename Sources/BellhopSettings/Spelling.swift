/// Suggestions for words that are spelled wrong.
package enum Spelling {
  /// The candidate nearest to a word; nil if more than a third of the letters differ.
  package static func nearest(_ word: String, in candidates: some Sequence<String>) -> String? {
    let wordMax = 64
    guard word.count <= wordMax else { return nil }
    let limit = max(1, word.count / 3)
    let distances = candidates.map { (distance(word, $0), $0) }
    return distances.filter { $0.0 <= limit }.min { $0 < $1 }?.1
  }

  /// The number of letters to add, leave out, change or swap with their neighbour.
  static func distance(_ first: String, _ second: String) -> Int {
    let (left, right) = (Array(first.lowercased()), Array(second.lowercased()))
    var before: [Int] = []
    var previous = Array(0...right.count)
    for i in left.indices {
      var row = [i + 1]
      for j in right.indices {
        var best = min(previous[j + 1], row[j]) + 1
        best = min(best, previous[j] + (left[i] == right[j] ? 0 : 1))
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          best = min(best, before[j - 1] + 1)
        }
        row.append(best)
      }
      (before, previous) = (previous, row)
    }
    return previous[right.count]
  }
}
