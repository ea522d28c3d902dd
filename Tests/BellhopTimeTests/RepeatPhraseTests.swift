import BellhopModel
import BellhopTime
import Testing

@Suite("Repeated times in words")
struct RepeatPhraseTests {
  @Test(
    "times are parsed as users mean them",
    arguments: [
      ("9:00", [], nil, nil, 9, 0), ("daily 7:15", [], nil, nil, 7, 15),
      ("every day at noon", [], nil, nil, 12, 0), ("mon 9:00", [2], nil, nil, 9, 0),
      ("mon,fri 9:00", [2, 6], nil, nil, 9, 0), ("Mon and Friday", [2, 6], nil, nil, 9, 0),
      ("mon-fri 17:30", [2, 3, 4, 5, 6], nil, nil, 17, 30),
      ("fri-mon 8:00", [1, 2, 6, 7], nil, nil, 8, 0),
      ("weekdays 8:00", [2, 3, 4, 5, 6], nil, nil, 8, 0), ("weekend", [1, 7], nil, nil, 9, 0),
      ("1. 9:00", [], 1, nil, 9, 0), ("24.12. 18:00", [], 24, 12, 18, 0),
    ] as [(String, [Int], Int?, Int?, Int, Int)])
  func parsed(
    text: String, weekdays: [Int], day: Int?, month: Int?, hour: Int, minute: Int
  ) throws {
    let pattern = try CalendarPattern(
      minute: minute, hour: hour, weekdays: weekdays, day: day, month: month)
    let expected = try Trigger(.calendar(pattern, timeZone: "Europe/Berlin"), repeats: true)
    #expect(RepeatPhrase.trigger(text, zone: "Europe/Berlin") == .success(expected))
  }

  @Test(
    "other words are refused with what would be right",
    arguments: [
      ("", "Enter a time"), ("soon", "“soon” is not understood"), ("25:00", "“25:00”"),
      ("mon 9:00 10:00", "“10:00”"), ("31.2. 9:00", "a day that the month has"),
      ("mon 1. 9:00", "“1.”"), ("2026-12-24", "not understood"), ("9:00:30", "“9:00:30”"),
    ])
  func refused(text: String, reason: String) {
    guard case .failure(let error) = RepeatPhrase.trigger(text, zone: nil) else {
      Issue.record("“\(text)” was accepted")
      return
    }
    #expect(error.description.contains(reason), "\(error.description)")
  }
}
