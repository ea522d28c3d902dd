/// Malicious or malformed strings, as untrusted sources send them.
///
/// They contain escape sequences and their parts, directions, endless marks, joiners, flags, every
/// script, and meaningless scalars.
package struct HostileStrings: Sendable {
  private var random: SeededRandom

  package init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// The strings for one number of a run, independent of earlier ones.
  package init(seed: UInt64, number: Int) {
    self.init(seed: seed ^ (UInt64(number) &+ 1) &* 0x9E37_79B9_7F4A_7C15)
  }

  /// A megabyte that is one character.
  package static let endless = "a" + String(repeating: "\u{301}", count: 1 << 19)

  /// A string of at most `lengthMax` pieces, each of one or a few scalars.
  package mutating func next(lengthMax: Int = 40) -> String {
    var text = String.UnicodeScalarView()
    let pool = Int.random(in: 0..<(Self.pools.count + 2), using: &random)
    for _ in 0..<Int.random(in: 0...lengthMax, using: &random) {
      // Half of all strings are of one kind, the others mix.
      let choice =
        pool < Self.pools.count ? pool : Int.random(in: 0...Self.pools.count, using: &random)
      if choice == Self.pools.count || Int.random(in: 0..<16, using: &random) == 0 {
        text.append(scalar())
      } else {
        text.append(contentsOf: piece(of: Self.pools[choice]).unicodeScalars)
      }
    }
    return String(text)
  }

  /// A string as from ``next(lengthMax:)`` that is never empty.
  package mutating func name(lengthMax: Int = 12) -> String { "n" + next(lengthMax: lengthMax) }

  private mutating func piece(of pool: [String]) -> String {
    pool[Int.random(in: pool.indices, using: &random)]
  }

  private mutating func scalar() -> Unicode.Scalar {
    while true {
      let value = UInt32.random(in: 0...0x10FFFF, using: &random)
      if let scalar = Unicode.Scalar(value) { return scalar }
    }
  }

  private static let pools: [[String]] = [
    "abcdefghij klmno pqrs tuvwxyz ABC 0123456789 .,;:!?/-_()[]{}<>|&%$#@".map { String($0) },
    [
      "\u{1B}", "\u{1B}[", "\u{1B}]0;", "\u{1B}]2;x\u{7}", "\u{1B}[2J", "\u{1B}[31m", "\u{1B}P",
      "\u{1B}\\", "\u{9B}", "\u{9D}", "\u{90}", "\u{9C}", "\u{7}", "\u{8}", "\r", "\n", "\t", "\0",
      "\u{B}", "\u{C}", "\u{E}", "\u{F}", "\u{7F}", "\u{85}", "\u{1B}[6n", "\u{1B}c",
      "\u{1B}]52;c;",
      "8;;https://example.com", "m", "H", "5A",
    ],
    [
      "a", "b", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}", "\u{2067}",
      "\u{2068}", "\u{2069}", "\u{200E}", "\u{200F}", "\u{61C}", "\u{200B}", "\u{FEFF}", "\u{AD}",
      "\u{2060}", "\u{2028}", "\u{2029}", "\u{E0041}", "\u{E007F}", "\u{E0100}", "\u{180E}",
      "\u{3164}", "\u{115F}", "\u{FFF9}", "\u{FFFB}", "\u{1D173}",
    ],
    [
      "e", "o", "\u{300}", "\u{301}", "\u{308}", "\u{323}", "\u{327}", "\u{20DD}", "\u{20E3}",
      "\u{489}", "\u{FE20}", "\u{1AB0}", "\u{34F}", "\u{35C}", "\u{1DC0}",
    ],
    [
      "👩", "👨", "👧", "\u{200D}", "\u{FE0F}", "\u{FE0E}", "👍", "\u{1F3FD}", "🏳", "🌈", "🏴", "❤", "☎",
      "1", "#", "\u{20E3}", "\u{1F1E9}", "\u{1F1EA}", "\u{1F1FA}", "👩‍👩‍👧‍👦", "🇩🇪", "🫱🏻‍🫲🏿", "🧑‍🚀", " ",
    ],
    [
      "漢", "字", "備", "份", "、", "「", "ア", "か", "ﾊ", "Ａ", "　", "한", "\u{1112}", "\u{1161}",
      "\u{11AB}", "𠮷",
    ],
    ["ש", "ל", "ו", "ם", "ع", "ر", "ب", "ي", "\u{64E}", "\u{5B8}", "ﷺ", " ", "12", "ܐ", "ߊ"],
    [
      "ส", "วั", "ก", "\u{E49}", "ำ", "क", "\u{94D}", "ष", "\u{93F}", "த", "\u{BC6}", "མ", "\u{F71}",
      "ខ", "\u{17D2}", "မ", "\u{103C}", "ක", "\u{DCA}", "\u{D4E}",
    ],
    [
      "\u{E000}", "\u{F8FF}", "\u{FFFE}", "\u{FFFF}", "\u{1FFFE}", "\u{F0000}", "\u{10FFFD}",
      "\u{378}", "\u{FFFC}", "\u{FFFD}", "│", "─", "●", "‼", "▌", "…", "𝒳", "⁂", "\u{A0}",
      "\u{2003}",
    ],
  ]
}
