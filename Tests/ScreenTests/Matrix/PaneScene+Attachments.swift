import BellhopInbox
import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText

extension PaneScene {
  /// Attachments of items, and their download.
  static let attachments: [PaneScene] = [
    PaneScene(
      name: "attachments", shelf: Scenes.withAttachments, open: { $0.press("e") },
      conditions: [.many, .world, .ascii, .mono],
      shelves: [.many: Scenes.withManyAttachments, .world: Scenes.worldOfAttachments]),
    PaneScene(
      name: "attachments-detail", shelf: Scenes.withAttachments, open: { $0.press("Enter") },
      conditions: [.many, .world],
      shelves: [.many: Scenes.withManyAttachments, .world: Scenes.worldOfAttachments]),
    PaneScene(
      name: "attachment-question", shelf: Scenes.withAttachments, open: { $0.press("e 2 2") }),
    PaneScene(
      name: "attachment-fetched", shelf: Scenes.withAttachments,
      open: {
        $0.press("e 1 1")
        for case .attachment(.fetch(let order)) in $0.acts {
          $0.send(.attachment(.fetchMoved(serial: order.serial, received: 640_000, total: nil)))
        }
      }, conditions: [.offline]),
    PaneScene(
      name: "preview-fetched", shelf: Scenes.withAttachments, open: { $0.press("e 1 p") }),
    PaneScene(
      name: "preview-text", shelf: Scenes.withAttachments, open: { $0.preview(Scenes.log) },
      conditions: [.many, .world, .ascii, .offline],
      shelves: [.many: Scenes.withAttachments, .world: Scenes.worldOfAttachments],
      ways: [
        .many: {
          $0.preview(Scenes.longLog)
          $0.press("G")
        }, .world: { $0.preview(Scenes.hostileLog) },
      ]),
    PaneScene(
      name: "preview-picture", shelf: Scenes.withAttachments, open: { $0.previewPicture() },
      conditions: [.ascii]),
    PaneScene(
      name: "preview-pixels", shelf: Scenes.withAttachments, open: { $0.previewPixels() }),
    PaneScene(
      name: "preview-nothing", shelf: Scenes.withAttachments,
      open: { $0.previewPicture(.noProgram) }),
  ]
}

extension InboxDesk {
  /// Previews the first attachment.
  fileprivate mutating func preview(_ content: PreviewContent) {
    press("e 1 p")
    let serials = acts.compactMap { effect -> Int? in
      if case .attachment(.fetch(let order)) = effect { order.serial } else { nil }
    }
    send(.attachment(.fetchEnded(serial: serials.last ?? 0, .previewed(content))))
  }

  /// Previews a picture: a frame of blocks around the colours of the palette.
  fileprivate mutating func previewPicture(_ outcome: PictureOutcome? = nil) {
    preview(.picture(path: "/picture"))
    let orders = acts.compactMap { effect -> PictureOrder? in
      if case .attachment(.drawPicture(let order)) = effect { order } else { nil }
    }
    // A pane without cells has no picture.
    guard let order = orders.last else { return }
    let width = max(1, order.size.width / 2)
    let rows = (0..<max(1, order.size.height - 2)).map { y in
      let colors = (0..<width).map { "\u{1B}[38;5;\(16 + ($0 + y * 3) % 216);48;5;\(y)m▀" }
      return colors.joined() + "\u{1B}[0m"
    }
    let drawn = try? Picture(
      drawn: Array(rows.joined(separator: "\n").utf8), within: order.size)
    send(
      .attachment(
        .pictureDrawn(
          serial: order.serial, outcome ?? drawn.map { .drawn($0) } ?? .failed("too small"))))
  }
}

extension InboxDesk {
  /// Previews a picture on a terminal that draws pixels itself.
  fileprivate mutating func previewPixels() {
    means = .pixels(.kitty, cell: PixelSize(width: 10, height: 20), colors: 256)
    preview(.picture(path: "/picture"))
    for case .attachment(.drawPicture(let order)) in acts {
      let size = PixelSize(width: order.size.width * 7, height: order.size.height * 14)
      let bytes = [UInt8](repeating: 0x80, count: size.count * 4)
      let image = PixelImage(size: size, bytes: bytes)
        .flatMap { TerminalImage($0, for: .kitty, colors: 256) }
      send(
        .attachment(
          .pictureDrawn(serial: order.serial, image.map { .pixels($0) } ?? .failed("too small"))))
    }
  }
}

extension Scenes {
  fileprivate static var log: PreviewContent {
    text(
      """
      06:02:11 tests on linux-arm64 of commit 5ee80b1, with the cache of the day before yesterday
      06:02:12 \tCacheTests     1,204 passed
      06:04:40 \tOutboxTests    2 failed

      OutboxTests.swift:114: "a lost answer applies once": expected 1, found 2
      """)
  }

  fileprivate static var longLog: PreviewContent {
    text((1...3_000).map { "06:02:11 line \($0) of many" }.joined(separator: "\n"))
  }

  fileprivate static var hostileLog: PreviewContent {
    text("\u{1B}[31mred\u{1B}[0m \u{202E}evil\r\n検索：見つかりません 👩‍👩‍👧‍👦\n\u{1B}]0;x\u{7}\nتقرير\tx")
  }

  private static func text(_ text: String) -> PreviewContent {
    PreviewContent(of: Array(text.utf8), isWhole: true, path: "/log")
  }
}

extension Scenes {
  static func withAttachments() -> ItemShelf {
    attaching(
      [
        .init(name: "build.log", url: "/file/AbC-_1", type: "text/plain", size: 1_234_567),
        .init(name: "fix.sh", url: "/file/AbC-_2", type: "text/x-shellscript", size: 812),
        .init(name: "coverage", url: "https://ci.example.com/412/coverage.png"),
      ], to: morning())
  }

  static func withManyAttachments() -> ItemShelf {
    attaching(
      (1...20).map {
        .init(
          name: "a part with a long name that says more than anybody reads, number \($0).tar.gz",
          url: "/file/p\($0)", type: "application/octet-stream", size: $0 * 98_765_432)
      }, to: morning())
  }

  static func worldOfAttachments() -> ItemShelf {
    attaching(
      [
        .init(name: "バックアップ報告書.pdf", url: "/file/a", type: "application/pdf", size: 5),
        .init(name: "\u{202E}fdp.\u{1B}[2Jexe", url: "/file/b", type: "\u{1B}]0;x\u{7}"),
        .init(name: "👩‍👩‍👧‍👦 تقرير.txt", url: "/file/c", size: 0),
        .init(name: nil, url: "https://例え.example/配備"), .init(name: "x", url: "file:///etc"),
      ], to: world())
  }

  private static func attaching(
    _ attachments: [ContentExtras.Attachment], to shelf: ItemShelf
  ) -> ItemShelf {
    var shelf = shelf
    var content = Content(
      app: "ci", visual: VisualContent(title: "build 413 failed", body: "The log is attached."))
    content.extras.attachments = attachments
    shelf.publish(content, at: before(0))
    return shelf
  }
}
