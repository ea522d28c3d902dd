import BellhopScreen

/// The meaning of bytes from a terminal, read from their start.
enum EscapeSequence {
  /// A sequence that needs more bytes.
  case incomplete
  case key(Key)
  /// A key, followed by bytes that start another sequence.
  case keys(Key, rest: [UInt8])
  /// A sequence that was cut off by the start of another one.
  case cutOff(rest: [UInt8])
  case mouse(MouseReport)
  case focus(Bool)
  case pasteBegin
  /// The terminal's answer to a query.
  case answer(TerminalAnswer)
  /// A complete sequence that the program does not use.
  case ignored

  /// Parses bytes that were incomplete without their last byte.
  static func parse(_ bytes: [UInt8]) -> EscapeSequence {
    guard let first = bytes.first else { return .ignored }
    guard first == Byte.escape else { return plain(bytes) }
    guard bytes.count > 1 else { return .incomplete }
    switch bytes[1] {
    case Byte.bracket: return control(bytes)
    case Byte.letterO: return single(bytes)
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"),
      UInt8(ascii: "X"):
      return string(bytes)
    case ..<0x20, 0x7F:
      // Escape and another key at the same instant. The second may start a sequence.
      return .keys(.escape, rest: Array(bytes.dropFirst()))
    default:  // open: UInt8
      switch plain(Array(bytes.dropFirst())) {
      case .key(.character(let character)): return .key(.alt(character))
      case .incomplete: return .incomplete
      case .cutOff(let rest): return .cutOff(rest: rest)
      case .key, .keys, .mouse, .focus, .pasteBegin, .answer, .ignored: return .ignored
      }
    }
  }

  // MARK: - Characters

  private static func plain(_ bytes: [UInt8]) -> EscapeSequence {
    switch bytes[0] {
    case 0x00: return .key(.control("@"))
    case 0x08, 0x7F: return .key(.backspace)
    case 0x09: return .key(.tab)
    case 0x0A, 0x0D: return .key(.enter)
    case 0x01...0x1A: return .key(.control(Character(Unicode.Scalar(bytes[0] + 0x60))))
    case 0x1C...0x1F: return .key(.control(Character(Unicode.Scalar(bytes[0] + 0x40))))
    case 0x20..<0x7F: return .key(.character(Character(Unicode.Scalar(bytes[0]))))
    default: return multibyte(bytes)  // open: UInt8
    }
  }

  /// Parses a UTF-8 character byte by byte.
  private static func multibyte(_ bytes: [UInt8]) -> EscapeSequence {
    let length: Int
    switch bytes[0] {
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF: length = 3
    case 0xF0...0xF4: length = 4
    default: return .ignored  // open: UInt8
    }
    if let stray = bytes.indices.dropFirst().first(where: { bytes[$0] & 0xC0 != 0x80 }) {
      // Not UTF-8. The byte that broke it may be a key.
      let rest = parse(Array(bytes[stray...]))
      if case .incomplete = rest { return .cutOff(rest: Array(bytes[stray...])) }
      return rest
    }
    guard bytes.count == length else { return .incomplete }
    guard let text = String(validating: bytes, as: UTF8.self), let character = text.first,
      !text.unicodeScalars.contains(where: { (0x80...0x9F).contains($0.value) })
    else { return .ignored }
    return .key(.character(character))
  }

  // MARK: - ESC [ and ESC O

  private static func control(_ bytes: [UInt8]) -> EscapeSequence {
    guard bytes.count > 2, let last = bytes.last else { return .incomplete }
    let body = bytes[2...]
    if last == Byte.escape {
      return body.count > 1 ? .cutOff(rest: [last]) : .keys(.escape, rest: [last])
    }
    // The Linux console: ESC [ [ A is F1.
    if body.first == Byte.bracket {
      guard body.count > 1 else { return .incomplete }
      return (0x41...0x45).contains(last) ? .key(.function(Int(last) - 0x40)) : .ignored
    }
    // The oldest mouse reports: three bytes after the M.
    if body.first == UInt8(ascii: "M") {
      guard body.count == 4 else { return .incomplete }
      let values = body.dropFirst().map { Int($0) - 32 }
      let isRelease = values[0] & 0b1100011 == 3
      return .mouse(
        MouseReport(
          code: isRelease ? values[0] & ~3 : values[0], column: values[1], row: values[2],
          isRelease: isRelease))
    }
    switch last {
    case 0x20...0x3F: return .incomplete
    case 0x40...0x7E: break
    default: return .ignored  // open: UInt8
    }
    return final(last, parameters: body.dropLast())
  }

  private static func final(_ last: UInt8, parameters: ArraySlice<UInt8>) -> EscapeSequence {
    if parameters.first == UInt8(ascii: "<") {
      let numbers = numbers(in: parameters.dropFirst())
      guard numbers.count == 3, last == UInt8(ascii: "M") || last == UInt8(ascii: "m") else {
        return .ignored
      }
      return .mouse(
        MouseReport(
          code: numbers[0], column: numbers[1], row: numbers[2], isRelease: last == 0x6D))
    }
    let numbers = numbers(in: parameters)
    switch last {
    case UInt8(ascii: "I") where parameters.isEmpty: return .focus(true)
    case UInt8(ascii: "O") where parameters.isEmpty: return .focus(false)
    case UInt8(ascii: "~"):
      if numbers.first == 200 { return .pasteBegin }
      return numbers.first.flatMap { numbered[$0] }.map { .key($0) } ?? .ignored
    case UInt8(ascii: "u"): return coded(numbers)
    default: break  // open: UInt8
    }
    if let answer = TerminalAnswer(final: last, parameters: parameters) { return .answer(answer) }
    // Answers to queries look similar, but start with another mark or end in a lowercase letter.
    let isPlain = parameters.isEmpty || (0x30...0x3B).contains(parameters[parameters.startIndex])
    guard isPlain, parameters.isEmpty || last < 0x60 else { return .ignored }
    return lettered[last].map { .key($0) } ?? .ignored
  }

  private static func single(_ bytes: [UInt8]) -> EscapeSequence {
    guard bytes.count > 2, let last = bytes.last else { return .incomplete }
    if (0x30...0x3B).contains(last) { return .incomplete }
    if last == Byte.escape {
      return bytes.count > 3 ? .cutOff(rest: [last]) : .keys(.escape, rest: [last])
    }
    if last == UInt8(ascii: "M") { return .key(.enter) }
    return lettered[last].map { .key($0) } ?? .ignored
  }

  /// Parses `ESC [ code ; modifiers u`, a key of newer protocols that a terminal may send unasked.
  private static func coded(_ numbers: [Int]) -> EscapeSequence {
    guard let code = numbers.first, code < 0x80, let byte = UInt8(exactly: code) else {
      return .ignored
    }
    let modifiers = (numbers.count > 1 ? numbers[1] : 1) - 1
    if byte == Byte.escape { return .key(.escape) }
    if byte == 0x09 { return .key(modifiers & 1 != 0 ? .backTab : .tab) }
    let letter = byte >= 0x40 ? byte & 0x1F : byte
    return plain([modifiers & 4 != 0 ? letter : byte])
  }

  /// Parses answers to queries (OSC, DCS and similar), which end with BEL or ESC \.
  private static func string(_ bytes: [UInt8]) -> EscapeSequence {
    guard bytes.count > 2, let last = bytes.last else { return .incomplete }
    // An operating system command starts with a number, so this was Alt and a bracket.
    if bytes.count == 3, bytes[1] == Byte.closingBracket, !(0x30...0x39).contains(last) {
      return .keys(.alt("]"), rest: [last])
    }
    let isBroken = bytes.count > 3 && bytes[bytes.count - 2] == Byte.escape
    if isBroken, last != UInt8(ascii: "\\") { return .cutOff(rest: [Byte.escape, last]) }
    guard isBroken || last == Byte.bell else { return .incomplete }
    return TerminalAnswer(string: bytes).map { .answer($0) } ?? .ignored
  }

  static func numbers(in parameters: ArraySlice<UInt8>) -> [Int] {
    parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { digits in
      var number = 0
      for digit in digits.prefix(6) where (0x30...0x39).contains(digit) {
        number = number * 10 + Int(digit) - 0x30
      }
      return number
    }
  }

  private static let lettered: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right,
    UInt8(ascii: "D"): .left, UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end,
    UInt8(ascii: "Z"): .backTab, UInt8(ascii: "P"): .function(1), UInt8(ascii: "Q"): .function(2),
    UInt8(ascii: "R"): .function(3), UInt8(ascii: "S"): .function(4),
    UInt8(ascii: "a"): .up, UInt8(ascii: "b"): .down, UInt8(ascii: "c"): .right,
    UInt8(ascii: "d"): .left,
  ]

  private static let numbered: [Int: Key] = {
    var keys: [Int: Key] = [
      1: .home, 2: .insert, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
    ]
    let functions = [
      11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34,
    ]
    for (index, code) in functions.enumerated() { keys[code] = .function(index + 1) }
    return keys
  }()
}
