import BellhopCache
import BellhopModel
import BellhopSearch
import BellhopSearchIndex
import GRDB
import Testing

@Suite("Matches of a search in a text")
struct SearchMatchTests {
  /// The text with its matches in brackets.
  private func marked(_ text: String, _ typed: String) -> String {
    var marked = ""
    var end = text.startIndex
    for range in SearchQuery(typed).matches(in: text) {
      marked += text[end..<range.lowerBound] + "[" + text[range] + "]"
      end = range.upperBound
    }
    return marked + text[end...]
  }

  @Test(
    "words, prefixes and phrases are found as the index finds them",
    arguments: [
      ("Build 412 failed", "build", "[Build] 412 failed"),
      ("Build 412 failed", "fail bui", "[Build] 412 failed"),
      ("Build 412 failed", "build fai", "[Build] 412 [failed]"),
      ("rebuild", "build", "rebuild"),
      ("in der Straße", "strasse", "in der [Straße]"),
      ("in der STRASSE", "straße", "in der [STRASSE]"),
      ("Crème brûlée", "brulee cre", "[Crème] [brûlée]"),
      ("Crème brûlée", "BRULEE creme", "[Crème] [brûlée]"),
      ("cre\u{301}me", "crème", "[cre\u{301}me]"),
      ("备份全文搜索测试", "搜索", "备份全文[搜索]测试"),
      ("备份全文搜索测试", "索搜", "备份全文搜索测试"),
      ("unit-tests and unit: tests", "unit-tests", "[unit-tests] and [unit: tests]"),
      ("disk full, full disk", "\"disk full\"", "[disk full], full disk"),
      ("a a a b", "\"a a\"", "[a a a] b"),
      ("disk full", "\"disk full\" full", "[disk full]"),
      ("🔥 fire 🔥", "🔥", "[🔥] fire [🔥]"),
      ("anything", "", "anything"), ("", "word", ""),
    ])
  func ranges(text: String, typed: String, expected: String) {
    #expect(marked(text, typed) == expected)
  }

  @Test("a word matches in a text exactly when the index finds the text")
  func sameAsIndex() throws {
    let seed: UInt64 = 21
    var numbers = SeededNumbers(seed: seed)
    let pieces = [
      "a", "b", "c", "A", "é", "e", "e\u{301}", "ß", "ss", "ö", "搜", "索", "ガ", "ｶ", "ไ", "🔥", "1",
      " ", " ", " ", "-", ",", "\n", "\u{200D}", "я", "हि",
    ]
    func text(_ counts: ClosedRange<Int>) -> String {
      (0..<Int.random(in: counts, using: &numbers)).map { _ in
        pieces.randomElement(using: &numbers) ?? ""
      }.joined()
    }
    let texts = (0..<150).map { _ in text(0...14) }
    let queue = try DatabaseQueue()
    try queue.write { db in
      db.add(tokenizer: SearchTokenizer.self)
      try db.execute(
        sql: "CREATE VIRTUAL TABLE t USING fts5(x, tokenize = 'bellhop', prefix = '1 2 3')")
      for text in texts { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text]) }
    }
    try queue.read { db in
      for _ in 0..<200 {
        let typed = text(1...4)
        for phrase in SearchQuery(typed).phrases {
          let query = SearchQuery(phrases: [phrase])
          let found = try Int64.fetchAll(
            db, sql: "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rowid",
            arguments: [query.matchExpression])
          let matched = texts.indices.filter { !query.matches(in: texts[$0]).isEmpty }
          #expect(found == matched.map { Int64($0 + 1) }, "seed \(seed): \(phrase)")
        }
      }
    }
  }

  @Test("ranges are in order, disjoint and never empty")
  func wellFormed() {
    let text = String(repeating: "a b a-b ", count: 50)
    let ranges = SearchQuery("a \"b a\" \"a b\" b").matches(in: text)
    #expect(!ranges.isEmpty)
    for (range, next) in zip(ranges, ranges.dropFirst()) {
      #expect(range.upperBound <= next.lowerBound)
    }
    #expect(ranges.allSatisfy { !$0.isEmpty })
  }

  @Test("a long text is searched up to a limit, and a word cut by it does not match")
  func limit() {
    let limit = SearchQuery.textBytesMax
    let before = String(repeating: "x ", count: limit / 2 - 2)
    #expect(!SearchQuery("end").matches(in: before + "end").isEmpty)
    #expect(SearchQuery("\"end\"").matches(in: before + "  endless").isEmpty)
    #expect(SearchQuery("\"e\"").matches(in: before + "  eße").isEmpty)
    #expect(SearchQuery("end").matches(in: before + "     end").isEmpty)
  }

  @Test(
    "an excerpt is the part around the first match, cut between words",
    arguments: [
      ("The build failed.", "build", "The build failed."),
      (
        "The nightly run of the pipeline for the main branch ended: build failed on linux, again",
        "fail", "… branch ended: build failed on linux"
      ),
      (
        "备份全文搜索测试备份全文搜索测试备份全文搜索测试备份全文搜索测试完成了", "完成",
        "… 备份全文搜索测试备份全文搜索测试备份全文搜索测试完成了"
      ),
      ("nothing of it", "build", nil),
    ] as [(String, String, String?)])
  func excerpts(body: String, typed: String, expected: String?) {
    #expect(SearchQuery(typed).excerpt(of: body, scalarsMax: 40) == expected)
  }

  @Test("an excerpt contains the match and keeps its length, whatever the text")
  func anyExcerpt() {
    let seed: UInt64 = 22
    var numbers = SeededNumbers(seed: seed)
    let pieces = ["word ", "x", "-", "搜", "é", " ", "\u{301}", "🔥", ", ", "longer words\n"]
    for _ in 0..<500 {
      func text() -> String {
        (0..<Int.random(in: 0...60, using: &numbers)).map { _ in
          pieces.randomElement(using: &numbers) ?? ""
        }.joined()
      }
      let body = text() + " build " + text()
      let excerpt = SearchQuery("\"build\"").excerpt(of: body, scalarsMax: 60)
      #expect(excerpt?.contains("build") == true, "seed \(seed): \(body.debugDescription)")
      #expect(excerpt?.unicodeScalars.count ?? 0 <= 60)
      let isWhole = excerpt.map { body.unicodeScalars.starts(with: $0.unicodeScalars) } ?? false
      #expect(isWhole || excerpt?.hasPrefix("… ") == true)
    }
  }
}

@Suite("Excerpts in search results")
struct SearchExcerptTests {
  private static let body =
    "Line after line of a log that says little, and then the certificate of the server expires"

  private func cache(_ kind: CacheKind) throws -> CacheFixture {
    let cache = try CacheFixture(kind)
    let titles = ["nightly certificate check", "nightly run", "words only"]
    try cache.pull(
      titles.enumerated().map { index, title in
        .item(
          makeItem(Int64(index + 1), title) { item in
            if index < 2 { item.content.visual?.body = Self.body }
          })
      })
    return cache
  }

  private func excerpts(_ cache: CacheFixture, _ list: CacheList) throws -> [String?] {
    try cache.reader.rows(of: list, .first, limit: 9).map(\.excerpt)
  }

  @Test(
    "a row whose title lacks a word shows the part of the body around it, indexed or not",
    arguments: CacheKind.allCases)
  func rows(kind: CacheKind) throws {
    let cache = try cache(kind)
    let around = "… little, and then the certificate of the server expires"
    for _ in 1...2 {
      #expect(try excerpts(cache, .search("certificate")) == [around, nil])
      #expect(try excerpts(cache, .search("nightly certif")) == [around, nil])
      #expect(try excerpts(cache, .search("nightly")) == [nil, nil])
      #expect(try excerpts(cache, .search("only")) == [nil])
      let filter = ListFilter(words: "certificate")
      #expect(try excerpts(cache, .narrowed(.history, filter)) == [around, nil])
      // A word that only another field contains.
      #expect(try excerpts(cache, .search("ci")) == [nil, nil, nil])
      try cache.indexEverything()
    }
    #expect(try excerpts(cache, .tray) == [nil, nil, nil])
  }
}
