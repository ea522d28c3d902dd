import BellhopScreen
import BellhopText
import CNcurses

/// A conversion of characters for the locale: unchanged in UTF-8, otherwise to ASCII marks.
struct Transliteration {
  let isUTF8: Bool
  /// Whether a locale other than UTF-8 has the character, in one cell.
  let canShow: (Unicode.Scalar) -> Bool

  /// Converts a row for CNcurses: one cluster for each cell or pair of cells.
  ///
  /// - Parameter paint: Sets colours of a cluster that do not come from a style.
  func clusters(
    _ row: ArraySlice<Cell>, style: (Cell) -> UInt8,
    paint: (Paint, inout cn_cluster) -> Void = { _, _ in }
  ) -> [cn_cluster] {
    var clusters: [cn_cluster] = []
    clusters.reserveCapacity(row.count)
    var index = row.startIndex
    func text(_ index: Int) -> String? { row.indices.contains(index) ? row[index].text : nil }
    while index < row.endIndex {
      let cell = row[index]
      let next = index + 1 < row.endIndex ? row[index + 1] : nil
      let isWide = next?.isContinuation == true
      var cluster = cn_cluster()
      cluster.width = isWide ? 2 : 1
      cluster.style = style(cell)
      if let own = cell.paint { paint(own, &cluster) }
      if let ascii = cell.glyph.ascii {
        // The usual case; avoids a list of scalars per cell.
        cluster.count = 1
        cluster.scalars.0 = Int32(ascii)
      } else {
        cluster.set(scalars(of: cell.glyph))
      }
      clusters.append(cluster)
      index += isWide ? 2 : 1
      guard !isUTF8, cell.text == "‼" else { continue }
      // In ASCII, the urgency mark takes a second cell: the blank after it, unless that separates
      // it from a word, otherwise the blank before it.
      if next?.glyph == .space, text(index + 1) == " " || text(index + 1) == "+" {
        clusters.append(cluster)
        index += 1
      } else if index - 2 >= row.startIndex, row[index - 2].glyph == .space {
        clusters[clusters.count - 2] = cluster
      }
    }
    return clusters
  }

  private func scalars(of glyph: Glyph) -> [Unicode.Scalar] {
    let scalars = (0..<glyph.count).map { glyph[$0] }
    if isUTF8 || scalars.allSatisfy(\.isASCII) { return scalars }
    // CNcurses repeats a mark that is narrower than its cells.
    return [mark(for: scalars.first ?? " ")]
  }

  /// Converts the text of the window title.
  func text(_ text: SafeText) -> String {
    if isUTF8 { return text.string }
    var result = ""
    text.forEachCluster { cluster in
      let first = cluster.glyph[0]
      result.unicodeScalars.append(first.isASCII ? first : mark(for: first))
    }
    return result
  }

  private func mark(for scalar: Unicode.Scalar) -> Unicode.Scalar {
    if let mark = Self.asciiMarks[scalar] { return mark }
    // Symbols of control characters.
    if (0x2400...0x2426).contains(scalar.value) { return "^" }
    return canShow(scalar) ? scalar : "?"
  }

  /// The program's own marks in ASCII: `* o v > z` for states, `!! ! ~` for levels.
  private static let asciiMarks: [Unicode.Scalar: Unicode.Scalar] = [
    "●": "*", "○": "o", "✓": "v", "»": ">", "‼": "!", "↓": "~", "◐": "*", "✗": "x",
    "▌": ">", "▏": ">", "│": "|", "─": "-", "┌": "+", "┐": "+", "└": "`", "┘": "+", "├": "+",
    "┤": "+", "┬": "+", "┴": "+", "┼": "+", "…": "~", "▸": "+", "▾": "-", "·": "-", "•": "*",
    "→": ">", "←": "<", "↑": "^", "—": "-", "–": "-", "’": "'", "‘": "'", "“": "\"", "”": "\"",
    "▁": "_", "▂": ".", "▃": ":", "▄": "-", "▅": "=", "▆": "+", "▇": "*", "█": "#", "°": "o",
    "\u{FFFD}": "?", "×": "x", "■": "#", "▤": "&",
  ]
}

extension cn_cluster {
  /// Stores at most five scalars.
  fileprivate mutating func set(_ values: [Unicode.Scalar]) {
    count = UInt8(values.count)
    withUnsafeMutableBytes(of: &scalars) { bytes in
      let places = bytes.bindMemory(to: Int32.self)
      for (place, scalar) in zip(places.indices, values) {
        places[place] = Int32(bitPattern: scalar.value)
      }
    }
  }
}
