import BellhopInbox
import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText

/// All panes; a new one is one more line here.
extension PaneScene {
  static let all = lists + prompts + items + apps + menus + attachments + whole + lines

  /// Tabs, search and filtered lists.
  private static let lists: [PaneScene] = [
    PaneScene(
      name: "tray", open: { _ in },
      conditions: Set(Condition.allCases),
      ways: [.empty: { $0.press("d d d d d d d") }, .offline: { $0.press("j") }],
      otherSizes: [low, wide, widest]),
    PaneScene(name: "groups", shelf: Scenes.groups, open: { $0.press("j j") }),
    PaneScene(
      name: "groups-open", shelf: Scenes.groups, open: { $0.press("j j z j j") },
      conditions: [.ascii]),
    PaneScene(
      name: "history", open: { $0.press("2 j j") }, conditions: Set(Condition.allCases),
      ways: [
        .empty: {
          $0.press("2 f")
          $0.type("app:absent")
          $0.press("Enter")
        }
      ], otherSizes: [wide]),
    PaneScene(
      name: "later", open: { $0.press("3") },
      conditions: Set(Condition.allCases), shelves: [.empty: Scenes.nothingLater],
      ways: [.world: { $0.press("s 1 s 4 s 5 s 2 3") }]),
    PaneScene(
      name: "search",
      open: {
        $0.press("/")
        $0.type("disk")
      }, conditions: Set(Condition.allCases),
      ways: [
        .empty: {
          $0.press("/")
          $0.type("nothing is called that")
        },
        .world: {
          $0.press("/")
          $0.type("备份")
        },
      ], otherSizes: [wide]),
    PaneScene(name: "search-unwritten", open: { $0.press("/") }),
    PaneScene(
      name: "narrowed",
      open: {
        $0.press("f")
        $0.type("prio:>=high disk")
        $0.press("Enter")
      }, conditions: [.empty, .offline],
      ways: [
        .empty: {
          $0.press("f")
          $0.type("prio:>=high app:mail after:yesterday \"nothing is called that\"")
          $0.press("Enter")
        }
      ]),
    PaneScene(name: "sorted-by-level", open: { $0.press("O j j") }, conditions: [.many]),
    PaneScene(
      name: "sorted-by-app", open: { $0.press("2 O O j j") }, conditions: [.world, .ascii]),
    PaneScene(name: "unread-only", open: { $0.press("2 U") }),
    PaneScene(
      name: "views",
      open: {
        $0.state.use(Scenes.views)
        $0.press("5")
      }, conditions: [.offline, .ascii]),
    PaneScene(
      name: "ghost",
      open: { desk in
        desk.press("j")
        let rows = desk.shelf.rows(of: .tray, at: desk.now)
        guard let id = rows.first(where: { $0.priority == .urgent })?.key.id else { return }
        desk.elsewhere(id, .dismiss, on: "work-laptop")
        desk.press("d")
      }),
    PaneScene(
      name: "repeats", shelf: Scenes.repeats, open: { $0.press("2") },
      conditions: [.ascii, .mono]),
    PaneScene(name: "marked", open: { $0.press("Space Space v j") }, conditions: [.mono]),
  ]

  /// Text fields in place of the header.
  private static let prompts: [PaneScene] = [
    PaneScene(
      name: "filter",
      open: {
        $0.press("f")
        $0.type("app:nas is:un")
      }, conditions: [.world, .ascii],
      ways: [
        .world: {
          $0.press("f")
          $0.type("app:日本語アプリ 备份全文搜索测试")
        }
      ]),
    PaneScene(
      name: "filter-problem",
      open: {
        $0.press("f")
        $0.type("app:nas is:lost disk")
      }, conditions: [.world, .ascii],
      ways: [
        .world: {
          $0.press("f")
          $0.type("备份全文搜索测试 is:备份")
        }
      ]),
    PaneScene(
      name: "pipe",
      open: {
        $0.press("Space Space |")
        $0.type("wc -w")
      }, conditions: [.ascii]),
  ]

  /// One item.
  private static let items: [PaneScene] = [
    PaneScene(
      name: "detail", open: { $0.press("Enter") },
      conditions: [.many, .offline, .error, .world, .ascii, .mono],
      ways: [.many: { $0.press("j j Enter PgDn") }], otherSizes: [low, wide]),
    PaneScene(
      name: "repeats-detail", shelf: Scenes.repeats, open: { $0.press("Enter") },
      conditions: [.ascii], otherSizes: [low]),
    PaneScene(
      name: "actions-detail", shelf: Scenes.withActions, open: { $0.press("Enter") },
      conditions: [.world], shelves: [.world: Scenes.worldOfActions]),
    PaneScene(
      name: "inspect", shelf: Scenes.withActions, open: { $0.press("j i j j") },
      conditions: Set(Condition.allCases),
      ways: [
        .empty: { desk in
          desk.press("i")
          for id in desk.shelf.items.keys { desk.elsewhere(id, .delete) }
        },
        .many: { $0.press("j j i G PgUp") },
      ], otherSizes: [wide]),
  ]
}
