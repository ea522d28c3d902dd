import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Pictures from another program's output")
struct PictureTests {
  private static let size = Size(width: 8, height: 3)

  private func picture(_ text: String) throws -> Picture {
    try Picture(drawn: Array(text.utf8), within: Self.size)
  }

  private func runs(_ text: String) throws -> [[Picture.Run]] { try picture(text).rows }

  @Test("characters are in rows, each run with its colours")
  func read() throws {
    let picture = try picture("\u{1B}[0m\u{1B}[38;5;234;48;5;236m▀▀\u{1B}[7mx\u{1B}[0m\n ▔\n")
    #expect(picture.size == Size(width: 3, height: 2))
    #expect(
      picture.rows == [
        [
          .init(text: "▀▀", paint: Paint(foreground: 234, background: 236)),
          .init(text: "x", paint: Paint(foreground: 234, background: 236, isReversed: true)),
        ], [.init(text: " ▔", paint: Paint())],
      ])
  }

  @Test(
    "colours are those of SGR",
    arguments: [
      ("31", Paint(foreground: 1)), ("97", Paint(foreground: 15)), ("40", Paint(background: 0)),
      ("107", Paint(background: 15)), ("38;5;255", Paint(foreground: 255)),
      ("48;5;0;1", Paint(background: 0, isBold: true)), ("31;39", Paint()), ("41;49", Paint()),
      ("1;22", Paint()), ("7;27", Paint()), ("31;1;7;0", Paint()), ("31;", Paint()), ("", Paint()),
      ("032", Paint(foreground: 2)),
    ])
  func colours(codes: String, paint: Paint) throws {
    #expect(try runs("\u{1B}[\(codes)mx") == [[.init(text: "x", paint: paint)]])
  }

  @Test(
    "anything except colours, printable ASCII and block elements is refused",
    arguments: [
      "\u{1B}", "x\u{1B}", "\u{1B}[", "\u{1B}[31", "\u{1B}[2J", "\u{1B}[H", "\u{1B}[?25l",
      "\u{1B}]0;title\u{7}", "\u{1B}]52;c;eA==\u{7}", "\u{1B}Pq#0\u{1B}\\", "\u{1B}_Ga=T\u{1B}\\",
      "\u{1B}[5m", "\u{1B}[4mx", "\u{1B}[38;2;1;2;3mx", "\u{1B}[38mx", "\u{1B}[38;5mx",
      "\u{1B}[38;5;256mx", "\u{1B}[1000mx", "\u{1B}[-1mx", "\u{1B}[3 1mx",
      "\u{1B}[31:1mx", "\u{1B}[>1mx", "\u{1B}[" + String(repeating: "1;", count: 16) + "1mx",
      "\t", "\r\n", "\u{7}", "\u{8}", "\u{0}", "\u{7F}", "\u{9B}31m", "\u{85}", "é", "─", "漢",
      "🙂", "\u{202E}", "▟\u{301}", "\u{257F}", "\u{25A0}",
    ])
  func refused(text: String) {
    #expect(throws: PictureError.self) { try picture(text) }
    #expect(throws: PictureError.self) { try picture("ok" + text) }
  }

  @Test("bytes that are not UTF-8 are refused at their position")
  func broken() {
    let broken: [[UInt8]] = [
      [0xE2], [0xE2, 0x96], [0xE2, 0x28, 0xA1], [0x80], [0xFF], [0xC0, 0x80],
    ]
    for bytes in broken {
      #expect(throws: PictureError.foreign(offset: 1)) {
        try Picture(drawn: [0x78] + bytes, within: Self.size)
      }
    }
  }

  @Test("a picture is not larger than requested, and not empty")
  func sizes() throws {
    #expect(try picture("12345678\n2\n3").size == Self.size)
    #expect(try picture("12345678\n2\n3\n").size == Self.size)
    #expect(throws: PictureError.tooLarge) { try picture("123456789") }
    #expect(throws: PictureError.tooLarge) { try picture("1\n2\n3\n4") }
    #expect(throws: PictureError.tooLarge) { try picture("1\n2\n3\n\n") }
    for text in ["", "\n", "\n\n", "\u{1B}[31m"] {
      #expect(throws: PictureError.empty) { try picture(text) }
    }
  }

  @Test("random bytes become a picture within its bounds, or are refused")
  func random() {
    let seed: UInt64 = 20_261_123
    var random = SeededRandom(seed: seed)
    let pieces: [[UInt8]] = [
      [0x1B], Array("[".utf8), Array("38;5;".utf8), Array("m".utf8), Array("\n".utf8), [0xE2],
      [0x96, 0x80], Array("▄".utf8), Array("\u{1B}[31m".utf8), Array("0".utf8), Array(";".utf8),
      Array("x".utf8), Array("\u{1B}[0m".utf8), [0x9F],
    ]
    var drawn = 0
    for round in 0..<20_000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int(random.next() % 12) {
        let isOdd = random.next() % 40 == 0
        let piece = pieces[Int(random.next() % 14)]
        bytes += isOdd ? [UInt8(truncatingIfNeeded: random.next())] : piece
      }
      guard let picture = try? Picture(drawn: bytes, within: Self.size) else { continue }
      drawn += 1
      let place = "seed \(seed), round \(round)"
      #expect(picture.size.width <= 8 && picture.size.height <= 3, "\(place)")
      for row in picture.rows {
        let text = row.map(\.text.string).joined()
        #expect(row.reduce(0) { $0 + $1.text.width } == text.unicodeScalars.count, "\(place)")
        #expect(
          text.unicodeScalars.allSatisfy {
            (0x20..<0x7F).contains($0.value) || (0x2580...0x259F).contains($0.value)
          }, "\(place)")
      }
    }
    #expect(drawn > 500)
  }

  // MARK: - Type of a file

  private func content(_ bytes: [UInt8], isWhole: Bool = true) -> PreviewContent {
    PreviewContent(of: bytes, isWhole: isWhole, path: "/p")
  }

  private func lines(_ text: String, isWhole: Bool = true) -> [String]? {
    guard case .text(let text) = content(Array(text.utf8), isWhole: isWhole) else { return nil }
    return text.lines.map(\.string)
  }

  @Test("a file's type comes from its bytes")
  func kinds() {
    #expect(content([]) == .empty)
    #expect(content([0x89] + Array("PNG\r\n".utf8) + [0x1A, 0x0A, 0]) == .picture(path: "/p"))
    #expect(content([0xFF, 0xD8, 0xFF, 0xE0]) == .picture(path: "/p"))
    #expect(content(Array("GIF89a...".utf8)) == .picture(path: "/p"))
    #expect(content(Array("RIFFabcdWEBPVP8 ".utf8)) == .picture(path: "/p"))
    #expect(content(Array("RIFF".utf8) + [1, 0, 0, 0] + Array("WAVE".utf8)) == .other)
    #expect(content([0x7F, 0x45, 0x4C, 0x46, 0, 1]) == .other)
    #expect(content(Array("zero\u{0}".utf8)) == .other)
    #expect(content([0xC3, 0x28]) == .other)
    #expect(lines("<svg xmlns='http://www.w3.org/2000/svg'/>") != nil)
  }

  @Test("text is made safe and keeps its lines")
  func texts() {
    #expect(lines("a\r\nb\n\nc\n") == ["a", "b", "", "c"])
    #expect(lines("\u{FEFF}a\tb") == ["a       b"])
    #expect(lines("\u{1B}[31mred\u{7}\u{202E}x") == ["␛[31mred␇x"])
  }

  @Test("a long text is cut between characters, with a note")
  func cut() {
    for end: [UInt8] in [[], [0xC3], [0xE2, 0x96], [0xF0, 0x9F, 0x99], [0xF0]] {
      guard case .text(let text) = content(Array("aé".utf8) + end, isWhole: false) else {
        Issue.record("\(end) is no text")
        continue
      }
      #expect(text.lines == ["aé"] && text.isCut)
      if !end.isEmpty { #expect(content(Array("aé".utf8) + end) == .other) }
    }
    #expect(content([0x61, 0x80], isWhole: false) == .other)
    let long = String(repeating: "x\n", count: PreviewText.linesMax + 1)
    guard case .text(let text) = content(Array(long.utf8)) else {
      Issue.record("no text")
      return
    }
    #expect(text.lines.count == PreviewText.linesMax && text.isCut)
  }
}
