extension StringProtocol {
  /// The words as a sentence: with a capital letter, and a full stop where they have no end.
  ///
  /// A name at the beginning, such as `store.example.com` or `ca-file`, stays as it is.
  package var sentence: String {
    guard let last else { return "" }
    let start = isLedByWord ? prefix(1).uppercased() + dropFirst() : String(self)
    return start + (".?!…:".contains(last) ? "" : ".")
  }

  /// The words as they stand inside a sentence: without a capital letter and a full stop.
  ///
  /// A name at the beginning, such as `HTTP`, stays as it is.
  package var clause: String {
    let words = isLedByWord ? prefix(1).lowercased() + dropFirst() : String(self)
    return words.hasSuffix(".") && !words.hasSuffix("..") ? String(words.dropLast()) : words
  }

  /// Whether the first word is letters only, in small ones but for the first.
  private var isLedByWord: Bool {
    let end = firstIndex { $0.isWhitespace || ",;:?!".contains($0) } ?? endIndex
    let word = self[..<end]
    let letters = word.last == "." ? word.dropLast() : word
    return !letters.isEmpty && letters.allSatisfy { $0.isLetter || $0 == "'" }
      && letters.dropFirst().allSatisfy { !$0.isUppercase }
  }
}

extension Int {
  /// The number with its noun: `1 change`, `2 changes`, `1,160 items`.
  ///
  /// - Parameters:
  ///   - one: The words behind 1, which may go on: `change is`.
  ///   - several: The words behind all other numbers; nil adds an s.
  package func counted(_ one: String, _ several: String? = nil) -> String {
    self == 1 ? "1 \(one)" : "\(grouped) \(several ?? one + "s")"
  }

  /// The number with commas between thousands: `48,210`.
  package var grouped: String {
    let digits = String(magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return self < 0 ? "-" + text : text
  }
}
