import BellhopClient
import BellhopModel
import Testing

@testable import BellhopCommands

@Suite("Publishing with --every and --zone")
struct RepeatedPublishTests {
  /// Returns the content that the options describe.
  private func content(
    every: String? = nil, zone: String? = nil, at time: String? = nil, in span: String? = nil
  ) throws -> Content {
    var request = PublishRequest()
    request.body = "Water the plants"
    request.deliverAt = time
    request.deliverIn = span
    request.every = every
    request.zone = zone
    return try request.content(now: InputTests.now, readInput: { "" })
  }

  @Test("a span is an interval that repeats")
  func span() throws {
    let content = try content(every: "2h")
    let expected = try Trigger(.interval(seconds: 7200), repeats: true)
    #expect(content.trigger == expected)
    #expect(content.deliverAt == nil)
    #expect(content.visual == VisualContent(title: "Water the plants"))
  }

  @Test("wall-clock times are a calendar trigger in the given zone, or in that of each device")
  func times() throws {
    let pattern = try CalendarPattern(minute: 0, hour: 9, weekdays: [2, 6])
    for zone in ["Europe/Berlin", nil] as [String?] {
      let content = try content(every: "mon,fri 9:00", zone: zone)
      let expected = try Trigger(.calendar(pattern, timeZone: zone), repeats: true)
      #expect(content.trigger == expected)
    }
  }

  @Test("without --every there is no trigger")
  func once() throws {
    #expect(try content().trigger == nil)
    #expect(try content(in: "2h").trigger == nil)
  }

  @Test(
    "a trigger that is not valid is refused with the accepted form",
    arguments: [
      ("30s", "60"), ("2w3x", "2w3x"), ("soon", "mon,fri 9:00"), ("31.2. 9:00", "the month has"),
    ])
  func invalid(every: String, reason: String) {
    let error = #expect(throws: ClientError.self) { try content(every: every) }
    #expect(error?.exitCode == .usage)
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    #expect(error?.next?.hasPrefix("Nothing was published.") == true)
  }

  @Test(
    "options that exclude each other are refused, and nothing is published",
    arguments: [
      (nil, "Europe/Berlin", nil, nil, "--zone has no effect without --every"),
      ("2h", "Europe/Berlin", nil, nil, "--zone has no effect on a span"),
      ("2h", nil, "tomorrow 18:00", nil, "--every cannot be used together with --at"),
      ("9:00", nil, nil, "2h", "--every cannot be used together with --at and --in"),
    ] as [(String?, String?, String?, String?, String)])
  func excluded(every: String?, zone: String?, time: String?, span: String?, reason: String) {
    let error = #expect(throws: ClientError.self) {
      try content(every: every, zone: zone, at: time, in: span)
    }
    #expect(error?.exitCode == .usage)
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    #expect(error?.next?.hasPrefix("Nothing was published.") == true)
  }
}
