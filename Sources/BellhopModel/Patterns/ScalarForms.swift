/// A scalar of a text with the forms that count as equal to it.
struct ScalarForms: Sendable {
  let original: Unicode.Scalar
  /// The form by which scalars are compared.
  let folded: Unicode.Scalar
  /// The upper-case form of the folded one, for ranges such as `A-Z`.
  let upper: Unicode.Scalar

  /// Creates the forms; if case counts, all are the scalar itself.
  init(_ scalar: Unicode.Scalar, ignoringCase: Bool) {
    original = scalar
    folded = ignoringCase ? scalar.folded : scalar
    upper = ignoringCase ? folded.simpleUpper : scalar
  }
}

extension Unicode.Scalar {
  /// The scalar by simple case folding, which maps one scalar to one.
  ///
  /// Equal to that of the [Unicode Character Database](https://www.unicode.org/reports/tr44/#CaseFolding.txt)
  /// except for the choice of the form. So `ß` does not match `ss`.
  var folded: Unicode.Scalar {
    if isASCII { return ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value + 32)) : self }
    // The dotless i has the upper-case form I, but is another letter than i.
    if self == "\u{131}" { return self }
    return simpleUpper.properties.lowercaseMapping.onlyScalar ?? self
  }

  /// The upper-case form; the scalar itself if that has several scalars.
  var simpleUpper: Unicode.Scalar {
    if isASCII { return ("a"..."z").contains(self) ? Unicode.Scalar(UInt8(value - 32)) : self }
    return properties.uppercaseMapping.onlyScalar ?? self
  }
}

extension String {
  /// The scalar of a text with exactly one.
  fileprivate var onlyScalar: Unicode.Scalar? {
    var scalars = unicodeScalars.makeIterator()
    guard let first = scalars.next(), scalars.next() == nil else { return nil }
    return first
  }
}
