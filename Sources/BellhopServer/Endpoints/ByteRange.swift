/// The part of a file that a request is for (RFC 9110 §14).
enum ByteRange: Hashable {
  case whole
  case part(Range<Int>)
  /// The file has no byte of the requested range.
  case unsatisfiable

  /// - Parameter header: The value of `Range`. If it is not a single valid range of bytes, the
  ///   request is for the whole file: a server may ignore the header.
  init(_ header: String?, size: Int) {
    guard let header, header.utf8.count <= 128 else {
      self = .whole
      return
    }
    let halves = header.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, halves[0].trimmed.lowercased() == "bytes",
      !halves[1].contains(",")
    else {
      self = .whole
      return
    }
    let ends = halves[1].trimmed.split(
      separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]) else {
      self = .whole
      return
    }
    switch (first, last) {
    case (nil, nil): self = .whole
    case (nil, let count?):
      self = count > 0 && size > 0 ? .part(max(0, size - count)..<size) : .unsatisfiable
    case (let first?, nil): self = first < size ? .part(first..<size) : .unsatisfiable
    case (let first?, let last?):
      guard first <= last else {
        self = .whole
        return
      }
      self = first < size ? .part(first..<min(size, last.addingOne)) : .unsatisfiable
    }
  }

  /// Parses a number. Returns an inner nil for empty text, and nil for text that is not a number.
  ///
  /// A number beyond `Int.max` becomes `Int.max`.
  private static func number(_ text: Substring) -> Int?? {
    if text.isEmpty { return .some(nil) }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return .some(Int(text) ?? Int.max)
  }
}

extension Int {
  /// The next number, or the largest one.
  fileprivate var addingOne: Int { self == .max ? self : self + 1 }
}
