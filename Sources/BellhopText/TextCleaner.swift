/// Converts untrusted text into safe text, one scalar at a time.
struct TextCleaner {
  /// The number of combining characters in a cell of ncurses, besides its spacing character.
  static let combiningMarksMax = 4
  private static let ellipsis = "…"
  private static let tabWidth = 8

  private let lineBreaks: SafeText.LineBreaks
  private let byteLimit: Int
  /// Whether composed emoji stay unchanged, for ``PrintedText``.
  private let keepsComposedEmoji: Bool

  /// The cleaned text in UTF-8.
  private var output: [UInt8] = []
  private var width = 0
  /// Bytes and cells of `output` at the last position where "…" still fits after it.
  private var cut = (bytes: 0, width: 0)
  /// The number of cells since the last line break, for tabs.
  private var column = 0
  private var combiningMarks = 0
  private var canCombine = false
  /// Whether the last visible scalar was a picture that a joiner or a skin tone may extend.
  private var afterPicture = false
  private var afterJoiner = false
  /// The first letter of a flag, until the next scalar shows whether a second one follows.
  private var flagLetter: Unicode.Scalar?
  private var pendingBreak = false
  private var afterCarriageReturn = false
  private var isFull = false

  init(lineBreaks: SafeText.LineBreaks, byteLimit: Int, keepsComposedEmoji: Bool = false) {
    self.lineBreaks = lineBreaks
    self.byteLimit = max(0, byteLimit)
    self.keepsComposedEmoji = keepsComposedEmoji
  }

  mutating func clean(_ untrusted: String) -> SafeText {
    var scalars = untrusted.unicodeScalars[...]
    while let last = scalars.last, last == "\n" || last == "\r" { scalars.removeLast() }
    if keepsComposedEmoji {
      takeWithEmoji(scalars)
    } else {
      for scalar in scalars {
        take(scalar)
        if isFull { break }
      }
    }
    endFlag()
    guard isFull else {
      return SafeText(checked: String(decoding: output, as: UTF8.self), width: width)
    }
    guard byteLimit >= Self.ellipsis.utf8.count else { return .empty }
    let head = String(decoding: output[..<cut.bytes], as: UTF8.self)
    return SafeText(checked: head + Self.ellipsis, width: cut.width + 1)
  }

  // MARK: - One scalar

  private mutating func take(_ scalar: Unicode.Scalar) {
    let letter = scalar.flagLetter
    if letter == nil { endFlag() }
    if isLineBreak(scalar) { return }
    if let letter { return flag(letter) }
    if afterJoiner {
      afterJoiner = false
      // The next picture of a family: the first one represents all of them.
      if scalar.isPicture { return }
    }
    switch scalar.value {
    case 0x200D:
      afterJoiner = afterPicture
    case 0x1F3FB...0x1F3FF:
      if !afterPicture { appendSpacing("■", width: 1) }
    case 0x00...0x1F:
      control(scalar)
    case 0x7F:
      appendSpacing("␡", width: 1)
    case 0x80...0x9F:
      appendSpacing("\u{FFFD}", width: 1)
    case 0x2028, 0x2029:
      appendSpacing("␤", width: 1)
    default:  // open: UInt32
      if !scalar.isInvisible { printable(scalar) }
    }
  }

  private mutating func takeWithEmoji(_ text: Substring.UnicodeScalarView) {
    var rest = text
    while !isFull, let scalar = rest.first {
      if let end = EmojiSequence.end(in: rest) {
        emoji(rest[..<end])
        rest = rest[end...]
      } else {
        take(scalar)
        rest.removeFirst()
      }
    }
  }

  /// Appends a composed emoji completely or not at all.
  private mutating func emoji(_ scalars: Substring.UnicodeScalarView) {
    // End a half flag, a line break or a joiner before it.
    endFlag()
    _ = isLineBreak(scalars[scalars.startIndex])
    afterJoiner = false
    let start = output.count
    for scalar in scalars where !isFull { append(scalar) }
    guard !isFull else { return output.removeSubrange(start...) }
    noteSpacing(width: 2)
  }

  private mutating func printable(_ scalar: Unicode.Scalar) {
    switch CellWidth.of(scalar) {
    case nil:
      appendSpacing("\u{FFFD}", width: 1)
    case 0:
      // A keycap becomes the character on its key.
      if scalar == "\u{20E3}", endsInKey { return }
      appendCombining(scalar)
    case let width?:
      appendSpacing(scalar, width: width)
      afterPicture = scalar.isPicture
    }
  }

  /// Whether the last visible scalar is a character that can have a keycap.
  private var endsInKey: Bool { output.last.map { Unicode.Scalar($0).hasKeycap } ?? false }

  /// Combines two letters in a row into a flag: the region code in brackets.
  private mutating func flag(_ letter: Unicode.Scalar) {
    afterJoiner = false
    guard let first = flagLetter else {
      flagLetter = letter
      return
    }
    flagLetter = nil
    // Call `noteCut` once for all four, so that a limit never separates them.
    append("[")
    append(first)
    append(letter)
    appendSpacing("]", width: 4)
  }

  /// Appends the single letter of an incomplete flag.
  private mutating func endFlag() {
    guard let letter = flagLetter, !isFull else { return }
    flagLetter = nil
    appendSpacing(letter, width: 1)
  }

  private mutating func control(_ scalar: Unicode.Scalar) {
    if scalar == "\t", lineBreaks != .removed {
      let blanks = lineBreaks == .kept ? Self.tabWidth - column % Self.tabWidth : 1
      for _ in 0..<blanks where !isFull { appendSpacing(" ", width: 1) }
      return
    }
    appendSpacing(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}", width: 1)
  }

  /// Handles LF, CR and CRLF.
  ///
  /// - Returns: true if `scalar` was a line break or a part of one.
  private mutating func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
    let isPair = scalar == "\n" && afterCarriageReturn
    afterCarriageReturn = scalar == "\r"
    guard scalar == "\n" || scalar == "\r" else {
      if pendingBreak, !(lineBreaks == .joined && (scalar == " " || scalar == "\t")) {
        pendingBreak = false
        if let last = output.last, last != 0x20 { appendSpacing(" ", width: 1) }
      }
      return lineBreaks == .joined && pendingBreak
    }
    if isPair { return true }
    switch lineBreaks {
    case .removed:
      appendSpacing(scalar == "\n" ? "␊" : "␍", width: 1)
    case .joined:
      while output.last == 0x20 {
        output.removeLast()
        width -= 1
      }
      cut = cut.bytes > output.count ? (output.count, width) : cut
      pendingBreak = true
      canCombine = false
    case .kept:
      appendSpacing("\n", width: 1)
      column = 0
      canCombine = false
    }
    return true
  }

  // MARK: - Output

  private mutating func appendSpacing(_ scalar: Unicode.Scalar, width cells: Int) {
    append(scalar)
    guard !isFull else { return }
    noteSpacing(width: cells)
  }

  /// Updates the state after a spacing character of `cells` cells.
  private mutating func noteSpacing(width cells: Int) {
    width += cells
    column += cells
    combiningMarks = 0
    canCombine = true
    afterPicture = false
    noteCut()
  }

  private mutating func appendCombining(_ scalar: Unicode.Scalar) {
    // A mark without a base character would join whatever another field has drawn before it.
    if !canCombine { appendSpacing("\u{25CC}", width: 1) }
    guard !isFull, combiningMarks < Self.combiningMarksMax else { return }
    append(scalar)
    guard !isFull else { return }
    combiningMarks += 1
    noteCut()
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    guard let encoded = UTF8.encode(scalar), output.count + encoded.count <= byteLimit else {
      isFull = true
      return
    }
    output.append(contentsOf: encoded)
  }

  /// Remembers the end of `output` while the ellipsis still fits after it.
  private mutating func noteCut() {
    if output.count + Self.ellipsis.utf8.count <= byteLimit { cut = (output.count, width) }
  }
}

extension Unicode.Scalar {
  /// The letter of a regional indicator; two of them form a flag.
  var flagLetter: Unicode.Scalar? {
    guard (0x1F1E6...0x1F1FF).contains(value) else { return nil }
    return Unicode.Scalar(value - 0x1F1E6 + 0x41)
  }

  /// Whether zero-width joiners and skin tones can attach to the scalar.
  ///
  /// Digits, `#` and `*` do not count.
  var isPicture: Bool {
    value >= 0xA9 && properties.isEmoji
  }

  /// Whether the scalar draws nothing, or changes how other text is drawn.
  ///
  /// Controls of direction and shape, joiners, fillers, tags, variation selectors, byte-order
  /// marks, soft hyphens, annotation anchors.
  var isInvisible: Bool {
    guard value >= 0xAD else { return false }
    if properties.isDefaultIgnorableCodePoint { return true }
    switch value {
    case 0xFFF9...0xFFFB, 0xE0000...0xE0FFF: return true
    default:  // open: UInt32
      return properties.generalCategory == .format && CellWidth.of(self) == 0
    }
  }
}
