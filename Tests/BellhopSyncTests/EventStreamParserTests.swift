import BellhopSync
import BellhopTestSupport
import Testing

@Suite struct EventStreamParserTests {
  static let stream =
    ": hello\r\n\r\nevent: changed\ndata: {\"sequence\":1}\n\n:\n\rdata:a\rdata: b\r\r"

  @Test("the same events come out however the stream is split", arguments: [1, 2, 3, 7, 1000])
  func cutting(size: Int) throws {
    var parser = EventStreamParser()
    var items: [EventStreamParser.Item] = []
    let bytes = Array(Self.stream.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      items += try parser.feed(bytes[start..<min(start + size, bytes.count)])
    }
    #expect(
      items == [
        .comment, .event(name: "changed", data: "{\"sequence\":1}"), .comment,
        .event(name: "message", data: "a\nb"),
      ])
  }

  @Test(
    "the time until the next connection is a number of milliseconds, and anything else is skipped",
    arguments: [
      ("retry: 1500\n\n", Duration.milliseconds(1500)), ("retry:0\n", .zero), ("retry: -1\n", nil),
      ("retry: 1.5\n", nil), ("retry\n", nil), ("retry: 99999999999999999999\n", nil),
    ] as [(String, Duration?)])
  func retry(text: String, delay: Duration?) throws {
    var parser = EventStreamParser()
    let items = try parser.feed(text.utf8)
    let expected: [EventStreamParser.Item] = delay.map { [.retry($0)] } ?? []
    #expect(items == expected)
  }

  @Test("an event without its empty line is not complete")
  func unfinished() throws {
    var parser = EventStreamParser()
    let first = try parser.feed("event: changed\ndata: 1\n".utf8)
    #expect(first.isEmpty)
    let second = try parser.feed("\n".utf8)
    #expect(second == [.event(name: "changed", data: "1")])
  }

  @Test("endless lines and endless events are refused")
  func limits() {
    var parser = EventStreamParser()
    #expect(throws: EventStreamParser.LimitError.self) {
      try parser.feed([UInt8](repeating: 0x61, count: EventStreamParser.lineBytesMax + 1))
    }
    var second = EventStreamParser()
    #expect(throws: EventStreamParser.LimitError.self) {
      for _ in 0...EventStreamParser.dataBytesMax / 1000 {
        _ = try second.feed("data: \(String(repeating: "x", count: 1000))\n".utf8)
      }
    }
  }

  @Test("random bytes give the same at once and byte by byte, and the next event is parsed")
  func noise() throws {
    var random = SeededRandom(seed: 11)
    for _ in 0..<200 {
      let bytes = (0..<500).map { _ in
        random.next() % 3 == 0 ? UInt8(ascii: "\n") : UInt8(truncatingIfNeeded: random.next())
      }
      var whole = EventStreamParser()
      var cut = EventStreamParser()
      let items = try whole.feed(bytes)
      #expect(try bytes.flatMap { try cut.feed([$0]) } == items)
      // Ends the line and the event that the noise began.
      _ = try whole.feed("\n\n".utf8)
      #expect(
        try whole.feed("event: changed\ndata: 1\n\n".utf8)
          == [.event(name: "changed", data: "1")])
    }
  }
}
