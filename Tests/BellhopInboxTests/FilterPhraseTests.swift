import BellhopModel
import BellhopTestSupport
import Testing

@testable import BellhopInbox

@Suite("Typed filters")
struct FilterPhraseTests {
  private static let phrase = FilterPhrase(
    now: InboxDesk.morning, zone: InboxDesk.cet,
    appNames: ["ci.example.com": "Build server", "nas": "Nas"])

  private static func terms(_ tests: ListFilter.Test...) -> ListFilter {
    ListFilter(terms: tests.map { ListFilter.Term($0) })
  }

  private static func names(_ patterns: String...) -> [ListFilter.NamePattern] {
    patterns.map { ListFilter.NamePattern($0) }
  }

  @Test("an empty text matches everything")
  func empty() throws {
    #expect(try Self.phrase.filter("  ").get().isEmpty)
  }

  @Test("terms are parsed, and all other words are searched for")
  func wholeLine() throws {
    let filter = try Self.phrase.filter(
      "app:ci*,nas is:unread,opened prio:>=high -group:main disk \"not full\""
    ).get()
    #expect(
      filter.terms == [
        ListFilter.Term(.app(Self.names("ci*", "nas"))),
        ListFilter.Term(.state([.unread, .activated])),
        ListFilter.Term(.priority(.atLeast, .high)),
        ListFilter.Term(.group(Self.names("main")), isNegated: true),
      ])
    #expect(filter.words == "disk \"not full\"")
  }

  @Test("is:kept, the first word for pinned items, stays valid")
  func pinned() throws {
    #expect(try Self.phrase.filter("is:kept").get() == Self.terms(.state([.pinned])))
  }

  @Test("an app is also found by the user's name for it")
  func appNames() throws {
    #expect(
      try Self.phrase.filter("app:\"build server\"").get()
        == Self.terms(.app(Self.names("build server", "ci.example.com"))))
  }

  @Test("times are in the past, and a day is a whole day")
  func times() throws {
    let zone = InboxDesk.cet
    let friday = zone.instant(
      of: CivilTime(date: CivilDate(year: 2026, month: 11, day: 20), hour: 0, minute: 0))
    let saturday = friday.advanced(by: .seconds(86_400))
    #expect(
      try Self.phrase.filter("after:yesterday before:today").get()
        == Self.terms(.arrivedSince(friday), .arrivedBefore(saturday)))
    #expect(
      try Self.phrase.filter("on:fri").get()
        == Self.terms(.arrivedSince(friday), .arrivedBefore(saturday)))
    #expect(
      try Self.phrase.filter("after:\"fri 9:00\"").get()
        == Self.terms(.arrivedSince(friday.advanced(by: .seconds(9 * 3600)))))
  }

  @Test(
    "levels compare",
    arguments: [
      ("prio:urgent", ListFilter.Comparison.equal, Priority.urgent),
      ("prio:>=4", .atLeast, .high), ("prio:<normal", .below, .normal),
      ("prio:>low", .above, .low), ("prio:<=min", .atMost, .min), ("PRIO:HIGH", .equal, .high),
    ])
  func priorities(text: String, comparison: ListFilter.Comparison, level: Priority) throws {
    #expect(try Self.phrase.filter(text).get() == Self.terms(.priority(comparison, level)))
  }

  @Test(
    "an error names the problem, and points at it",
    arguments: [
      ("disk foo:bar", 5..<12, "no field “foo”"), ("is:lost", 3..<7, "“lost”"),
      ("a prio:>=loud", 7..<13, "“>=loud”"), ("app:", 0..<4, "needs an app's name"),
      ("after:soon", 6..<10, "“soon”"), ("on:9:00", 3..<7, "not a valid day"),
      ("-on:today", 0..<9, "before:"), ("is:unread,", 3..<10, ""),
    ])
  func errors(text: String, range: Range<Int>, part: String) throws {
    // A comma at the end is not an error: the next value is not typed yet.
    if part.isEmpty {
      #expect(try Self.phrase.filter(text).get() == Self.terms(.state([.unread])))
      return
    }
    guard case .failure(let problem) = Self.phrase.filter(text) else {
      Issue.record("\(text) was understood")
      return
    }
    #expect(problem.range == range)
    #expect(problem.description.contains(part), "\(problem)")
  }

  @Test(
    "the last word is completed, and nothing else is touched",
    arguments: [
      ("", ["app:", "group:", "tag:", "is:", "prio:", "after:", "before:", "on:"]),
      (
        "disk ",
        [
          "disk app:", "disk group:", "disk tag:", "disk is:", "disk prio:", "disk after:",
          "disk before:", "disk on:",
        ]
      ),
      ("x a", ["x app:", "x after:"]), ("-is:un", ["-is:unread"]),
      ("is:unread,sn", ["is:unread,snoozed"]), ("app:b", ["app:\"Build server\""]),
      ("prio:>=h", ["prio:>=high"]), ("on:t", ["on:today"]), ("tag:x", []), ("foo:x", []),
    ])
  func completions(text: String, expected: [String]) {
    #expect(Self.phrase.completions(text) == expected)
  }

  @Test("any text is a filter, or an error with a range inside the text")
  func anything() {
    var random = SeededRandom(seed: 7)
    let parts = [
      "app:", "is:", "unread", "prio:", ">=", "high", "-", "!", "\"", " ", ",", ":", "*", "after:",
      "yesterday", "“", "é", "😀", "on:", "9:00", "group:x", "\u{0}", "\u{202e}",
    ]
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        parts.randomElement(using: &random) ?? ""
      }.joined()
      if case .failure(let problem) = Self.phrase.filter(text) {
        #expect(problem.range.upperBound <= text.count && !problem.range.isEmpty, "\(text)")
      }
      for completion in Self.phrase.completions(text) { #expect(completion.count >= 3) }
    }
  }
}
