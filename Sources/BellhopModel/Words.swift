extension StringProtocol {
  /// The text as a sentence, with a capital letter and an end mark.
  ///
  /// A full stop is added if there is no end mark.
  ///
  /// A name at the beginning, such as `store.example.com` or `ca-file`, stays as it is.
  package var sentence: String {
    guard let last else { return "" }
    let start = isLedByWord ? prefix(1).uppercased() + dropFirst() : String(self)
    return start + (".?!…:".contains(last) ? "" : ".")
  }

  /// The text as part of a sentence: without a capital letter and a full stop.
  ///
  /// A name at the beginning, such as `HTTP`, stays as it is.
  package var clause: String {
    let words = isLedByWord ? prefix(1).lowercased() + dropFirst() : String(self)
    return words.hasSuffix(".") && !words.hasSuffix("..") ? String(words.dropLast()) : words
  }

  /// Whether the first word is an ordinary one: only letters, in lower case except for the first.
  private var isLedByWord: Bool {
    let end = firstIndex { $0.isWhitespace || ",;:?!".contains($0) } ?? endIndex
    let word = self[..<end]
    let letters = word.last == "." ? word.dropLast() : word
    return !letters.isEmpty && letters.allSatisfy { $0.isLetter || $0 == "'" }
      && letters.dropFirst().allSatisfy { !$0.isUppercase }
  }
}

extension StringProtocol {
  /// Returns whether the text has only letters and digits of ASCII, and characters of `others`.
  package func isASCIIAlphanumeric(or others: String) -> Bool {
    utf8.allSatisfy { $0.isASCIIAlphanumeric || others.utf8.contains($0) }
  }
}

extension UInt8 {
  /// Whether the byte is a letter or a digit of ASCII.
  package var isASCIIAlphanumeric: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    default: false  // open: UInt8
    }
  }
}

extension Int {
  /// Returns the number with its noun: `1 change`, `2 changes`, `1,160 items`.
  ///
  /// - Parameters:
  ///   - one: The words after 1, which may continue: `change is`.
  ///   - several: The words after all other numbers; nil appends an s.
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
