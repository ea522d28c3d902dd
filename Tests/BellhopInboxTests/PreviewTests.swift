import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Previews of attachments")
struct PreviewTests {
  private func desk(
    _ attachments: [ContentExtras.Attachment] = [
      .init(name: "build.log", url: "/file/a", type: "text/plain", size: 1_000)
    ]
  ) -> InboxDesk {
    var shelf = ItemShelf()
    var content = Content(app: "ci", visual: VisualContent(title: "build 412"))
    content.extras.attachments = attachments
    shelf.publish(content, at: InboxDesk.morning)
    var desk = InboxDesk(width: 40, height: 12, shelf: shelf)
    desk.start()
    desk.forgetActs()
    return desk
  }

  private func order(_ desk: InboxDesk) throws -> AttachmentOrder {
    try #require(
      desk.acts.compactMap { effect -> AttachmentOrder? in
        if case .attachment(.fetch(let order)) = effect { order } else { nil }
      }.last)
  }

  private func drawings(_ desk: InboxDesk) -> [PictureOrder] {
    desk.acts.compactMap {
      if case .attachment(.drawPicture(let order)) = $0 { order } else { nil }
    }
  }

  private func text(_ text: String, isWhole: Bool = true) -> PreviewContent {
    PreviewContent(of: Array(text.utf8), isWhole: isWhole, path: "/p")
  }

  /// A desk that shows the fetched content.
  private func shown(_ content: PreviewContent) throws -> InboxDesk {
    var desk = desk()
    desk.press("e p")
    desk.send(.attachment(.fetchEnded(serial: try order(desk).serial, .previewed(content))))
    return desk
  }

  private func picture(_ text: String) throws -> Picture {
    try Picture(drawn: Array(text.utf8), within: Size(width: 40, height: 8))
  }

  @Test("p in the menu, its line there, and a separate key fetch the file for a preview")
  func keys() throws {
    for keys in ["e p", "e 3", "E"] {
      var desk = desk()
      desk.press(keys)
      #expect(try order(desk).purpose == .preview, "\(keys)")
      #expect(desk.frame.glyphs.contains("Preview build.log"), "\(keys)")
      #expect(desk.frame.glyphs.contains("build.log: 0 B of 1.0 kB"), "\(keys)")
    }
    var several = desk([
      .init(name: "link", url: "https://ci.example.com"), .init(name: "a.log", url: "/file/a"),
      .init(name: "b.log", url: "/file/b"),
    ])
    several.press("E")
    #expect(several.acts.isEmpty)
    several.press("j p")
    #expect(try order(several).id == "b")
    var link = desk([.init(name: "link", url: "https://ci.example.com")])
    link.press("e p E p")
    #expect(link.acts.isEmpty)
  }

  @Test("a large file needs a confirmation before it is fetched")
  func large() throws {
    var desk = desk()
    desk.state.use(attachmentBytesMax: 999)
    desk.press("E")
    #expect(desk.frame.glyphs.contains("Fetch 1.0 kB?  y yes  n no"))
    #expect(desk.acts.isEmpty)
    desk.press("y")
    #expect(try order(desk).purpose == .preview)
  }

  @Test("text scrolls, is wrapped again at another width, and shows where it was cut")
  func scrolling() throws {
    let lines = (1...30).map { "line \($0) " + String(repeating: "x", count: 40) }
    var desk = try shown(text(lines.joined(separator: "\n"), isWhole: false))
    #expect(desk.frame.glyphs.contains("line 1\n") && desk.frame.glyphs.contains("beginning only"))
    desk.press("G")
    #expect(desk.frame.glyphs.contains("Truncated: at most 256 KiB"))
    desk.press("g")
    #expect(desk.frame.glyphs.contains("line 1\n"))
    desk.press("PgDn")
    #expect(!desk.frame.glyphs.contains("line 1\n"))
    desk.press("g")
    desk.send(.resize(Size(width: 80, height: 12)))
    #expect(desk.frame.glyphs.contains("line 1 xxxx"))
    desk.press("G")
    desk.send(.resize(Size(width: 80, height: 60)))
    #expect(desk.frame.glyphs.contains("line 1 xxxx"))
  }

  @Test("Esc closes it, and stops its downloads")
  func left() throws {
    var desk = desk()
    desk.press("e p")
    let order = try order(desk)
    desk.press("Esc")
    #expect(
      desk.state.overlay.isNone && desk.acts.last == .attachment(.cancelFetch(serial: order.serial))
    )
    desk.send(.attachment(.fetchEnded(serial: order.serial, .previewed(text("late")))))
    #expect(desk.state.overlay.isNone)
    desk = try shown(.picture(path: "/p"))
    let drawing = try #require(drawings(desk).last)
    desk.press("q")
    #expect(
      desk.state.overlay.isNone
        && desk.acts.last == .attachment(.cancelPicture(serial: drawing.serial)))
    desk.send(.attachment(.pictureDrawn(serial: drawing.serial, .drawn(try picture("x")))))
    #expect(desk.state.overlay.isNone)
  }

  @Test("a file that cannot be fetched closes it, and the last line shows why")
  func failed() throws {
    var desk = desk()
    desk.press("e p")
    desk.send(.attachment(.fetchEnded(serial: try order(desk).serial, .failed("it is gone"))))
    #expect(desk.state.overlay.isNone && desk.state.notice?.text == "build.log: it is gone")
  }

  @Test("a picture is drawn for the pane, in its colours, and again for another size")
  func drawn() throws {
    var desk = try shown(.picture(path: "/p"))
    let first = try #require(drawings(desk).last)
    #expect(first.path == "/p" && first.size == desk.state.layout.body.size)
    // While one drawing is in progress there is no other.
    desk.send(.resize(Size(width: 80, height: 24)))
    #expect(drawings(desk).count == 1)
    desk.send(
      .attachment(
        .pictureDrawn(
          serial: first.serial, .drawn(try picture("\u{1B}[38;5;9m▀▀\n\u{1B}[48;5;4m▄")))))
    #expect(drawings(desk).count == 2)
    let body = desk.state.layout.body
    let place = Point(x: body.x + (body.width - 2) / 2, y: body.y + (body.height - 2) / 2)
    let frame = desk.frame
    #expect(frame[place.x, place.y].text == "▀")
    #expect(frame[place.x, place.y].paint == Paint(foreground: 9))
    #expect(frame[place.x, place.y + 1].paint == Paint(foreground: 9, background: 4))
    #expect(frame[place.x + 2, place.y].paint == nil)
    // A drawing for a larger pane stays inside the current one.
    desk.send(.resize(Size(width: 1, height: 1)))
    desk.send(.resize(Size(width: 20, height: 4)))
    #expect(desk.frame.size == Size(width: 20, height: 4))
    desk.send(.resize(Size(width: 80, height: 12)))
    let second = try #require(drawings(desk).last)
    desk.send(.attachment(.pictureDrawn(serial: second.serial, .failed("no"))))
    #expect(desk.frame.glyphs.contains("cannot be shown"))
    #expect(drawings(desk).count == 2)
  }

  // MARK: - Pixels

  private static let cell = PixelSize(width: 10, height: 20)
  private static let sixels = PictureRendering.pixels(.sixel, cell: cell, colors: 16)

  /// A picture of that many pixels.
  private func image(_ width: Int, _ height: Int) throws -> TerminalImage {
    let size = PixelSize(width: width, height: height)
    let bytes = [UInt8](repeating: 0xFF, count: size.count * 4)
    let pixels = try #require(PixelImage(size: size, bytes: bytes))
    return try #require(TerminalImage(pixels, for: .sixel, colors: 16))
  }

  /// A desk on a terminal with sixels that shows a picture being drawn.
  private func shownInPixels() throws -> InboxDesk {
    var desk = desk()
    desk.means = Self.sixels
    desk.press("e p")
    desk.send(
      .attachment(.fetchEnded(serial: try order(desk).serial, .previewed(.picture(path: "/p")))))
    return desk
  }

  @Test("the terminal is queried once, before the first picture, which waits for the answer")
  func asked() throws {
    var desk = desk()
    desk.means = nil
    desk.press("e p")
    desk.send(
      .attachment(.fetchEnded(serial: try order(desk).serial, .previewed(text("no picture")))))
    desk.press("Esc")
    #expect(desk.questions == 0)
    for _ in 1...2 {
      desk.press("e p")
      desk.send(
        .attachment(.fetchEnded(serial: try order(desk).serial, .previewed(.picture(path: "/p")))))
      desk.send(.tick(desk.now))
      #expect(desk.questions == 1 && drawings(desk).isEmpty)
      desk.press("Esc")
    }
    desk.press("e p")
    desk.send(
      .attachment(.fetchEnded(serial: try order(desk).serial, .previewed(.picture(path: "/p")))))
    desk.send(.terminal(.graphics(.cells)))
    #expect(drawings(desk).map(\.means) == [.cells] && desk.questions == 1)
  }

  @Test("pixels are drawn for the pane, centred, and removed with it")
  func pixels() throws {
    var desk = try shownInPixels()
    let first = try #require(drawings(desk).last)
    let body = desk.state.layout.body
    #expect(first.means == Self.sixels && first.size == body.size)
    desk.send(.attachment(.pictureDrawn(serial: first.serial, .pixels(try image(95, 41)))))
    let place = try #require(desk.frame.picture?.place)
    #expect(place.size == Size(width: 10, height: 3) && body.intersection(place) == place)
    #expect(abs((place.x - body.x) - (body.maxX - place.maxX)) <= 1)
    #expect(desk.frame.roles.contains("##########"))
    // Another size of the window, or of its cells, needs another picture.
    desk.send(.resize(Size(width: 80, height: 24)))
    let second = try #require(drawings(desk).last)
    #expect(second.size == desk.state.layout.body.size && drawings(desk).count == 2)
    desk.send(.attachment(.pictureDrawn(serial: second.serial, .pixels(try image(700, 100)))))
    desk.send(
      .terminal(.graphics(.pixels(.sixel, cell: PixelSize(width: 5, height: 9), colors: 16))))
    #expect(drawings(desk).count == 3)
    // A picture that is too large for the pane is not drawn, not even in part.
    desk.send(.resize(Size(width: 60, height: 8)))
    #expect(desk.frame.picture == nil)
    desk.press("q")
    #expect(desk.frame.picture == nil && desk.state.overlay.isNone)
  }

  @Test("a picture that fails in pixels is tried in characters, and the reason is shown")
  func fallback() throws {
    var desk = try shownInPixels()
    desk.send(.resize(Size(width: 100, height: 12)))
    let first = try #require(drawings(desk).last)
    desk.send(
      .attachment(.pictureDrawn(serial: first.serial, .failed("the output of chafa is too large.")))
    )
    let second = try #require(drawings(desk).last)
    #expect(second.means == .cells)
    desk.send(.attachment(.pictureDrawn(serial: second.serial, .drawn(try picture("ab")))))
    #expect(desk.frame.glyphs.contains("as characters: the output of chafa is too large."))
    #expect(desk.frame.glyphs.contains("ab") && desk.frame.picture == nil)
    // If that fails too, there is no further attempt.
    var other = try shownInPixels()
    let fourth = try #require(drawings(other).last)
    other.send(.attachment(.pictureDrawn(serial: fourth.serial, .failed("no"))))
    let fifth = try #require(drawings(other).last)
    other.send(
      .attachment(.pictureDrawn(serial: fifth.serial, .failed("chafa cannot read the file."))))
    #expect(other.frame.glyphs.contains("The picture cannot be shown: chafa"))
    #expect(drawings(other).count == 2)
  }

  @Test("without the program it shows what to install, and saving and opening still work")
  func absent() throws {
    for (key, purpose) in [("s", AttachmentOrder.Purpose.save), ("o", .open)] {
      var desk = try shown(.picture(path: "/p"))
      desk.send(
        .attachment(.pictureDrawn(serial: try #require(drawings(desk).last).serial, .noProgram)))
      #expect(desk.frame.glyphs.contains("sudo apt install chafa"))
      desk.press(key)
      #expect(try order(desk).purpose == purpose && desk.state.overlay.isNone)
    }
  }

  @Test("opening an executable from here needs a confirmation; a known size does not")
  func opened() throws {
    var desk = desk([.init(name: "fix.sh", url: "/file/a", size: 1_000)])
    desk.press("E")
    desk.send(.attachment(.fetchEnded(serial: try order(desk).serial, .previewed(text("rm")))))
    desk.state.use(attachmentBytesMax: 10)
    desk.press("o")
    #expect(desk.frame.glyphs.contains("May be executable. Open?  y yes  n no"))
    desk.press("y")
    #expect(try order(desk).purpose == .open)
  }
}
