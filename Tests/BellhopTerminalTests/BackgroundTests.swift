import BellhopScreen
import BellhopTestSupport
import Testing

@testable import BellhopTerminal

@Suite("The terminal's background")
struct BackgroundTests {
  private static let xterm = TerminalOptions(environment: ["TERM": "xterm-256color"])
  private static let white = Color.rgb(0xFFFFFF)
  private static let black = Color.rgb(0x000000)

  // MARK: - Answers

  @Test(
    "answers have one to four digits per component, with or without alpha, and either terminator",
    arguments: [
      ("rgb:ffff/8080/0000", 0xFF8000), ("rgb:fff/800/000", 0xFF8000),
      ("rgb:ff/80/00", 0xFF8000), ("rgb:f/8/0", 0xFF8800), ("RGB:ff/80/00", nil),
      ("rgba:1c1c/1C1C/1c1c/ffff", 0x1C1C1C), ("rgb:00/00", nil), ("rgb:00/00/00/00", nil),
      ("rgba:00/00/00", nil), ("rgb:00000/0/0", nil), ("rgb:/0/0", nil), ("rgb:g/0/0", nil),
    ] as [(String, UInt32?)])
  func forms(text: String, value: UInt32?) {
    for end in ["\u{7}", "\u{1B}\\"] {
      var decoder = InputDecoder(escapeDelay: .milliseconds(25))
      let events = decoder.feed(Array("\u{1B}]11;\(text)\(end)".utf8), at: .zero)
      #expect(events == [], "\(text)")
      let expected = value.map { [TerminalAnswer.background(Color.rgb($0))] } ?? []
      #expect(decoder.answers == expected, "\(text)")
    }
  }

  @Test("a report of dark or light is accepted at any time, and is not a key")
  func reports() {
    var decoder = InputDecoder(escapeDelay: .milliseconds(25))
    #expect(decoder.feed(Array("\u{1B}[?997;1n\u{1B}[?997;2n\u{1B}[?997;3n".utf8), at: .zero) == [])
    #expect(decoder.answers == [.colorScheme(isLight: false), .colorScheme(isLight: true)])
  }

  /// Bytes that leave the decoder in some state when an answer comes, with the keys they give.
  private static let states: [(bytes: [UInt8], keys: [Key])] = [
    ([], []), (Array("j".utf8), [.character("j")]), ([0x1B], [.escape]),
    (Array("\u{1B}[".utf8), [.escape]), (Array("\u{1B}[1;".utf8), []),
    (Array("\u{1B}[[".utf8), []), (Array("\u{1B}[M".utf8), []), (Array("\u{1B}[<0;3".utf8), []),
    (Array("\u{1B}O".utf8), [.escape]), (Array("\u{1B}O1".utf8), []),
    ([0xC3], []), ([0xE2, 0x82], []), ([0x1B, 0xC3], []),
    (Array("\u{1B}]".utf8), [.alt("]")]), (Array("\u{1B}]1".utf8), []),
    (Array("\u{1B}]11;rgb:ff".utf8), []), (Array("\u{1B}]10;rgb:ff".utf8), []),
    (Array("\u{1B}P".utf8), []), (Array("\u{1B}_Gi=3".utf8), []),
    (Array("\u{1B}[200~pasted".utf8), []),
  ]

  private func keys(_ events: [TerminalEvent]) -> [Key] {
    events.compactMap { if case .key(let key) = $0 { key } else { nil } }
  }

  /// The keys and answers of the pieces, which arrive with this pause between them.
  private func read(
    _ pieces: [[UInt8]], pause: Duration, isAwaited: Bool
  ) -> (keys: [Key], answers: [TerminalAnswer]) {
    var decoder = InputDecoder(escapeDelay: .milliseconds(25))
    decoder.awaitsAnswer = isAwaited
    var events: [TerminalEvent] = []
    var now = Duration.zero
    for piece in pieces {
      while let deadline = decoder.deadline, deadline <= now {
        events += decoder.expire(at: deadline)
      }
      events += decoder.feed(piece, at: now)
      now += pause
    }
    while let deadline = decoder.deadline { events += decoder.expire(at: deadline) }
    // The next byte is a key again.
    events += decoder.feed([0x6B], at: .seconds(1000))
    #expect(keys(events).last == .character("k"))
    return (keys(events).dropLast(), decoder.answers)
  }

  private static let answers = ["\u{7}", "\u{1B}\\"].map {
    Array("\u{1B}]11;rgb:ffff/ffff/ffff\($0)".utf8)
  }

  @Test("an answer split in two anywhere is not a key, whatever came before it")
  func splits() {
    for answer in Self.answers {
      for state in Self.states {
        for split in 0...answer.count {
          for (milliseconds, isAwaited) in [
            (0, true), (20, true), (290, true), (1900, true), (0, false), (20, false),
            (290, false), (1900, false),
          ] {
            // A lone escape byte, and what was typed before it, is not held back longer than a user
            // would notice.
            let isPasted = state.bytes.starts(with: Array("\u{1B}[200~".utf8))
            if milliseconds == 1900, isPasted || split < (isAwaited ? 2 : 3) { continue }
            let place = "\(state.bytes), split at \(split), \(milliseconds) ms, \(isAwaited)"
            let head = state.bytes + answer[..<split]
            let (keys, answers) = read(
              [head, Array(answer[split...])], pause: .milliseconds(milliseconds),
              isAwaited: isAwaited)
            let isLone = split == 1 && !isAwaited && milliseconds > 25
            #expect(
              keys == state.keys || (isLone && keys == state.keys + [.escape]), "\(place): \(keys)")
            #expect(answers == (isPasted ? [] : [.background(Self.white)]), "\(place): \(answers)")
          }
        }
      }
    }
  }

  @Test("an answer that comes byte by byte is not a key, even when no answer is awaited any more")
  func bytewise() {
    for answer in Self.answers {
      let pieces = answer.map { [$0] }
      for (milliseconds, isAwaited) in [
        (0, true), (20, true), (290, true), (0, false), (20, false),
      ] {
        let (keys, answers) = read(
          pieces, pause: .milliseconds(milliseconds), isAwaited: isAwaited)
        #expect(keys == [], "\(milliseconds) ms apart: \(keys)")
        #expect(answers == [.background(Self.white)])
      }
      // The first byte alone looks like the key; the rest gives none.
      #expect(read(pieces, pause: .milliseconds(290), isAwaited: false).keys == [.escape])
    }
  }

  @Test("a bracket typed after Escape is a key, and so is what follows it")
  func typed() {
    for isAwaited in [false, true] {
      for (text, expected) in [
        ("]", [Key.escape, .character("]")]),
        ("]j", [.escape, .character("]"), .character("j")]),
        ("]11d", [.escape, .character("]"), .character("1"), .character("1"), .character("d")]),
      ] {
        let pieces = [[0x1B]] + text.utf8.map { [$0] }
        // Late enough that Escape was delivered, and early enough that it may be an answer.
        var decoder = InputDecoder(escapeDelay: .milliseconds(25))
        var events = decoder.feed(pieces[0], at: .zero)
        events += decoder.expire(at: .milliseconds(25))
        decoder.awaitsAnswer = isAwaited
        var now = Duration.milliseconds(100)
        for piece in pieces.dropFirst() {
          events += decoder.feed(piece, at: now)
          now += .milliseconds(50)
        }
        while let deadline = decoder.deadline { events += decoder.expire(at: deadline) }
        #expect(keys(events) == expected, "\(text), \(isAwaited)")
      }
    }
  }

  @Test("while an answer is awaited, Escape and a letter after it are two keys")
  func held() {
    var decoder = InputDecoder(escapeDelay: .milliseconds(25))
    decoder.awaitsAnswer = true
    #expect(decoder.feed([0x1B], at: .zero) == [])
    #expect(decoder.feed([0x71], at: .milliseconds(150)) == [.key(.escape), .key(.character("q"))])
    // At one instant they are one key, as always.
    #expect(decoder.feed([0x1B, 0x71], at: .seconds(5)) == [.key(.alt("q"))])
  }

  // MARK: - The query

  @Test(
    "terminals that would print the query, or use no colours, are not queried",
    arguments: [
      ["TERM": "linux"], ["TERM": "vt100"], ["TERM": "ansi"], ["TERM": "dumb"], [:],
      ["TERM": "xterm-256color", "NO_COLOR": "1"],
    ])
  func unasked(environment: [String: String]) {
    let options = TerminalOptions(environment: environment)
    var inquiry = BackgroundInquiry(options: options)
    #expect(inquiry.begin(at: .zero) == nil && inquiry.deadline == nil)
    #expect(!inquiry.isAwaiting(at: .zero))
    let modes = TerminalModes(options: options)
    #expect(!modes.on.contains("2031") && !modes.off.contains("2031"))
  }

  @Test(
    "multiplexers are queried as well, and reports are switched on and off",
    arguments: ["xterm", "tmux-256color", "screen", "foot", "vte-256color"])
  func asked(term: String) {
    let options = TerminalOptions(environment: ["TERM": term, "TMUX": "/tmp/x"])
    var inquiry = BackgroundInquiry(options: options)
    #expect(inquiry.begin(at: .zero) == "\u{1B}]11;?\u{7}\u{1B}[c")
    let modes = TerminalModes(options: options)
    #expect(modes.on.contains("\u{1B}[?2031h") && modes.off.contains("\u{1B}[?2031l"))
  }

  @Test("a silent terminal delays the screen 200 ms, and its late answer is still used")
  func silent() {
    var inquiry = BackgroundInquiry(options: Self.xterm)
    #expect(inquiry.begin(at: .zero) != nil)
    #expect(inquiry.deadline == .milliseconds(200))
    var isSilent = inquiry.expire(at: .milliseconds(199))
    #expect(!isSilent && inquiry.deadline != nil)
    isSilent = inquiry.expire(at: .milliseconds(200))
    #expect(isSilent && inquiry.deadline == nil && inquiry.takeFound() == nil)
    #expect(inquiry.isAwaiting(at: .seconds(1)) && !inquiry.isAwaiting(at: .seconds(2)))
    inquiry.take(Self.white, at: .seconds(9))
    #expect(inquiry.takeFound() == Self.white && inquiry.takeFound() == nil)
    inquiry.take(Self.black, at: .seconds(10))
    #expect(inquiry.takeFound() == nil)
  }

  @Test("a report is followed by a query, and counts if that gets no answer")
  func reported() {
    var inquiry = BackgroundInquiry(options: Self.xterm)
    _ = inquiry.begin(at: .zero)
    inquiry.end()
    #expect(inquiry.next(at: .zero) == nil && inquiry.takeFound() == nil)
    inquiry.take(isLight: true)
    #expect(inquiry.next(at: .seconds(1)) != nil && inquiry.next(at: .seconds(1)) == nil)
    inquiry.end()
    #expect(inquiry.takeFound() == Self.white)
    // A known colour takes precedence over the report.
    inquiry.take(isLight: false)
    #expect(inquiry.next(at: .seconds(2)) != nil)
    inquiry.take(.rgb(0x2E3440), at: .seconds(2))
    inquiry.end()
    #expect(inquiry.takeFound() == .rgb(0x2E3440) && inquiry.takeFound() == nil)
    // A report that comes while an answer is awaited triggers another query.
    _ = inquiry.begin(at: .seconds(3))
    inquiry.take(isLight: true)
    #expect(inquiry.next(at: .seconds(3)) == nil)
    inquiry.take(.rgb(0x2E3440), at: .seconds(3))
    inquiry.end()
    #expect(inquiry.next(at: .seconds(3)) != nil)
    let isSilent = inquiry.expire(at: .seconds(4))
    #expect(isSilent)
  }

  // MARK: - Together with the query about graphics

  private static let cell = PixelSize(width: 10, height: 20)
  private static let sixel = PictureRendering.pixels(.sixel, cell: cell, colors: 256)
  private static let able = TerminalAnswer.attributes([62, 4])

  @Test("the attributes end the oldest query, whichever came first")
  func both() {
    for isBackgroundFirst in [true, false] {
      var inquiries = TerminalInquiries(options: Self.xterm)
      func take(_ answers: TerminalAnswer...) {
        for answer in answers { inquiries.take(answer, cell: Self.cell, at: .zero) }
      }
      if isBackgroundFirst { #expect(inquiries.askBackground(at: .zero) != nil) }
      #expect(inquiries.askGraphics(cell: Self.cell, at: .zero) != nil)
      if !isBackgroundFirst { #expect(inquiries.askBackground(at: .zero) != nil) }
      #expect(inquiries.deadline == BackgroundInquiry.patience)
      if isBackgroundFirst {
        take(.background(Self.white), Self.able)
        #expect(inquiries.graphics.means == nil && inquiries.isAwaiting(at: .zero))
        take(.kittyGraphics(true), Self.able)
      } else {
        take(.kittyGraphics(true), Self.able, .background(Self.white))
        #expect(inquiries.isAwaiting(at: .zero))
        take(Self.able)
      }
      #expect(inquiries.graphics.means == .pixels(.kitty, cell: Self.cell, colors: 256))
      #expect(inquiries.takeBackground() == Self.white)
      #expect(!inquiries.isAwaiting(at: .zero) && inquiries.deadline == nil)
    }
  }

  @Test("a late answer about the background does not end the query about graphics")
  func late() {
    var inquiries = TerminalInquiries(options: Self.xterm)
    _ = inquiries.askBackground(at: .zero)
    let isSilent = inquiries.expire(at: .milliseconds(200))
    #expect(isSilent)
    _ = inquiries.askGraphics(cell: Self.cell, at: .milliseconds(300))
    for answer in [TerminalAnswer.background(Self.white), .attributes([62])] {
      inquiries.take(answer, cell: Self.cell, at: .milliseconds(400))
    }
    #expect(inquiries.graphics.means == nil)
    inquiries.take(Self.able, cell: Self.cell, at: .milliseconds(500))
    #expect(inquiries.graphics.means == Self.sixel)
  }

  @Test("a query without an answer does not take the answer to another one")
  func unanswered() {
    var inquiries = TerminalInquiries(options: Self.xterm)
    _ = inquiries.askBackground(at: .zero)
    _ = inquiries.askGraphics(cell: nil, at: .seconds(1))
    // An answer that only the second query asks for shows that the first is over.
    inquiries.take(.cell(Self.cell), cell: nil, at: .seconds(1))
    inquiries.take(Self.able, cell: nil, at: .seconds(1))
    #expect(inquiries.graphics.means == Self.sixel)
    var others = TerminalInquiries(options: Self.xterm)
    _ = others.askBackground(at: .zero)
    _ = others.askGraphics(cell: Self.cell, at: .seconds(20))
    others.take(Self.able, cell: Self.cell, at: .seconds(20))
    #expect(others.graphics.means == Self.sixel)
  }
}

@Suite(
  "The background in a pseudo-terminal", .enabled(if: !TerminalChild.isChild), .realPrograms)
struct BackgroundChildTests {
  @Test("the answer is an event, a report triggers a query, and reports end with the program")
  func asked() throws {
    let program = try PseudoTerminal.terminalChild(columns: 60, rows: 20)
    try program.wait(for: "60×20")
    program.send("B")
    try program.wait(for: "\u{1B}]11;?\u{7}\u{1B}[c")
    program.send("\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\\u{1B}[?62c")
    try program.wait(for: "background 16777215")
    program.send("\u{1B}[?997;1n")
    try program.wait(for: "\u{1B}]11;?\u{7}\u{1B}[c")
    // Only this report is known.
    program.send("\u{1B}[?62c")
    try program.wait(for: "background 0")
    program.send("q")
    try program.waitForEnd(as: .exited(0))
    let text = program.text
    #expect(text.contains("\u{1B}[?2031h") && text.contains("\u{1B}[?2031l"))
  }

  @Test("an answer after the last key does not reach the shell")
  func leftover() throws {
    let program = try PseudoTerminal.terminalChild(columns: 60, rows: 20)
    try program.wait(for: "60×20")
    program.send("B")
    try program.wait(for: "\u{1B}]11;?\u{7}\u{1B}[c")
    program.send("q\u{1B}]11;rgb:0/0/0\u{7}\u{1B}[?62c")
    try program.waitForEnd(as: .exited(0))
    // Back in the shell, the terminal would echo it.
    #expect(!program.text.contains("11;rgb"))
  }
}
