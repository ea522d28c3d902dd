/// The place of a rule among those of its user, as a text that is compared by bytes.
///
/// The letters are the digits of a fraction in base 26, from a for 0. There is another fraction between
/// any two, so moving a rule changes no other rule.
public struct RuleOrder: RawRepresentable, Hashable, Sendable, Comparable {
  /// The text: 1 to ``bytesMax`` letters from a to z, of which the last is not a.
  public let rawValue: String

  /// The longest text. At the same place, it leaves room for more than a hundred moves.
  public static let bytesMax = 64
  /// The order of a first rule: the middle.
  public static let first = RuleOrder(digits: [base / 2])

  private static let base: UInt8 = 26
  private static let zero = UInt8(ascii: "a")

  /// Creates an order from its text; nil for any other text.
  public init?(rawValue: String) {
    let letters = rawValue.utf8
    guard (1...Self.bytesMax).contains(letters.count), letters.last != Self.zero,
      letters.allSatisfy({ (Self.zero..<Self.zero + Self.base).contains($0) })
    else { return nil }
    self.rawValue = rawValue
  }

  private init(digits: [UInt8]) {
    rawValue = String(decoding: digits.map { Self.zero + $0 }, as: UTF8.self)
  }

  private var digits: [UInt8] { rawValue.utf8.map { $0 - Self.zero } }

  public static func < (left: RuleOrder, right: RuleOrder) -> Bool {
    left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
  }

  /// Returns an order between two others; nil stands for the start or the end.
  ///
  /// Nil if the two are not in ascending order, or have no room between them. All rules then need new
  /// orders, such as those of ``evenly(_:)``.
  public static func between(_ low: RuleOrder?, _ high: RuleOrder?) -> RuleOrder? {
    if let low, let high, low >= high { return nil }
    let lowDigits = low?.digits ?? []
    var highDigits = high?.digits
    var digits: [UInt8] = []
    while digits.count < bytesMax {
      let place = digits.count
      let lower = place < lowDigits.count ? lowDigits[place] : 0
      let upper = highDigits.map { $0[place] } ?? base
      if upper - lower > 1 { return RuleOrder(digits: digits + [(lower + upper) / 2]) }
      if upper == lower {
        digits.append(lower)
      } else if let known = highDigits, known.count > place + 1 {
        return RuleOrder(digits: digits + [upper])
      } else {
        // From here on, any fraction above that of `low` is below `high`.
        digits.append(lower)
        highDigits = nil
      }
    }
    return nil
  }

  /// Returns this many orders, ascending and with equal room between them.
  public static func evenly(_ count: Int) -> [RuleOrder] {
    var places = 1
    var span = Int(base)
    while span <= count {
      places += 1
      span *= Int(base)
    }
    return (0..<count).map { index in
      var value = (index + 1) * span / (count + 1)
      var digits = Array(repeating: UInt8(0), count: places)
      for place in digits.indices.reversed() {
        digits[place] = UInt8(value % Int(base))
        value /= Int(base)
      }
      while digits.last == 0 { digits.removeLast() }
      return RuleOrder(digits: digits)
    }
  }
}

extension RuleOrder: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let order = RuleOrder(rawValue: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "expected 1 to \(Self.bytesMax) letters from a to z, not ending in a")
    }
    self = order
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
