import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Attachments on the screen")
struct AttachmentTests {
  private static let log = ContentExtras.Attachment(
    name: "build.log", url: "/file/AbC-_123", type: "text/plain", size: 1_234_567)
  private static let script = ContentExtras.Attachment(
    name: "../fix.sh", url: "/file/xyz", type: "text/x-shellscript", size: 999)
  private static let link = ContentExtras.Attachment(
    name: "graph", url: "https://ci.example.com/graph.png")

  private func desk(
    _ attachments: ContentExtras.Attachment..., width: Int = 80, height: Int = 24
  ) -> InboxDesk {
    var shelf = ItemShelf()
    var content = Content(app: "ci", visual: VisualContent(title: "build 412"))
    content.extras.attachments = attachments.isEmpty ? nil : attachments
    shelf.publish(content, at: InboxDesk.morning)
    var desk = InboxDesk(width: width, height: height, shelf: shelf)
    desk.start()
    desk.forgetActs()
    return desk
  }

  private struct Missing: Error {}

  private func order(_ desk: InboxDesk) throws -> AttachmentOrder {
    for case .attachment(.fetch(let order)) in desk.acts.reversed() { return order }
    throw Missing()
  }

  private func notice(_ desk: InboxDesk) -> String { desk.state.notice?.text.string ?? "" }
  private func footer(_ desk: InboxDesk) -> String {
    String(desk.frame.glyphs.split(separator: "\n", omittingEmptySubsequences: false)[23])
  }

  // MARK: - Names

  @Test(
    "an untrusted name is kept as far as it is safe",
    arguments: [
      (nil, "attachment"), ("", "attachment"), (" . ", "attachment"), ("..", "attachment"),
      ("build.log", "build.log"), ("../../etc/passwd", "_.._etc_passwd"),
      ("a\\b:c", "a_b_c"), ("-rf", "rf"), (".bashrc", "bashrc"), ("~/.ssh", "_.ssh"),
      ("a\nb\u{0}\u{1B}[2J", "ab[2J"), ("gpj.\u{202E}exe", "gpj.exe"), ("a\u{200B}b", "ab"),
      ("日本 語.txt", "日本 語.txt"), ("x\u{2028}y\u{A0}z", "x y z"), ("name. . ", "name"),
    ] as [(String?, String)])
  func names(name: String?, kept: String) { #expect(FileName.clean(name) == kept) }

  @Test("a long name keeps its extension and whole characters, also with a number")
  func longNames() {
    let long = FileName.clean(String(repeating: "é", count: 400) + ".tar.gz")
    #expect(long.utf8.count <= 255 && long.hasSuffix("é.gz"))
    let numbered = FileName.numbered(long, 12)
    #expect(numbered.utf8.count <= 255 && numbered.hasSuffix("é (12).gz"))
    #expect(FileName.numbered("a.pdf", 2) == "a (2).pdf")
    #expect(FileName.numbered("a.pdf", 1) == "a.pdf")
    #expect(FileName.clean(String(repeating: "x", count: 300)).utf8.count == 255)
    #expect(FileName.clean("a." + String(repeating: "x", count: 300)).utf8.count == 255)
  }

  @Test("no random name escapes the folder, is hidden, or looks like another one")
  func randomNames() {
    var random = SeededRandom(seed: 20_261_122)
    for round in 0..<2_000 {
      var name = String.UnicodeScalarView()
      for _ in 0..<Int(random.next() % 80) {
        let value = UInt32(random.next() % (round % 2 == 0 ? 0x80 : 0x11_0000))
        if let scalar = Unicode.Scalar(value) { name.append(scalar) }
      }
      let kept = FileName.clean(String(name))
      #expect(!kept.isEmpty && kept.utf8.count <= 255, "seed 20261122, round \(round)")
      #expect(!kept.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.value < 0x20 })
      #expect(!kept.hasPrefix(".") && !kept.hasPrefix("-"))
      #expect(FileName.clean(kept) == kept, "seed 20261122, round \(round)")
    }
  }

  // MARK: - Types and sizes

  @Test(
    "only a file of the store is fetched, and only from its address",
    arguments: [
      ("/file/AbC-_123", ItemAttachment.Place.store(id: "AbC-_123")), ("/file/", .nowhere),
      ("/file/a/b", .nowhere), ("/file/..", .nowhere), ("/file/a?x", .nowhere),
      ("/file/%2e", .nowhere), ("/v1.0/me", .nowhere), ("file:///etc/passwd", .nowhere),
      ("//evil.example/file/a", .nowhere), ("javascript:1", .nowhere),
      ("/file/" + String(repeating: "a", count: 129), .nowhere),
    ])
  func places(url: String, place: ItemAttachment.Place) {
    #expect(ItemAttachment(.init(url: url)).place == place)
  }

  @Test(
    "sizes are written as in file managers",
    arguments: [
      (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1_234_567, "1.2 MB"), (9_960, "10 kB"),
      (26_214_400, "26 MB"), (999_600, "1.0 MB"), (-5, "0 B"),
    ])
  func sizes(bytes: Int, text: String) { #expect(ItemAttachment.text(ofBytes: bytes) == text) }

  @Test("the item's pane lists them with type and size, and a link as a link")
  func detail() {
    var desk = desk(Self.log, Self.link, .init(name: "x", url: "ftp://a"), width: 120, height: 30)
    desk.press("Enter")
    let text = desk.frame.glyphs
    #expect(text.contains("[e]  build.log · text/plain · 1.2 MB"))
    #expect(text.contains("     https://ci.example.com/graph.png"))
    #expect(text.contains("x · unavailable: its address is not valid"))
  }

  @Test("a file that expires before its item shows until when, and then that it is gone")
  func ends() {
    var log = Self.log
    log.expires = InboxDesk.morning.advanced(by: .seconds(3 * 86_400))
    var desk = desk(log, width: 120, height: 30)
    desk.press("Enter")
    #expect(desk.frame.glyphs.contains("build.log · text/plain · 1.2 MB · until Tue 06:14"))
    desk.wait(.seconds(4 * 86_400))
    #expect(desk.frame.glyphs.contains("build.log · text/plain · 1.2 MB · no longer in the"))
  }

  @Test("a line of a list has a mark when its item has attachments")
  func marked() {
    #expect(desk(Self.log).frame.glyphs.contains("▤") && !desk().frame.glyphs.contains("▤"))
    #expect(desk(Self.log, width: 40, height: 12).frame.glyphs.contains("▤"))
  }

  // MARK: - The menu

  @Test("one attachment opens its menu at once, several are listed first, and Esc goes back")
  func menus() {
    var desk = desk(Self.log)
    desk.press("e")
    #expect(desk.frame.glyphs.contains("1  save it"))
    desk.press("Esc")
    #expect(desk.state.overlay.isNone)
    desk = self.desk(Self.log, Self.script, Self.link)
    desk.press("e")
    #expect(desk.frame.glyphs.contains("Attachments · build 412"))
    #expect(desk.frame.glyphs.contains("2  _fix.sh · text/x-shellscript · 999 B"))
    desk.press("3")
    #expect(desk.frame.glyphs.contains("1  open its link  https://ci.example.com/graph.png"))
    desk.press("Esc")
    #expect(desk.frame.glyphs.contains("Attachments · build 412"))
    desk.press("3 1")
    #expect(desk.acts.map(\.openedURL) == ["https://ci.example.com/graph.png"])
    desk.hasBrowser = false
    desk.press("e 3 1")
    #expect(desk.acts.last == .terminal(.copy("https://ci.example.com/graph.png")))
    #expect(notice(desk) == "No browser here; the link is copied.")
    desk.press("e 3 2")
    #expect(desk.acts.last == .terminal(.copy("https://ci.example.com/graph.png")))
  }

  @Test("an item without attachments says so, and opening the menu fetches nothing")
  func none() {
    var desk = desk()
    desk.press("e")
    #expect(notice(desk) == "This item has no attachments." && desk.acts.isEmpty)
    desk = self.desk(Self.log)
    desk.press("e Esc Enter i Esc")
    #expect(!desk.acts.contains { if case .attachment(.fetch) = $0 { true } else { false } })
  }

  @Test("opening an executable or a large file needs confirmation")
  func questions() throws {
    var desk = desk(Self.script)
    desk.press("e 2")
    #expect(desk.frame.glyphs.contains("This file may be executable. Open it?  y yes  n no"))
    desk.press("n")
    #expect(desk.acts.isEmpty && notice(desk) == "Nothing was done.")
    desk.press("e 2 y")
    #expect(try order(desk).purpose == .open)
    desk = self.desk(Self.log)
    desk.press("e 2")
    #expect(try order(desk).purpose == .open && order(desk).bytesMax == 25 << 20)
    desk = self.desk(Self.log)
    desk.state.use(attachmentBytesMax: 1_000_000)
    desk.press("e 1")
    #expect(desk.frame.glyphs.contains("Fetch 1.2 MB?  y yes  n no"))
    desk.press("y")
    #expect(try order(desk).bytesMax == 1_234_567)
  }

  // MARK: - In progress

  @Test("the last line shows the progress of a file, and where it was saved")
  func progress() throws {
    var desk = desk(Self.log)
    desk.press("e 1")
    let order = try order(desk)
    #expect(order.id == "AbC-_123" && order.fileName == "build.log" && order.purpose == .save)
    #expect(footer(desk).contains("build.log: 0 B of 1.2 MB · Esc stops it"))
    desk.send(.attachment(.fetchMoved(serial: order.serial, received: 600_000, total: 2_000_000)))
    #expect(footer(desk).contains("build.log: 600 kB of 2.0 MB · Esc stops it"))
    // Keys keep their meaning meanwhile.
    desk.press("r e 1")
    #expect(notice(desk).hasPrefix("Another file is being fetched"))
    desk.send(.attachment(.fetchEnded(serial: order.serial + 7, .saved(path: "/other"))))
    #expect(desk.state.attachments.fetch != nil)
    desk.send(.attachment(.fetchEnded(serial: order.serial, .saved(path: "/home/a/build.log"))))
    #expect(notice(desk) == "Saved: /home/a/build.log" && desk.state.attachments.fetch == nil)
  }

  @Test("Esc stops it once, and then has its usual meaning again")
  func cancelled() throws {
    var desk = desk(Self.log)
    desk.press("e 1")
    let order = try order(desk)
    desk.press("Enter Esc")
    #expect(desk.acts.last == .attachment(.cancelFetch(serial: order.serial)))
    #expect(desk.state.focus == .detail && footer(desk).contains("build.log: stopping …"))
    desk.press("Esc")
    #expect(desk.state.focus == .list)
    desk.send(.attachment(.fetchEnded(serial: order.serial, .cancelled)))
    #expect(notice(desk) == "build.log: stopped. The partial file was removed.")
  }
}
