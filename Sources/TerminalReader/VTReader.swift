import BellhopText

/// A strict reader of a program's terminal output.
///
/// Keeps the grid of cells and records every sequence that is not on its short list or would leave
/// the screen.
package struct VTReader: Sendable {
  package private(set) var columns: Int
  package private(set) var rows: Int
  /// The first sequences that are not allowed.
  package private(set) var violations: [String] = []
  package private(set) var title = ""
  /// The active private modes; initially those of a fresh terminal: 7 wraps lines, 25 shows the
  /// cursor.
  package private(set) var modes: Set<Int> = freshModes
  package static let freshModes: Set<Int> = [7, 25]
  package private(set) var cursor = (x: 0, y: 0)
  package private(set) var bells = 0
  /// The number of desktop notifications or parts of them.
  package private(set) var notifications = 0

  /// The reader of the pictures, with its own rules.
  package private(set) var graphics: GraphicsReader

  private var grid: [[String]]
  /// The byte that started a string sequence.
  private var stringKind: UInt8 = 0
  private var state = State.ground
  private var sequence: [UInt8] = []
  private var character: [UInt8] = []
  /// Whether the last column was written, so that the next character goes to the next line.
  private var wrapsNext = false
  private var lastPrinted: Unicode.Scalar = " "
  private var saved = (x: 0, y: 0)
  private var scrollRegion: ClosedRange<Int>

  private enum State { case ground, escape, control, string, charset }

  /// - Parameter cell: The size of a cell in pixels.
  package init(columns: Int, rows: Int, cell: (width: Int, height: Int) = (10, 20)) {
    graphics = GraphicsReader(cell: cell)
    self.columns = columns
    self.rows = rows
    grid = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    scrollRegion = 0...(rows - 1)
  }

  /// The screen's lines, without trailing blanks.
  package var lines: [String] {
    grid.map { row in
      var line = row.joined()
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// Returns the character in a cell; empty for the second half of a wide character.
  package func cell(x: Int, y: Int) -> String { grid[y][x] }

  /// Resizes the terminal's window and keeps the content that fits.
  package mutating func resize(columns: Int, rows: Int) {
    var new = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    for y in 0..<min(rows, self.rows) {
      for x in 0..<min(columns, self.columns) { new[y][x] = grid[y][x] }
    }
    grid = new
    graphics.resize(columns: columns, rows: rows)
    self.columns = columns
    self.rows = rows
    cursor = (min(cursor.x, columns - 1), min(cursor.y, rows - 1))
    scrollRegion = 0...(rows - 1)
    wrapsNext = false
  }

  /// Reads output of the program.
  package mutating func read(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { read(byte) }
  }

  private mutating func complain(_ what: String) {
    if violations.count < 20 { violations.append(what) }
  }

  private mutating func read(_ byte: UInt8) {
    switch state {
    case .ground: readPlain(byte)
    case .escape: readEscape(byte)
    case .charset:
      state = .ground
      if byte != UInt8(ascii: "B"), byte != UInt8(ascii: "0") { complain("ESC ( \(byte)") }
    case .control:
      if (0x40...0x7E).contains(byte) {
        state = .ground
        control(final: Character(Unicode.Scalar(byte)))
      } else if (0x20...0x3F).contains(byte), sequence.count < 64 {
        sequence.append(byte)
      } else {
        complain("ESC [ \(String(decoding: sequence, as: UTF8.self)) then byte \(byte)")
        state = .ground
      }
    case .string:
      readString(byte)
    }
  }

  // MARK: - Characters

  private mutating func readPlain(_ byte: UInt8) {
    if !character.isEmpty || byte >= 0x80 {
      character.append(byte)
      readMultibyte()
      return
    }
    switch byte {
    case 0x1B: state = .escape
    case 0x07: bells += 1
    case 0x08: moveTo(x: cursor.x - 1, y: cursor.y)
    case 0x09: moveTo(x: min((cursor.x / 8 + 1) * 8, columns - 1), y: cursor.y)
    case 0x0A: lineFeed()
    case 0x0D: moveTo(x: 0, y: cursor.y)
    case 0x20..<0x7F: print(Unicode.Scalar(byte))
    default: complain("control byte \(byte)")  // open: UInt8
    }
  }

  private mutating func readMultibyte() {
    let wanted: Int
    switch character[0] {
    case 0xC2...0xDF: wanted = 2
    case 0xE0...0xEF: wanted = 3
    case 0xF0...0xF4: wanted = 4
    default:  // open: UInt8
      complain("byte \(character[0]) is not UTF-8")
      character = []
      return
    }
    guard character.count == wanted else { return }
    defer { character = [] }
    guard let text = String(validating: character, as: UTF8.self),
      let scalar = text.unicodeScalars.first
    else { return complain("bytes \(character) are not UTF-8") }
    print(scalar)
  }

  private mutating func print(_ scalar: Unicode.Scalar) {
    guard let width = CellWidth.of(scalar) else {
      return complain("U+\(String(scalar.value, radix: 16)) is nothing to print")
    }
    if width == 0 { return combine(scalar) }
    if wrapsNext { wrap() }
    if cursor.x + width > columns {
      complain("a wide character in the last column of line \(cursor.y)")
      return
    }
    erase(cursor.x..<(cursor.x + width), y: cursor.y)
    grid[cursor.y][cursor.x] = String(scalar)
    if width == 2 { grid[cursor.y][cursor.x + 1] = "" }
    lastPrinted = scalar
    cursor.x += width
    if cursor.x == columns {
      cursor.x -= 1
      wrapsNext = true
    }
  }

  private mutating func combine(_ scalar: Unicode.Scalar) {
    var x = wrapsNext ? cursor.x : cursor.x - 1
    if x >= 0, grid[cursor.y][x].isEmpty { x -= 1 }
    guard x >= 0 else { return complain("a combining mark with nothing before it") }
    grid[cursor.y][x].unicodeScalars.append(scalar)
    if grid[cursor.y][x].unicodeScalars.count > 5 { complain("more than 4 combining marks") }
  }

  private mutating func wrap() {
    wrapsNext = false
    cursor.x = 0
    if cursor.y == rows - 1 { complain("text ran out of the screen at its end") }
    cursor.y = min(cursor.y + 1, rows - 1)
  }

  /// Blanks cells and the other halves of wide characters.
  private mutating func erase(_ range: Range<Int>, y: Int) {
    guard let first = range.first, let last = range.last, last < columns else { return }
    if grid[y][first].isEmpty { grid[y][first - 1] = " " }
    if last + 1 < columns, grid[y][last + 1].isEmpty { grid[y][last + 1] = " " }
    for x in range {
      grid[y][x] = " "
      graphics.cover(x: x, y: y)
    }
  }

  private mutating func lineFeed() {
    wrapsNext = false
    if cursor.y == scrollRegion.upperBound {
      scroll(up: true, count: 1)
    } else {
      moveTo(x: cursor.x, y: cursor.y + 1)
    }
  }

  private mutating func scroll(up: Bool, count: Int) {
    for _ in 0..<min(count, rows) {
      grid.remove(at: up ? scrollRegion.lowerBound : scrollRegion.upperBound)
      grid.insert(
        Array(repeating: " ", count: columns),
        at: up ? scrollRegion.upperBound : scrollRegion.lowerBound)
    }
  }

  private mutating func moveTo(x: Int, y: Int) {
    wrapsNext = false
    if x < 0 || x >= columns || y < 0 || y >= rows {
      complain("the cursor went to column \(x), line \(y) of \(columns)×\(rows)")
    }
    cursor = (min(max(0, x), columns - 1), min(max(0, y), rows - 1))
  }

  // MARK: - Sequences

  private mutating func readEscape(_ byte: UInt8) {
    state = .ground
    sequence = []
    switch Character(Unicode.Scalar(byte)) {
    case "[": state = .control
    case "]", "P", "_":
      state = .string
      stringKind = byte
    case "(": state = .charset
    case "7": saved = cursor
    case "8": moveTo(x: saved.x, y: saved.y)
    case "M":
      if cursor.y == scrollRegion.lowerBound {
        scroll(up: false, count: 1)
      } else {
        moveTo(x: cursor.x, y: cursor.y - 1)
      }
    case "=", ">", "\\": break
    default: complain("ESC \(Character(Unicode.Scalar(byte)))")  // open: Character
    }
  }

  /// The prefixes of notifications, compared as bytes: a combining mark would join the semicolon.
  private static let notificationStarts = ["9;", "777;notify;", "99;i="]

  private mutating func readString(_ byte: UInt8) {
    let isEnd = byte == 0x07 || (byte == UInt8(ascii: "\\") && sequence.last == 0x1B)
    guard isEnd else {
      sequence.append(byte)
      if sequence.count > (stringKind == UInt8(ascii: "P") ? GraphicsReader.bytesMax : 20_000) {
        complain("a string sequence without an end")
        state = .ground
      }
      return
    }
    state = .ground
    // The end may be two bytes, the first of which is here.
    let isLong = byte != 0x07
    if stringKind == UInt8(ascii: "_") || sequence.starts(with: "0;1;0q".utf8) {
      return readPicture(isLong ? Array(sequence.dropLast()) : [])
    }
    let text = String(decoding: isLong ? sequence.dropLast() : sequence[...], as: UTF8.self)
    if sequence.starts(with: "2;".utf8) {
      title = String(text.unicodeScalars.dropFirst(2))
      let isClean = title.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
      if !isClean { complain("a control character in the title") }
    } else if Self.notificationStarts.contains(where: { sequence.starts(with: $0.utf8) }) {
      notifications += 1
      let isClean = text.unicodeScalars.allSatisfy {
        $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
      }
      if !isClean { complain("a control character in a notification") }
    } else if !text.hasPrefix("52;c;"), !text.hasPrefix("tmux;"), text != "11;?" {
      complain("the string sequence \(text.debugDescription)")
    }
  }

  private mutating func readPicture(_ bytes: [UInt8]) {
    let problem =
      if stringKind == UInt8(ascii: "_") {
        graphics.read(application: bytes, cursor: cursor, screen: (columns, rows))
      } else if stringKind == UInt8(ascii: "P") {
        graphics.read(sixels: bytes, cursor: cursor, screen: (columns, rows))
      } else {
        "a picture in an operating system command" as String?
      }
    if let problem { complain(problem) }
    // Terminals do not agree on the cursor position after sixels.
    wrapsNext = false
  }

  private mutating func control(final: Character) {
    let text = String(decoding: sequence, as: UTF8.self)
    let isPrivate = text.hasPrefix("?")
    let numbers = text.drop { $0 == "?" }.split(separator: ";", omittingEmptySubsequences: false)
      .map { Int($0) ?? 0 }
    let first = numbers.first ?? 0
    let count = max(1, first)
    switch (final, isPrivate) {
    case ("h", true), ("l", true): setModes(numbers, isOn: final == "h")
    case ("h", false), ("l", false):
      // Insert mode is switched off at the start.
      if numbers != [4] || final == "h" { complain("ESC [ \(text) \(final)") }
    case ("S", true) where text == "?1;1;0": break  // The number of sixel colours.
    case ("c", false) where text.isEmpty: break  // The terminal's attributes.
    case (_, true): complain("ESC [ \(text) \(final)")
    case ("m", _): style(numbers)
    case ("t", _):
      // The title and the size of a cell.
      if ![22, 23].contains(first), text != "16" { complain("ESC [ \(text) t") }
    case ("r", _):
      let bottom = numbers.count > 1 && numbers[1] > 0 ? numbers[1] : rows
      guard count <= bottom, bottom <= rows else { return complain("ESC [ \(text) r") }
      scrollRegion = (count - 1)...(bottom - 1)
      moveTo(x: 0, y: 0)
    default:  // open: (Character, Bool)
      if !move(final, count: count, numbers: numbers), !edit(final, count: count, kind: first) {
        complain("ESC [ \(text) \(final)")
      }
    }
  }

  private mutating func move(_ final: Character, count: Int, numbers: [Int]) -> Bool {
    switch final {
    case "H", "f": moveTo(x: max(1, numbers.count > 1 ? numbers[1] : 1) - 1, y: count - 1)
    case "A": moveTo(x: cursor.x, y: cursor.y - count)
    case "B": moveTo(x: cursor.x, y: cursor.y + count)
    case "C": moveTo(x: cursor.x + count, y: cursor.y)
    case "D": moveTo(x: cursor.x - count, y: cursor.y)
    case "G": moveTo(x: count - 1, y: cursor.y)
    case "d": moveTo(x: cursor.x, y: count - 1)
    default: return false  // open: Character
    }
    return true
  }

  private mutating func edit(_ final: Character, count: Int, kind: Int) -> Bool {
    let rest = columns - cursor.x
    switch final {
    case "J": eraseDisplay(kind)
    case "K":
      erase(
        kind == 0 ? cursor.x..<columns : kind == 1 ? 0..<(cursor.x + 1) : 0..<columns, y: cursor.y)
    case "X": erase(cursor.x..<(cursor.x + min(count, rest)), y: cursor.y)
    case "P":
      let removed = min(count, rest)
      erase(cursor.x..<(cursor.x + removed), y: cursor.y)
      grid[cursor.y].removeSubrange(cursor.x..<(cursor.x + removed))
      grid[cursor.y] += Array(repeating: " ", count: removed)
    case "@":
      let added = min(count, rest)
      erase((columns - added)..<columns, y: cursor.y)
      grid[cursor.y].removeLast(added)
      grid[cursor.y].insert(contentsOf: Array(repeating: " ", count: added), at: cursor.x)
    case "b": for _ in 0..<count { print(lastPrinted) }
    case "L", "M":
      let region = scrollRegion
      scrollRegion = cursor.y...region.upperBound
      scroll(up: final == "M", count: count)
      scrollRegion = region
    case "S", "T": scroll(up: final == "S", count: count)
    default: return false  // open: Character
    }
    wrapsNext = false
    return true
  }

  private mutating func eraseDisplay(_ kind: Int) {
    if kind == 0 { erase(cursor.x..<columns, y: cursor.y) }
    if kind == 1 { erase(0..<(cursor.x + 1), y: cursor.y) }
    let whole = kind == 0 ? (cursor.y + 1)..<rows : kind == 1 ? 0..<cursor.y : 0..<rows
    for y in whole { erase(0..<columns, y: y) }
  }

  private mutating func setModes(_ numbers: [Int], isOn: Bool) {
    for number in numbers {
      // Cursor keys, wrap, blink, cursor, mouse, focus, alternate screen, paste, dark or light.
      if ![1, 7, 12, 25, 1000, 1002, 1004, 1006, 1049, 2004, 2031].contains(number) {
        complain("ESC [ ? \(number)")
      }
      if isOn { modes.insert(number) } else { modes.remove(number) }
      if number == 1049, isOn { eraseDisplay(2) }
    }
  }

  private mutating func style(_ numbers: [Int]) {
    var rest = numbers[...]
    while let number = rest.popFirst() {
      switch number {
      case 38, 48:
        let kind = rest.popFirst()
        guard kind == 5 || kind == 2, rest.count >= (kind == 5 ? 1 : 3) else {
          return complain("ESC [ \(numbers) m")
        }
        rest = rest.dropFirst(kind == 5 ? 1 : 3)
      case 0...4, 7, 22...24, 27, 30...37, 39, 40...47, 49, 90...97, 100...107: break
      default: complain("ESC [ \(numbers) m")  // open: Int
      }
    }
  }
}
