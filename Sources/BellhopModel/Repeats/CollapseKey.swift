extension Content {
  /// Returns the key under which a store finds the live item that the content repeats: 16 bytes.
  ///
  /// It is a hash of the published app, group and title. Nil for content that is never a repeat: data,
  /// scheduled items and items with a trigger.
  package func collapseKey(_ key: RepeatKey) -> [UInt8]? {
    repeatedTexts(key).map { texts in
      var hash = StableHash()
      for text in texts {
        hash.combine(text)
        // A separator, which is not a byte of UTF-8.
        hash.combine(0xff)
      }
      return UniqueID<Content>(high: hash.high, low: hash.low).bytes
    }
  }

  /// Returns whether the content is a repeat of another: app, group and title are equal.
  ///
  /// A store compares the item that it found by the key, because two texts may have the same hash.
  package func isRepeat(of other: Content, by key: RepeatKey) -> Bool {
    guard let texts = repeatedTexts(key) else { return false }
    return texts == other.repeatedTexts(key)
  }

  /// Returns the texts that are equal in all repeats, in UTF-8; nil for content that is never one.
  private func repeatedTexts(_ key: RepeatKey) -> [[UInt8]]? {
    guard let visual, deliverAt == nil, trigger == nil else { return nil }
    let title: [UInt8] =
      switch key {
      case .exact: Array(visual.title.utf8)
      case .ignoringNumbers: visual.title.withoutNumbers
      }
    return [Array(app.utf8), Array((group ?? "").utf8), title]
  }
}

extension String {
  /// The text in UTF-8 with one `#` for each run of the digits 0 to 9.
  package var withoutNumbers: [UInt8] {
    var text: [UInt8] = []
    var isInNumber = false
    for byte in utf8 {
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      if !isDigit { text.append(byte) } else if !isInNumber { text.append(UInt8(ascii: "#")) }
      isInNumber = isDigit
    }
    return text
  }
}
