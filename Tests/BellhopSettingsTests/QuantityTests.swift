import BellhopSettings
import Testing

@Suite("Sizes and times")
struct QuantityTests {
  @Test(
    "sizes are read as users write them",
    arguments: [
      ("64 KiB", 65_536), ("64KiB", 65_536), ("300", 300), ("1 GiB", 1 << 30), ("1 kb", nil),
      ("-1", nil), ("", nil), ("99999999999 GiB", nil), ("2 MiB ", 2 << 20),
    ] as [(String, Int?)])
  func sizes(text: String, bytes: Int?) {
    #expect(ByteCount.bytes(text) == bytes)
    if let bytes { #expect(ByteCount.bytes(ByteCount.text(bytes)) == bytes) }
  }

  @Test(
    "times are read as users write them",
    arguments: [
      ("250ms", 250), ("25s", 25_000), ("10m", 600_000), ("12 h", 43_200_000),
      ("30d", 2_592_000_000), ("0s", 0), ("5", nil), ("5y", nil), ("999999999999999999d", nil),
    ] as [(String, Int?)])
  func times(text: String, milliseconds: Int?) {
    #expect(TimeSpan.duration(text) == milliseconds.map { .milliseconds($0) })
    if let milliseconds {
      let span = Duration.milliseconds(milliseconds)
      #expect(TimeSpan.duration(TimeSpan.text(span)) == span)
    }
  }

  @Test("both are written in the largest unit that divides them")
  func written() {
    #expect(
      [0, 1, 1024, 1536, 3 << 30].map(ByteCount.text) == ["0 B", "1 B", "1 KiB", "1536 B", "3 GiB"])
    let spans: [Duration] = [
      .zero, .milliseconds(90), .seconds(90), .seconds(7200), .seconds(86_400),
    ]
    #expect(spans.map(TimeSpan.text) == ["0ms", "90ms", "90s", "2h", "1d"])
  }
}
