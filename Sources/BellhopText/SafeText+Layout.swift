extension SafeText {
  /// Joins parts, with a separator between them.
  package static func joined(_ parts: [SafeText], by separator: SafeText) -> SafeText {
    guard var text = parts.first else { return .empty }
    for part in parts.dropFirst() { text = text + separator + part }
    return text
  }

  /// The clusters in logical order, one per cell or pair of cells.
  ///
  /// A kept line break is a blank.
  package var clusters: [Cluster] {
    var clusters: [Cluster] = []
    clusters.reserveCapacity(width)
    forEachCluster { clusters.append($0) }
    return clusters
  }

  /// Calls `body` with each cluster, without storing them all.
  package func forEachCluster(_ body: (Cluster) -> Void) {
    if isASCII {
      for byte in string.utf8 {
        body(Cluster(glyph: Glyph(ascii: byte == 0x0A ? 0x20 : byte), width: 1))
      }
      return
    }
    var glyph = Glyph.none
    var cells = 0
    for scalar in string.unicodeScalars {
      let isBreak = scalar == "\n"
      let scalarCells = isBreak ? 1 : CellWidth.of(scalar) ?? 1
      if scalarCells > 0 || glyph.isNone {
        if cells > 0 { body(Cluster(glyph: glyph, width: cells)) }
        glyph = Glyph(isBreak ? " " : scalar)
        cells = scalarCells
      } else {
        glyph.append(scalar)
      }
    }
    if cells > 0 { body(Cluster(glyph: glyph, width: cells)) }
  }

  /// Whether every byte is an ASCII character of one cell.
  ///
  /// No other text takes as many cells as bytes.
  package var isASCII: Bool { string.utf8.count == width }

  /// Truncates the text to at most `cells` cells; the last cell of cut text is "…".
  package func truncated(to cells: Int) -> SafeText {
    if width <= cells { return self }
    if cells <= 0 { return .empty }
    return prefix(cells: cells - 1) + SafeText(checked: "…", width: 1)
  }

  /// Pads the text to exactly `cells` cells: cut, or followed by blanks.
  package func padded(to cells: Int) -> SafeText {
    let cut = truncated(to: cells)
    return cut.width < cells ? cut + .blanks(cells - cut.width) : cut
  }

  /// Pads the text to exactly `cells` cells: cut, or preceded by blanks.
  package func leftPadded(to cells: Int) -> SafeText {
    let cut = truncated(to: cells)
    return cut.width < cells ? .blanks(cells - cut.width) + cut : cut
  }

  /// Returns the longest prefix of whole clusters that fits into `cells`.
  package func prefix(cells: Int) -> SafeText {
    if isASCII {
      let head = string.utf8.prefix(max(0, cells))
      return SafeText(checked: String(Substring(head)), width: head.count)
    }
    var end = string.unicodeScalars.startIndex
    var used = 0
    for index in string.unicodeScalars.indices {
      let scalar = string.unicodeScalars[index]
      let scalarCells = scalar == "\n" ? 1 : CellWidth.of(scalar) ?? 1
      if used + scalarCells > cells { break }
      used += scalarCells
      end = string.unicodeScalars.index(after: index)
    }
    return SafeText(checked: String(string.unicodeScalars[..<end]), width: used)
  }

  /// Returns the longest suffix of whole clusters that fits into `cells`.
  package func suffix(cells: Int) -> SafeText {
    var rest = string.unicodeScalars[...]
    var used = width
    while used > cells, let first = rest.popFirst() {
      used -= first == "\n" ? 1 : CellWidth.of(first) ?? 1
    }
    // Scalars without a cell belong to the scalar that was just removed.
    if used < width { rest = rest.drop { CellWidth.of($0) == 0 } }
    return SafeText(checked: String(rest), width: used)
  }

  /// Returns the end of the text in at most `cells` cells, preceded by "…" if it is cut.
  ///
  /// Keeps the end of typed text visible.
  package func tail(cells: Int) -> SafeText {
    width <= cells || cells < 2 ? suffix(cells: cells) : "…" + suffix(cells: cells - 1)
  }

  /// The lines between kept line breaks; one empty line for empty text.
  package var lines: [SafeText] {
    guard string.utf8.contains(0x0A) else { return [self] }
    return string.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      SafeText(
        checked: String(line),
        width: line.unicodeScalars.reduce(0) { $0 + (CellWidth.of($1) ?? 1) })
    }
  }

  /// Wraps the text to lines of at most `cells` cells, between words if possible.
  ///
  /// Also breaks at kept line breaks. Removes blanks at a break. Splits a word that is longer than
  /// a line. Between wide characters (Han, Kana), a line may break anywhere.
  package func wrapped(to cells: Int) -> [SafeText] {
    let isOneLine = !string.utf8.contains(0x0A)
    if width <= cells, isOneLine { return [self] }
    if cells <= 0 { return [] }
    return (isOneLine ? [self] : lines).flatMap { line -> [SafeText] in
      if line.width <= cells { return [line] }
      // Only ASCII text takes as many cells as bytes.
      if line.width == line.string.utf8.count { return wrappedASCII(line.string, to: cells) }
      var wrapper = LineWrapper(cells: cells)
      line.forEachCluster { wrapper.take($0) }
      return wrapper.finish()
    }
  }
}

/// Wraps a line of ASCII as ``LineWrapper`` does, but directly on its bytes.
///
/// A long text is wrapped again whenever the width of the terminal changes.
private func wrappedASCII(_ line: String, to cells: Int) -> [SafeText] {
  let space = UInt8(ascii: " ")
  let bytes = Array(line.utf8)
  var finished: [SafeText] = []
  var start = 0
  // The index after the last blank of the line that begins at `start`; `start` if it has none.
  var breakAt = 0
  func flush(_ end: Int, goOnAt next: Int) {
    var head = bytes[start..<end]
    while head.last == space { head.removeLast() }
    finished.append(SafeText(checked: String(decoding: head, as: UTF8.self), width: head.count))
    (start, breakAt) = (next, next)
  }
  for (index, byte) in bytes.enumerated() {
    if index - start == cells {
      if byte == space {
        flush(index, goOnAt: index + 1)
        continue
      }
      let end = breakAt > start ? breakAt : index
      flush(end, goOnAt: end)
    }
    guard byte == space else { continue }
    if index == start, !finished.isEmpty {
      (start, breakAt) = (index + 1, index + 1)
    } else {
      breakAt = index + 1
    }
  }
  if start < bytes.count || finished.isEmpty { flush(bytes.count, goOnAt: bytes.count) }
  return finished
}

/// Breaks one line of clusters into several.
private struct LineWrapper {
  private let cells: Int
  private var finished: [SafeText] = []
  private var line: [Cluster] = []
  private var lineWidth = 0
  /// The number of clusters of `line` up to its last blank or wide character, where it may break.
  private var breakAt = 0

  init(cells: Int) { self.cells = cells }

  mutating func take(_ cluster: Cluster) {
    // A wide character never fits into one column; a one-cell ellipsis does.
    let cluster = cluster.width > cells ? Cluster(glyph: Glyph("…"), width: 1) : cluster
    if lineWidth + cluster.width > cells {
      if cluster.glyph == .space {
        flush(line.count)
        return
      }
      flush(breakAt > 0 && cluster.width == 1 ? breakAt : line.count)
    }
    // Skip blanks at the beginning of a continued line: they belong to the break.
    if cluster.glyph == .space, line.isEmpty, !finished.isEmpty { return }
    line.append(cluster)
    lineWidth += cluster.width
    if cluster.glyph == .space || cluster.width == 2 { breakAt = line.count }
  }

  mutating func finish() -> [SafeText] {
    if !line.isEmpty || finished.isEmpty { flush(line.count) }
    return finished
  }

  private mutating func flush(_ count: Int) {
    var head = line[..<count]
    while head.last?.glyph == .space { head.removeLast() }
    finished.append(
      SafeText(
        checked: head.reduce(into: "") { $0 += $1.text }, width: head.reduce(0) { $0 + $1.width }))
    line = Array(line[count...].drop { $0.glyph == .space })
    lineWidth = line.reduce(0) { $0 + $1.width }
    breakAt = 0
  }
}
