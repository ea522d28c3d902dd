/// A set of Unicode scalars, such as a class in brackets.
struct ScalarSet: Sendable {
  /// A part of a class, as it is written.
  enum Part: Sendable {
    case range(ClosedRange<Unicode.Scalar>)
    case property(ScalarProperty, isNegated: Bool)

    static func scalar(_ scalar: Unicode.Scalar) -> Part { .range(scalar...scalar) }
  }

  /// The members below U+0080, so that most texts are compared with one look-up.
  let ascii: ASCIISet
  private let listed: Listed
  private let isNegated: Bool

  /// Creates the set of the scalars in one of the parts; if negated, that of all others.
  ///
  /// A set that ignores case has a scalar if one of its ``ScalarForms`` is in a part.
  init(_ parts: [Part], isNegated: Bool = false, ignoringCase: Bool) {
    listed = Listed(parts, ignoringCase: ignoringCase)
    self.isNegated = isNegated
    var ascii = ASCIISet()
    for value in 0..<ASCIISet.count {
      let scalar = Unicode.Scalar(value)
      let forms = ScalarForms(scalar, ignoringCase: ignoringCase)
      if listed.contains(forms) != isNegated { ascii.insert(scalar) }
    }
    self.ascii = ascii
  }

  func contains(_ forms: ScalarForms) -> Bool {
    listed.contains(forms) != isNegated
  }

  /// The parts of a class, in a form for fast look-ups.
  private struct Listed: Sendable {
    /// In ascending order, without overlaps.
    var ranges: [ClosedRange<Unicode.Scalar>] = []
    var properties: [(property: ScalarProperty, isNegated: Bool)] = []

    init(_ parts: [Part], ignoringCase: Bool) {
      var given: [ClosedRange<Unicode.Scalar>] = []
      for part in parts {
        switch part {
        case .property(let property, let isNegated): properties.append((property, isNegated))
        case .range(let range):
          given.append(range)
          if ignoringCase, range.lowerBound == range.upperBound {
            given.append(range.lowerBound.folded...range.lowerBound.folded)
          }
        }
      }
      for range in given.sorted(by: { $0.lowerBound < $1.lowerBound }) {
        if let last = ranges.last, range.lowerBound <= last.upperBound {
          ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
        } else {
          ranges.append(range)
        }
      }
    }

    func contains(_ forms: ScalarForms) -> Bool {
      if hasRange(with: forms.original) { return true }
      if forms.folded != forms.original, hasRange(with: forms.folded) { return true }
      if forms.upper != forms.original, hasRange(with: forms.upper) { return true }
      return properties.contains { $0.property.contains(forms.original) != $0.isNegated }
    }

    private func hasRange(with scalar: Unicode.Scalar) -> Bool {
      var candidates = 0..<ranges.count
      while !candidates.isEmpty {
        let middle = candidates.lowerBound + candidates.count / 2
        if scalar < ranges[middle].lowerBound {
          candidates = candidates.lowerBound..<middle
        } else if scalar > ranges[middle].upperBound {
          candidates = middle + 1..<candidates.upperBound
        } else {
          return true
        }
      }
      return false
    }
  }
}

/// The properties with a short escape, by UTS #18, Annex C: Compatibility Properties.
///
/// See [Unicode Regular Expressions](https://www.unicode.org/reports/tr18/#Compatibility_Properties).
enum ScalarProperty: Sendable {
  /// `\d`: a decimal digit of any script.
  case digit
  /// `\w`: a letter, mark or decimal digit of any script, or a connector such as `_`.
  case word
  /// `\s`: white space, with the ends of lines.
  case space

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    switch self {
    case .digit: return properties.generalCategory == .decimalNumber
    case .space: return properties.isWhitespace
    case .word:
      if properties.isAlphabetic || properties.isJoinControl { return true }
      return switch properties.generalCategory {
      case .decimalNumber, .connectorPunctuation, .nonspacingMark, .spacingMark, .enclosingMark:
        true
      default: false  // open: Unicode.GeneralCategory
      }
    }
  }
}

/// A set of ASCII scalars.
struct ASCIISet: Hashable, Sendable {
  /// The number of ASCII scalars.
  static let count: UInt8 = 128

  private var bits: UInt128 = 0

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII && bits >> UInt128(scalar.value) & 1 == 1
  }

  /// Adds a scalar. Those that are not ASCII have no effect.
  mutating func insert(_ scalar: Unicode.Scalar) {
    if scalar.isASCII { bits |= 1 << UInt128(scalar.value) }
  }

  /// Adds a folded scalar; if case is ignored, with its upper-case form.
  mutating func insert(_ scalar: Unicode.Scalar, ignoringCase: Bool) {
    insert(scalar)
    if ignoringCase { insert(scalar.simpleUpper) }
  }

  mutating func formUnion(_ other: ASCIISet) { bits |= other.bits }
}
