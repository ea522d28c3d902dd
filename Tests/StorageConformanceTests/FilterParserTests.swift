import BellhopModel
import BellhopStore
import BellhopTestSupport
import Testing

@Suite("The parser of $filter")
struct FilterParserTests {
  private func parse(_ text: String, limits: StoreLimits = StoreLimits()) throws -> ItemFilter {
    try ItemFilter(parsing: text, limits: limits)
  }

  private func failure(_ text: String, limits: StoreLimits = StoreLimits()) -> ListSyntaxError? {
    do throws(ListSyntaxError) {
      _ = try ItemFilter(parsing: text, limits: limits)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "valid filters are parsed, and printed in one form",
    arguments: [
      ("readState eq 'read'", "readState eq 'read'"),
      ("READSTATE EQ 'Read'", "readState eq 'read'"),
      ("readState eq Microsoft.Graph.readState'unread'", "readState eq 'unread'"),
      ("userActionState ne 'NoInteraction'", "userActionState ne 'noInteraction'"),
      ("priority ge 'High'", "priority ge 'high'"),
      ("priority eq 'None'", "priority eq 'normal'"),
      ("groupName eq 'it''s'", "groupName eq 'it''s'"),
      ("groupName eq ''", "groupName eq ''"),
      ("groupName eq null", "groupName eq null"),
      ("kept", "kept eq true"),
      ("not kept", "not (kept eq true)"),
      ("kept eq FALSE or kept", "kept eq false or kept eq true"),
      ("shortNumber gt -3", "shortNumber gt -3"),
      (
        "createdDateTime ge 2026-01-01T00:00:00+02:00",
        "createdDateTime ge 2025-12-31T22:00:00.000Z"
      ),
      (
        "createdDateTime lt '2026-01-01T00:00:00Z'",
        "createdDateTime lt 2026-01-01T00:00:00.000Z"
      ),
      ("priority in ('high','urgent')", "priority in ('high', 'urgent')"),
      (
        "contains(payload/visualContent/title,'disk')",
        "contains(payload/visualContent/title, 'disk')"
      ),
      ("startswith( targetHostName , 'ci.' )", "startswith(targetHostName, 'ci.')"),
      ("tags/any(x: x eq 'linux')", "tags/any(t: t eq 'linux')"),
      ("tags/any( )", "tags/any()"),
      (
        "kept or readState eq 'read' and not (kept)",
        "kept eq true or readState eq 'read' and not (kept eq true)"
      ),
      ("((kept))", "kept eq true"),
      ("(kept or kept) and kept", "(kept eq true or kept eq true) and kept eq true"),
      ("kept and (kept and kept)", "kept eq true and (kept eq true and kept eq true)"),
      ("kept and kept and kept", "kept eq true and kept eq true and kept eq true"),
    ])
  func understood(text: String, printed: String) throws {
    let filter = try parse(text)
    #expect(filter.odata == printed)
    #expect(try parse(printed) == filter)
  }

  @Test("and binds more than or")
  func precedence() throws {
    let (pinned, read) = (
      ItemFilter.test(.compare(.pinned, .equal, .flag(true))),
      ItemFilter.test(.compare(.readState, .equal, .text("read")))
    )
    #expect(
      try parse("kept or readState eq 'read' and kept or kept")
        == .any([pinned, .all([read, pinned]), pinned]))
    #expect(try parse("not readState eq 'read' and kept") == .all([.not(read), pinned]))
  }

  @Test(
    "an error names the column, the text found and what was expected",
    arguments: [
      ("", 1, "the end", "one of the fields readState"),
      ("   ", 4, "the end", "one of the fields"),
      ("readState", 10, "the end", "eq, ne, gt"),
      ("readState eq", 13, "the end", "'unread', 'read'"),
      ("readState eq 'reed'", 14, "“'reed'”", "'unread', 'read'"),
      ("readState eq read", 14, "“read”", "'unread', 'read'"),
      ("readState gt 'read'", 11, "“gt”", "no order"),
      ("kept ge true", 6, "“ge”", "no order"),
      ("kept eq 'true'", 9, "“'true'”", "true or false"),
      ("color eq 'red'", 1, "“color”", "targetHostName"),
      ("priority eq 3", 13, "“3”", "'min', 'low'"),
      ("createdDateTime ge yesterday", 20, "“yesterday”", "2026-11-21T06:12:04Z"),
      ("createdDateTime ge 2026-13-01T00:00:00Z", 20, "“2026-13-01T00:00:00Z”", "a time"),
      ("createdDateTime ge null", 20, "“null”", "a time"),
      ("shortNumber eq 1.5", 16, "“1.5”", "a whole number"),
      ("shortNumber eq 99999999999999999999", 16, "“99999999999999999999”", "a whole number"),
      ("groupName eq 'open", 14, "“'open”", "a closing quote"),
      ("groupName eq 'a\u{0}b'", 16, "U+0000", "any other character"),
      ("(kept", 6, "the end", "“)”"),
      ("kept)", 5, "“)”", "and, or"),
      ("kept kept", 6, "“kept”", "and, or"),
      ("kept and", 9, "the end", "not, “(”"),
      ("kept & kept", 6, "“&”", "a name"),
      ("contains(kept, 'x')", 10, "“kept”", "targetHostName, appNotificationId"),
      ("contains(groupName 'x')", 20, "“'x'”", "“,”"),
      ("priority in 'high'", 13, "“'high'”", "“(”"),
      ("priority in ('high' 'low')", 21, "“'low'”", "a comma or “)”"),
      ("tags/any(t: u eq 'x')", 13, "“u”", "the same variable"),
      ("tags/any(t: t ne 'x')", 15, "“ne”", "eq"),
    ])
  func errors(text: String, column: Int, found: String, expected: String) throws {
    let error = try #require(failure(text))
    #expect(error.option == "$filter")
    #expect(error.column == column)
    #expect(error.found.contains(found), "\(error)")
    #expect(error.expected.contains(expected), "\(error)")
  }

  @Test("an error echoes at most 64 characters of the input, and no terminal controls")
  func echo() throws {
    let long = try #require(failure("groupName eq 'a' " + String(repeating: "x", count: 500)))
    #expect(long.found == "“" + String(repeating: "x", count: 64) + "”")
    let text = String(repeating: "\u{1B}[31m", count: 30)
    let steering = try #require(failure("readState eq '" + text + "'"))
    #expect(!steering.description.unicodeScalars.contains("\u{1B}"))
    #expect(steering.found.unicodeScalars.count <= 66)
  }

  @Test("length, number of conditions and nesting are limited, and the limits are allowed")
  func limits() throws {
    let limits = StoreLimits()
    func nested(_ depth: Int) -> String {
      String(repeating: "(", count: depth) + "kept" + String(repeating: ")", count: depth)
    }
    _ = try parse(nested(limits.filterDepthMax - 1))
    #expect(failure(nested(limits.filterDepthMax))?.expected.contains("nested conditions") == true)
    #expect(failure(String(repeating: "(", count: 4000)) != nil)
    #expect(failure(String(repeating: "not ", count: 1000)) != nil)
    func chain(_ terms: Int) -> String { (0..<terms).map { _ in "kept" }.joined(separator: " or ") }
    _ = try parse(chain(limits.filterTermsMax))
    #expect(failure(chain(limits.filterTermsMax + 1))?.expected.contains("conditions") == true)
    let list = (0...limits.filterTermsMax).map { "'\($0)'" }.joined(separator: ",")
    #expect(failure("groupName in (\(list))")?.expected.contains("conditions") == true)
    let long = "groupName eq '" + String(repeating: "é", count: limits.filterBytesMax) + "'"
    #expect(failure(long)?.found == "\(long.utf8.count) bytes")
  }

  @Test(
    "random filters are parsed back from their printed form",
    arguments: 1...20 as ClosedRange<UInt64>)
  func roundTrip(seed: UInt64) throws {
    let generator = ConditionGenerator(seed: seed, fields: ItemField.filterable)
    for _ in 0..<100 {
      let filter = generator.condition(depth: 5)
      #expect(try parse(filter.odata) == filter, "seed \(seed)")
    }
  }

  @Test("no input crashes the parser", arguments: 1...10 as ClosedRange<UInt64>)
  func anything(seed: UInt64) {
    let random = TestRandom(seed: seed)
    let words = [
      "readState", "eq", "'", "''", "(", ")", ",", "and", "or", "not", "in", "null", "true", "-",
      "2026-01-01T00:00:00Z", "contains", "tags/any", "t:", "\u{0}", "é", "\u{1F469}\u{200D}", " ",
      "'a'", "9", "\r\n", "%", "priority", "/", ".",
    ]
    for _ in 0..<2000 {
      var text = ""
      for _ in 0..<random.next() % 24 {
        if random.next() % 4 == 0 {
          let bytes = (0..<8).map { _ in UInt8(truncatingIfNeeded: random.next()) }
          text += String(decoding: bytes, as: UTF8.self)
        } else {
          text += words[Int(random.next() % UInt64(words.count))]
          if random.next() % 2 == 0 { text += " " }
        }
      }
      // In any case a filter, or an error with a position in the text.
      if let error = failure(text) {
        #expect((1...text.unicodeScalars.count + 1).contains(error.column))
        #expect(error.found.unicodeScalars.count <= 66)
      }
      _ = try? OrderByClause(parsing: text)
    }
  }

  @Test("the outermost conditions on the arrival limit the rows that a list reads")
  func arrivalRange() throws {
    let range = try parse(
      "arrivalDateTime ge 2026-01-01T00:00Z and kept and arrivalDateTime lt 2026-02-01T00:00Z"
        + " and arrivalDateTime gt 2026-01-02T00:00Z"
    ).arrivalRange
    #expect(range.from == Timestamp("2026-01-02T00:00Z"))
    #expect(range.through == Timestamp("2026-02-01T00:00Z"))
    let open = try parse("arrivalDateTime lt 2026-02-01T00:00Z or kept").arrivalRange
    #expect(open.from == nil)
    #expect(open.through == nil)
  }

  @Test(
    "$orderby names one field and a direction",
    arguments: [
      ("createdDateTime", "createdDateTime asc"), ("createdDateTime desc", "createdDateTime desc"),
      ("ARRIVALDATETIME ASC", "arrivalDateTime asc"),
      ("lastModifiedDateTime  desc", "lastModifiedDateTime desc"),
      ("priority desc,arrivalDateTime desc", "priority desc"), ("priority", "priority asc"),
    ])
  func order(text: String, printed: String) throws {
    #expect(try OrderByClause(parsing: text).description == printed)
  }

  @Test(
    "any other order is refused with the valid ones",
    arguments: [
      ("", 1, "arrivalDateTime, createdDateTime, lastModifiedDateTime, priority"),
      ("title", 1, "arrivalDateTime"), ("createdDateTime down", 17, "asc or desc"),
      ("createdDateTime desc, priority", 21, "one field"),
      ("priority asc, kept", 15, "arrivalDateTime desc"),
      ("priority, arrivalDateTime", 11, "arrivalDateTime desc"),
      ("priority desc, arrivalDateTime desc, kept", 36, "the end"),
    ])
  func wrongOrder(text: String, column: Int, expected: String) {
    let error = #expect(throws: ListSyntaxError.self) { try OrderByClause(parsing: text) }
    #expect(error?.column == column)
    #expect(error?.expected.contains(expected) == true)
  }
}
