extension SafeText {
  /// What each cell, or pair of cells, shows, in logical order. A kept line break is a blank.
  package var clusters: [Cluster] {
    var clusters: [Cluster] = []
    clusters.reserveCapacity(width)
    forEachCluster { clusters.append($0) }
    return clusters
  }

  /// Calls `body` with each cluster, without keeping them all.
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

  /// Whether every byte is a character of one cell. Nothing else takes as many cells as bytes.
  package var isASCII: Bool { string.utf8.count == width }

  /// The text in at most `cells` cells; when it was cut, its last cell is "…".
  package func truncated(to cells: Int) -> SafeText {
    if width <= cells { return self }
    if cells <= 0 { return .empty }
    return prefix(cells: cells - 1) + SafeText(checked: "…", width: 1)
  }

  /// The text in exactly `cells` cells: cut, or filled with blanks at the end.
  package func padded(to cells: Int) -> SafeText {
    let cut = truncated(to: cells)
    return cut.width < cells ? cut + .blanks(cells - cut.width) : cut
  }

  /// The text in exactly `cells` cells: cut, or filled with blanks at the beginning.
  package func leftPadded(to cells: Int) -> SafeText {
    let cut = truncated(to: cells)
    return cut.width < cells ? .blanks(cells - cut.width) + cut : cut
  }

  /// As many whole clusters from the beginning as fit into `cells`.
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

  /// As many whole clusters at the end as fit into `cells`.
  package func suffix(cells: Int) -> SafeText {
    var rest = string.unicodeScalars[...]
    var used = width
    while used > cells, let first = rest.popFirst() {
      used -= first == "\n" ? 1 : CellWidth.of(first) ?? 1
    }
    // What has no cell of its own went with the scalar before it.
    if used < width { rest = rest.drop { CellWidth.of($0) == 0 } }
    return SafeText(checked: String(rest), width: used)
  }

  /// The end of the text in at most `cells` cells, with "…" before it where it is cut: what is typed
  /// stays in sight.
  package func tail(cells: Int) -> SafeText {
    width <= cells || cells < 2 ? suffix(cells: cells) : "…" + suffix(cells: cells - 1)
  }

  /// The lines between kept line breaks; one empty line for no text.
  package var lines: [SafeText] {
    guard string.utf8.contains(0x0A) else { return [self] }
    return string.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      SafeText(
        checked: String(line),
        width: line.unicodeScalars.reduce(0) { $0 + (CellWidth.of($1) ?? 1) })
    }
  }

  /// The text in lines of at most `cells` cells, broken between words where that is possible, and
  /// at kept line breaks. Blanks at a break go; a word longer than a line is cut into pieces.
  ///
  /// Between wide characters (Han, Kana) a line may break anywhere.
  package func wrapped(to cells: Int) -> [SafeText] {
    let isOneLine = !string.utf8.contains(0x0A)
    if width <= cells, isOneLine { return [self] }
    if cells <= 0 { return [] }
    return (isOneLine ? [self] : lines).flatMap { line -> [SafeText] in
      if line.width <= cells { return [line] }
      // Only a byte of ASCII takes as many cells as bytes.
      if line.width == line.string.utf8.count { return wrappedASCII(line.string, to: cells) }
      var wrapper = LineWrapper(cells: cells)
      line.forEachCluster { wrapper.take($0) }
      return wrapper.finish()
    }
  }
}

/// What ``LineWrapper`` does, for a line of ASCII: a long text is wrapped anew with each width that
/// a terminal is drawn to, so that its bytes are looked at in place.
private func wrappedASCII(_ line: String, to cells: Int) -> [SafeText] {
  let space = UInt8(ascii: " ")
  let bytes = Array(line.utf8)
  var finished: [SafeText] = []
  var start = 0
  // Behind the last blank of the line that begins at `start`; there without one.
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
  /// Clusters of `line` up to and with its last blank or wide character: where it may break.
  private var breakAt = 0

  init(cells: Int) { self.cells = cells }

  mutating func take(_ cluster: Cluster) {
    // A wide character never fits one column; its mark does.
    let cluster = cluster.width > cells ? Cluster(glyph: Glyph("…"), width: 1) : cluster
    if lineWidth + cluster.width > cells {
      if cluster.glyph == .space {
        flush(line.count)
        return
      }
      flush(breakAt > 0 && cluster.width == 1 ? breakAt : line.count)
    }
    // Blanks at the beginning of a continued line are what was left of a break.
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
