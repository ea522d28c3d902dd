import BellhopCache
import BellhopModel
import BellhopSearch
import Testing

@Suite("Suggestions for a search that finds nothing")
struct SuggestionTests {
  private func cache(_ kind: CacheKind, _ titles: [String]) throws -> CacheFixture {
    let cache = try CacheFixture(kind)
    try cache.pull(titles.enumerated().map { .item(makeItem(Int64($0 + 1), $1)) })
    try cache.indexEverything()
    return cache
  }

  @Test(
    "a word that no item contains is replaced by the nearest one",
    arguments: CacheKind.allCases,
    [
      ("biuld", "build"), ("buld", "build"), ("buiild", "build"), ("bukld", "build"),
      ("ubild", "build"), ("vuild", "build"), ("builz", "build"),
      ("biuld failed", "build failed"), ("Build, FIALED!", "Build, failed!"),
      ("biuld faled", "build failed"), ("\"build failed\" nigth", "\"build failed\" night"),
      ("certifcte", "certificate"), ("CERTIFICAET", "certificate"), ("Strase", "strasse"),
      ("crémee", "creme"), ("пирвет", "привет"), ("unit-tests fialed", "unit-tests failed"),
      // Two edits are too many for five letters, three for any word.
      ("biudl", nil), ("crtifct", nil),
      // A number that differs slightly has another meaning.
      ("411", nil), ("b4ild", nil),
      ("搜", nil), ("bu", nil), ("", nil), ("\"biuld\"", nil), ("unit-tets", nil), ("-", nil),
      // Each word exists, but not in the same item; and without a near word for one, the others are
      // useless.
      ("build night", nil), ("biuld qqqqq", nil),
      // No item has both.
      ("biuld nigth", nil), ("build nigth", nil),
    ] as [(String, String?)])
  func suggestions(kind: CacheKind, example: (typed: String, suggested: String?)) throws {
    let cache = try cache(
      kind,
      [
        "Build 412 failed: unit-tests", "build failed at night", "Crème in der Straße",
        "certificate", "Привет", "备份全文搜索测试", "night", "build",
      ].filter { example.suggested != nil || $0 != "build failed at night" })
    let suggestion = try cache.reader.suggestion(for: example.typed)
    #expect(suggestion?.text == example.suggested)
    guard let suggestion else { return }
    let found = try cache.titles(.search(suggestion.text))
    #expect(suggestion.matches == found.count)
    #expect(try cache.titles(.search(example.typed)) == [])
  }

  @Test(
    "of near words the one with fewest edits wins, then the most frequent one",
    arguments: CacheKind.allCases)
  func order(kind: CacheKind) throws {
    let cache = try cache(
      kind, ["boild", "build", "build 2", "builder", "binder", "binder 2", "alert", "alarm"])
    #expect(
      try cache.reader.suggestion(for: "bxild") == SearchSuggestion(text: "build", matches: 3),
      "two have it, and one a word that begins like it")
    #expect(try cache.reader.suggestion(for: "buildre")?.text == "builder")
    #expect(try cache.reader.suggestion(for: "bilder")?.text == "binder")
    #expect(try cache.reader.suggestion(for: "alrt")?.text == "alert")
  }

  @Test("results are counted up to a limit", arguments: CacheKind.allCases)
  func counted(kind: CacheKind) throws {
    let cache = try cache(kind, (1...60).map { "build \($0)" })
    #expect(
      try cache.reader.suggestion(for: "biuld")
        == SearchSuggestion(text: "build", matches: SearchSuggestion.matchesMax))
  }

  @Test("a word that is only in deleted items is not suggested", arguments: CacheKind.allCases)
  func deleted(kind: CacheKind) throws {
    let cache = try cache(kind, ["build"])
    #expect(try cache.reader.suggestion(for: "biuld") != nil)
    _ = try cache.storage.enqueue(
      [makeOperation(1, .delete, on: 1)], now: CacheFixture.start, sealAfter: nil)
    #expect(try cache.reader.suggestion(for: "biuld") == nil)
    try cache.pull([.removed(itemID(1), sequence: SequenceNumber(9))])
    try cache.indexEverything()
    #expect(try cache.reader.suggestion(for: "biuld") == nil)
  }

  @Test("a word among thousands is found, with a limited number of jumps")
  func many() throws {
    var numbers = SeededNumbers(seed: 3)
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    let words = (0..<4000).map { _ in
      String(
        (0..<Int.random(in: 3...9, using: &numbers)).map { _ in
          letters.randomElement(using: &numbers) ?? "a"
        })
    }
    let titles = (0..<400).map { words[$0 * 10..<$0 * 10 + 10].joined(separator: " ") }
    let cache = try cache(.sqlite, titles + ["the certificate of the build expires"])
    for (typed, suggested) in [
      ("certifcate", "certificate"), ("certificaet", "certificate"), ("cretificate", "certificate"),
      ("exipres", "expires"), ("biuld", "build"), ("ubild", "build"),
    ] {
      #expect(try cache.reader.suggestion(for: typed)?.text == suggested)
    }
  }

  @Test("a reader of an existing cache suggests words from it, and words added later")
  func reopened() throws {
    let cache = try cache(.sqlite, ["build"])
    let reader = try CacheReader(path: cache.path, account: CacheFixture.account)
    #expect(try reader.suggestion(for: "biuld")?.text == "build")
    #expect(try reader.suggestion(for: "nigth") == nil)
    try cache.pull([.item(makeItem(7, "night"))])
    try cache.indexEverything()
    #expect(try reader.suggestion(for: "nigth")?.text == "night")
    reader.interruptSearch()
    #expect(try reader.suggestion(for: "nigth")?.text == "night")
  }

  @Test("jumping through any vocabulary finds exactly the words with few enough edits")
  func jumps() throws {
    let seed: UInt64 = 7
    var numbers = SeededNumbers(seed: seed)
    func word(_ lengths: ClosedRange<Int>) -> String {
      String(
        (0..<Int.random(in: lengths, using: &numbers)).map { _ in
          ["a", "b", "c", "é", "я", "索"].randomElement(using: &numbers) ?? "a"
        })
    }
    for _ in 0..<50 {
      let vocabulary = Set((0..<100).map { _ in word(1...8) })
        .sorted { $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars) }
      let typed = word(3...8)
      let near = try #require(NearWords(typed))
      var found: [String] = []
      var place: String? = ""
      while let text = place {
        guard
          let term = vocabulary.first(where: {
            !$0.unicodeScalars.lexicographicallyPrecedes(text.unicodeScalars)
          })
        else { break }
        if near.edits(to: term) != nil { found.append(term) }
        place = near.next(after: term)
      }
      let expected = vocabulary.filter { Self.edits(typed, $0) <= near.editsMax }
      #expect(found == expected, "seed \(seed): \(typed) in \(vocabulary)")
    }
  }

  /// The number of edits between two words, computed from the whole table; swapping neighbours is
  /// one edit.
  private static func edits(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.unicodeScalars), Array(right.unicodeScalars))
    var table = [[Int]](
      repeating: [Int](repeating: 0, count: right.count + 1), count: left.count + 1)
    for row in 0...left.count {
      for column in 0...right.count {
        guard row > 0, column > 0 else {
          table[row][column] = row + column
          continue
        }
        let isSame = left[row - 1] == right[column - 1]
        var edits = min(
          table[row - 1][column] + 1, table[row][column - 1] + 1,
          table[row - 1][column - 1] + (isSame ? 0 : 1))
        if row > 1, column > 1, left[row - 1] == right[column - 2],
          left[row - 2] == right[column - 1]
        {
          edits = min(edits, table[row - 2][column - 2] + 1)
        }
        table[row][column] = edits
      }
    }
    return table[left.count][right.count]
  }
}
