import BellhopInbox
import BellhopModel
import BellhopTestSupport
import BellhopText

extension PaneScene {
  /// Files of items, and how they come.
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
        for case .fetchAttachment(let order) in $0.acts {
          $0.send(.fetchMoved(serial: order.serial, received: 640_000, total: nil))
        }
      }, conditions: [.offline]),
  ]
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
