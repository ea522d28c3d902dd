/// The colour table of an image, reduced by median cut (Heckbert 1982).
///
/// Repeatedly splits the colour space in two where most of the image's pixels are.
struct ColorTable {
  /// The colours of the table, three bytes each: red, green, blue.
  private(set) var colors: [(red: UInt8, green: UInt8, blue: UInt8)] = []
  /// The table index for each bin of the colour space (five bits per component); -1 if unused.
  private(set) var places: [Int16]

  private static let binsCount = 1 << 15

  /// Returns the bin of the colour space that contains a colour.
  static func bin(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int {
    Int(red >> 3) << 10 | Int(green >> 3) << 5 | Int(blue >> 3)
  }

  /// Returns a bin's intensity along an axis: 0 red, 1 green, 2 blue.
  private static func level(_ bin: Int, _ axis: Int) -> Int { bin >> (10 - 5 * axis) & 31 }

  private struct Box {
    var bins: [Int]
    var weight: Int
    var axis = 0
    /// The length of the longest axis.
    var length = 0

    init(_ bins: [Int], _ counts: [Int]) {
      self.bins = bins
      weight = bins.reduce(0) { $0 + counts[$1] }
      for axis in 0..<3 {
        var (low, high) = (31, 0)
        for bin in bins {
          let level = ColorTable.level(bin, axis)
          low = min(low, level)
          high = max(high, level)
        }
        if high - low > length { (self.axis, length) = (axis, high - low) }
      }
    }
  }

  /// Creates a table of at most `limit` colours from the visible pixels of an image.
  init(_ image: PixelImage, limit: Int) {
    var counts = [Int](repeating: 0, count: Self.binsCount)
    var sums = [Int](repeating: 0, count: Self.binsCount * 3)
    image.bytes.withUnsafeBufferPointer { bytes in
      for pixel in stride(from: 0, to: bytes.count, by: 4) where bytes[pixel + 3] >= 0x80 {
        let bin = Self.bin(bytes[pixel], bytes[pixel + 1], bytes[pixel + 2])
        counts[bin] += 1
        for part in 0..<3 { sums[bin * 3 + part] += Int(bytes[pixel + part]) }
      }
    }
    places = [Int16](repeating: -1, count: Self.binsCount)
    let used = counts.indices.filter { counts[$0] > 0 }
    guard !used.isEmpty else { return }
    var boxes = [Box(used, counts)]
    while boxes.count < limit {
      // Split the box with the largest error: the most pixels times the greatest length.
      let widest = boxes.indices.max { one, other in
        boxes[one].weight * boxes[one].length < boxes[other].weight * boxes[other].length
      }
      guard let widest, boxes[widest].length > 0 else { break }
      let box = boxes.remove(at: widest)
      let (low, high) = Self.halves(of: box, counts)
      boxes += [Box(low, counts), Box(high, counts)]
    }
    for (index, box) in boxes.enumerated() {
      func mean(_ part: Int) -> UInt8 {
        UInt8(box.bins.reduce(0) { $0 + sums[$1 * 3 + part] } / max(1, box.weight))
      }
      colors.append((mean(0), mean(1), mean(2)))
      for bin in box.bins { places[bin] = Int16(index) }
    }
  }

  /// Splits a box into two non-empty halves of about as many pixels.
  private static func halves(of box: Box, _ counts: [Int]) -> ([Int], [Int]) {
    let sorted = box.bins.sorted { level($0, box.axis) < level($1, box.axis) }
    var sum = 0
    var cut = 1
    for (index, bin) in sorted.enumerated() {
      sum += counts[bin]
      guard sum * 2 < box.weight else {
        cut = index + 1
        break
      }
    }
    // Bins of the same intensity stay together, so that both halves are shorter than the box.
    let edge = level(sorted[min(cut, sorted.count - 1)], box.axis)
    let below = sorted.prefix { level($0, box.axis) < edge }.count
    let through = sorted.prefix { level($0, box.axis) <= edge }.count
    cut = below > 0 ? below : min(through, sorted.count - 1)
    return (Array(sorted[..<cut]), Array(sorted[cut...]))
  }
}
