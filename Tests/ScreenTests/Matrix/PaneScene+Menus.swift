import BellhopInbox
import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText

extension PaneScene {
  /// The apps and their permissions.
  static let apps: [PaneScene] = [
    PaneScene(
      name: "apps",
      open: {
        $0.configure(Scenes.settings)
        $0.press("4 j j")
      }, conditions: [.many, .offline, .error, .world, .ascii, .mono],
      ways: [
        .many: { $0.press("4 G") },
        .world: {
          $0.configure(Scenes.worldSettings)
          $0.press("4 j")
        },
      ], otherSizes: [low, wide]),
    PaneScene(
      name: "app-settings",
      open: {
        $0.configure(Scenes.settings)
        $0.press("4 j Enter j")
      }, conditions: [.offline, .error, .world, .ascii, .mono],
      ways: [
        .world: {
          $0.configure(Scenes.worldSettings)
          $0.press("4 j Enter")
        }
      ]),
    PaneScene(
      name: "app-setting-typed",
      open: {
        $0.configure(Scenes.settings)
        $0.press("4 j Enter 5")
        $0.type("22:00-7:30 sun")
      }),
    PaneScene(
      name: "app-rules",
      open: {
        $0.configure(Scenes.settings)
        $0.press("j M")
      }, conditions: [.world],
      ways: [
        .world: {
          $0.configure(Scenes.worldSettings)
          $0.press("j M")
        }
      ]),
    PaneScene(
      name: "app-mute",
      open: {
        $0.configure(Scenes.settings)
        $0.press("m 3 j m")
      }, conditions: [.world, .ascii],
      ways: [
        .world: {
          $0.configure(Scenes.worldSettings)
          $0.press("j m")
        }
      ]),
    PaneScene(
      name: "app-settings-mute",
      open: {
        $0.configure(Scenes.settings)
        $0.press("4 j Enter m")
      }),
  ]

  /// Menus over the bottom of a list.
  static let menus: [PaneScene] = [
    PaneScene(
      name: "snooze", open: { $0.press("s j") },
      conditions: [.offline, .error, .world, .ascii, .mono], otherSizes: [wide]),
    PaneScene(
      name: "snooze-typed",
      open: {
        $0.press("s")
        $0.type("fri 9")
      }, conditions: [.empty],
      ways: [
        .empty: {
          $0.press("s")
          $0.type("fri 25 o'clock")
        }
      ]),
    PaneScene(
      name: "actions", shelf: Scenes.withActions, open: { $0.press(". j") },
      conditions: [.many, .offline, .world, .ascii, .mono],
      shelves: [.world: Scenes.worldOfActions],
      ways: [
        .many: {
          $0.press("f")
          $0.type("app:app-6.example.com")
          $0.press("Enter j . j j j j j j j j j")
        }
      ]
    ),
    PaneScene(
      name: "actions-reply-empty", shelf: Scenes.withActions, open: { $0.press(". 2") }),
    PaneScene(
      name: "actions-reply", shelf: Scenes.withActions,
      open: {
        $0.press(". 2")
        $0.type("to me")
      }, conditions: [.many],
      shelves: [.many: Scenes.withActions],
      ways: [
        .many: {
          $0.press(". 2")
          $0.type(
            "to me, and to everybody who broke the build between last Monday and today, please")
        }
      ]),
    PaneScene(
      name: "actions-question", shelf: Scenes.withActions, open: { $0.press(". 1") },
      conditions: [.world], shelves: [.world: Scenes.worldOfActions]),
    PaneScene(name: "quiet", open: { $0.press("!") }, conditions: [.ascii]),
    PaneScene(
      name: "themes",
      open: {
        $0.press("t")
        $0.send(.terminal(.themes(themes, current: "gruvbox")))
      }),
    PaneScene(
      name: "palette",
      open: {
        $0.press(":")
        $0.type("un")
      }, conditions: [.empty, .many, .offline, .error, .ascii, .mono],
      shelves: [.many: Scenes.morning],
      ways: [
        .empty: {
          $0.press(":")
          $0.type("xyzzy")
        }, .many: { $0.press(": PgDn") },
      ]),
    PaneScene(
      name: "view-name",
      open: {
        $0.press("f")
        $0.type("prio:>=high")
        $0.press("Enter V")
      }),
  ]

  private static let themes = [
    "bellhop-dark", "bellhop-light", "catppuccin", "dracula", "gruvbox", "high-contrast", "mono",
    "nord", "solarized-dark", "solarized-light",
  ]

  /// Panes that take the whole body.
  static let whole: [PaneScene] = [
    PaneScene(
      name: "help", open: { $0.press("?") },
      conditions: [.empty, .offline, .error, .ascii, .mono],
      ways: [
        .empty: {
          $0.press("?")
          $0.type("xyzzy")
        }
      ], otherSizes: [low]),
    PaneScene(
      name: "help-filtered",
      open: {
        $0.press("?")
        $0.type("tray")
      }),
    PaneScene(
      name: "devices",
      open: {
        $0.press("g d")
        $0.answer(devices: Scenes.devices(["desktop", "work-laptop", "phone"]))
        $0.press("j")
      }, conditions: Set(Condition.allCases),
      ways: [
        .empty: { $0.press("g d") },
        .many: {
          $0.press("g d")
          $0.answer(
            devices: Scenes.devices((1...60).map { "a device with a long name, no. \($0)" }))
          $0.press("k k x")
        },
        .offline: {
          $0.press("g d")
          $0.answer(devices: [], problem: "the store cannot be reached")
        },
        .world: {
          $0.press("g d")
          $0.answer(
            devices: Scenes.devices([
              "私のとても長い名前のラップトップ", "حاسوبي", "\u{1B}[2J\u{202E}evil 👩‍👩‍👧‍👦",
            ]))
        },
      ]),
    PaneScene(
      name: "activity",
      open: {
        $0.press("g a")
        $0.answer(activity: Scenes.activity)
      }, conditions: Set(Condition.allCases),
      ways: [
        .empty: {
          $0.press("g a")
          $0.answer(activity: Scenes.noActivity)
        },
        .many: {
          $0.press("g a Tab")
          $0.answer(activity: Scenes.muchActivity)
        },
        .world: {
          $0.press("g a")
          $0.answer(activity: Scenes.worldActivity)
        },
      ]),
    PaneScene(
      name: "first-run", shelf: { ItemShelf() },
      open: {
        $0.send(
          .firstRunHelpChanged(
            FirstRunHelp(
              isPrivateStore: true, publishCommand: "bellhop publish \"Hello\" --app nas",
              curlLine:
                "curl -H @$HOME/.config/bellhop/publish -d \"Done\" 127.0.0.1:8642/backups")))
      }, conditions: [.empty, .offline, .error, .ascii],
      ways: [.empty: { _ in }], otherSizes: [low]),
    PaneScene(
      name: "first-run-team", shelf: { ItemShelf() },
      open: {
        $0.send(
          .firstRunHelpChanged(
            FirstRunHelp(
              isPrivateStore: false, publishCommand: "bellhop publish \"Hello\" --app nas",
              curlLine: SafeText(
                "curl -H \"Authorization: Bearer $TOKEN\" -d \"Done\" "
                  + "https://store.example.com/backups"))))
      }),
  ]

  /// Messages in one line.
  static let lines: [PaneScene] = [
    PaneScene(name: "tour", open: { $0.press("T") }, conditions: [.offline, .ascii]),
    PaneScene(
      name: "new-app",
      open: { desk in
        let new = AppSettings(app: "backups", authorization: .notDetermined)
        desk.send(.account(.apps([new], waiting: [], of: ItemShelf.account)))
      }, conditions: [.offline, .ascii]),
    PaneScene(name: "hidden-texts", open: { $0.press("P") }, conditions: [.ascii]),
    PaneScene(
      name: "groups-question", shelf: Scenes.groups, open: { $0.press("j j d") }),
    PaneScene(name: "bulk-question", open: { $0.press("a d") }),
    PaneScene(name: "deleted", open: { $0.press("j x") }),
    PaneScene(
      name: "silenced",
      open: {
        $0.send(
          .account(.attention(AppSettings(app: "", mute: .forever), of: ItemShelf.account)))
      }),
  ]
}
