import BellhopInbox
import BellhopModel
import BellhopText
import Testing

@Suite("The times of a trigger in words")
struct TriggerTextTests {
  @Test(
    "an interval has the largest unit that divides it",
    arguments: [
      (7200, true, "every 2 h"), (90, true, "every 90 s"), (86_400, true, "every 1 d"),
      (5400, true, "every 90 min"), (900, false, "once: 15 min after publication"),
    ] as [(Int64, Bool, String)])
  func intervals(seconds: Int64, repeats: Bool, text: String) throws {
    let trigger = try Trigger(.interval(seconds: seconds), repeats: repeats)
    #expect(TriggerText.phrase(trigger).string == text)
  }

  @Test(
    "wall-clock times have the days, then the time",
    arguments: [
      (0, 9, [], nil, nil, "daily at 09:00"),
      (30, nil, [], nil, nil, "hourly at minute 30"),
      (0, 9, [], 1, nil, "day 1 of the month at 09:00"),
      (0, 18, [], 24, 12, "24 Dec at 18:00"),
      (nil, nil, [2], nil, nil, "Mon at 00:00"), (nil, nil, [], nil, 5, "1 May at 00:00"),
      (0, 9, [2, 6], nil, nil, "Mon and Fri at 09:00"),
      (30, 17, [6, 2, 4], nil, nil, "Mon, Wed and Fri at 17:30"),
    ] as [(Int?, Int?, [Int], Int?, Int?, String)])
  func calendar(
    minute: Int?, hour: Int?, weekdays: [Int], day: Int?, month: Int?, text: String
  ) throws {
    let pattern = try CalendarPattern(
      minute: minute, hour: hour, weekdays: weekdays, day: day, month: month)
    let repeated = try Trigger(.calendar(pattern, timeZone: nil), repeats: true)
    #expect(TriggerText.phrase(repeated).string == text)
    let once = try Trigger(.calendar(pattern, timeZone: nil), repeats: false)
    #expect(TriggerText.phrase(once).string == "once: " + text)
  }

  @Test("a time zone follows the times")
  func zone() throws {
    let pattern = try CalendarPattern(hour: 9, weekdays: [2, 6])
    let trigger = try Trigger(.calendar(pattern, timeZone: "Europe/Berlin"), repeats: true)
    #expect(TriggerText.phrase(trigger).string == "Mon and Fri at 09:00, Europe/Berlin")
  }
}
