extension MarkdownDocument {
  /// Lays the document out in lines of at most `width` cells.
  ///
  /// Code is cut at the width instead of being wrapped. A margin that leaves no space for words is
  /// omitted. There is no empty line at the end.
  ///
  /// - Parameters:
  ///   - indentation: The indentation of everything except headings, in cells; omitted unless most
  ///     of the width remains.
  ///   - cutsCode: Whether code is cut. Otherwise its lines may be wider.
  package func lines(width: Int, indentation: Int = 0, cutsCode: Bool = true) -> [Text] {
    guard width > 0 else { return [] }
    let indentation = indentation * 4 <= width ? indentation : 0
    let blanks = SafeText.blanks(indentation)
    var lines: [Text] = []
    for block in blocks {
      switch block {
      case .heading(_, let text): lines += text.wrapped(to: width)
      case .blank: if let last = lines.last, !last.isEmpty { lines.append(Text()) }
      case .paragraph, .code, .table, .rule:
        let codeWidth = cutsCode ? width - indentation : .max
        lines += Self.lines(of: block, width: width - indentation, codeWidth: codeWidth).map {
          line in
          line.pieces.reduce(into: Text(line.isEmpty ? .empty : blanks, .text)) {
            $0.append($1.text, $1.role)
          }
        }
      }
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  private static func lines(of block: Block, width: Int, codeWidth: Int) -> [Text] {
    switch block {
    case .heading(_, let text): return text.wrapped(to: width)
    case .paragraph(let texts, var margin):
      let fits = (margin.first?.text.width ?? 0) + 4 <= width
      return texts.flatMap { text in
        defer { margin.first = margin.rest }
        return text.wrapped(
          to: width, first: fits ? margin.first : nil, rest: fits ? margin.rest : nil)
      }
    case .code(let code): return code.flatMap { cut($0, width: codeWidth) }
    case .table(let rows): return TableLayout(rows, width: width).lines
    case .rule: return [Text(SafeText(String(repeating: "─", count: width)), .rule)]
    case .blank: return []
    }
  }

  private static func cut(_ code: SafeText, width: Int) -> [Text] {
    var lines: [Text] = []
    var rest = code
    repeat {
      let part = rest.prefix(cells: max(1, width - 2))
      lines.append(Text("  " + part, .code))
      guard part.width > 0 else { break }
      rest = SafeText(
        String(rest.string.unicodeScalars.dropFirst(part.string.unicodeScalars.count)),
        byteLimit: SafeText.bodyBytesMax)
    } while !rest.isEmpty
    return lines
  }
}

/// The layout of a table: columns as wide as their texts, narrowed until they fit.
private struct TableLayout {
  typealias Text = MarkdownDocument.Text

  private let rows: [[Text]]
  private let widths: [Int]
  private let width: Int

  /// The number of cells between two columns.
  private static let gap = 2

  init(_ rows: [[Text]], width: Int) {
    self.rows = rows
    self.width = width
    let count = rows.map(\.count).max() ?? 0
    var widths = [Int](repeating: 1, count: count)
    var longestWords = widths
    for row in rows {
      for (column, cell) in row.enumerated() {
        widths[column] = max(widths[column], cell.width)
        longestWords[column] = max(longestWords[column], Self.longestWord(of: cell))
      }
    }
    let room = max(count, width - Self.gap * (count - 1))
    while widths.reduce(0, +) > room {
      // Columns whose words stay whole come first.
      let columns = widths.indices.filter { widths[$0] > longestWords[$0] }
      guard
        let widest = (columns.isEmpty ? Array(widths.indices) : columns)
          .max(by: { widths[$0] < widths[$1] }), widths[widest] > 1
      else { break }
      widths[widest] -= 1
    }
    self.widths = widths
  }

  private static func longestWord(of cell: Text) -> Int {
    SafeText.joined(cell.pieces.map(\.text), by: .empty).string.split(separator: " ")
      .map { SafeText(String($0)).width }.max() ?? 0
  }

  /// The lines, with a rule below the header.
  var lines: [Text] {
    guard let header = rows.first else { return [] }
    let hasTitles = header.contains { !$0.isEmpty }
    let total = widths.reduce(0, +) + Self.gap * (widths.count - 1)
    guard total <= width else { return rows.flatMap { $0.flatMap { $0.wrapped(to: width) } } }
    let titles = hasTitles ? row(header.map(Self.strong)) : []
    let rule = Text(SafeText(String(repeating: "─", count: total)), .rule)
    return titles + (hasTitles ? [rule] : []) + rows.dropFirst().flatMap(row)
  }

  private static func strong(_ text: Text) -> Text {
    text.pieces.reduce(into: Text()) {
      $0.append($1.text, $1.role == .text ? .strong : $1.role)
    }
  }

  /// Returns the lines of a row; the last column is not padded.
  private func row(_ cells: [Text]) -> [Text] {
    let wrapped = cells.enumerated().map { column, cell in cell.wrapped(to: widths[column]) }
    return (0..<(wrapped.map(\.count).max() ?? 0)).map { index in
      var line = Text()
      var start = 0
      for (column, lines) in wrapped.enumerated() {
        if lines.indices.contains(index), !lines[index].isEmpty {
          line.append(.blanks(start - line.width), .text)
          for piece in lines[index].pieces { line.append(piece.text, piece.role) }
        }
        start += widths[column] + Self.gap
      }
      return line
    }
  }
}
