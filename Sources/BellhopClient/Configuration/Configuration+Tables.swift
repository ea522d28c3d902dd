internal import BellhopInbox
internal import BellhopModel
internal import BellhopSettings

/// The settings in tables.
extension Configuration {
  static let tables: [SettingsSchema<Configuration>.Table] = [
    ("actions", "The actions of items."),
    ("privacy", "What other people may see."),
    ("ring", "How each level asks for attention: any of \"bell\", \"desktop\" and \"sound\"."),
    (
      "keys",
      """
      The keys of each command, as they are without a configuration: one such as "Ctrl-f", a \
      list, or [] for none. The palette (:) explains the commands.
      """
    ),
  ]

  static let actions: [Setting<Configuration>] = [
    .flag(
      "actions.allow-private", \.actionsReachPrivate, example: "true",
      """
      Whether actions of items may call this machine, by plain HTTP too, and the private networks \
      around it; else they call public addresses by https only.
      """),
    .arguments(
      "actions.authenticate", \.authenticate, expected: programExpected,
      example: "[\"sudo\", \"-k\", \"-v\"]",
      """
      A program with its arguments that asks who you are, before an action whose app requires that; \
      it succeeds with exit status 0. Else polkit on a desktop where the package is installed, or \
      sudo where it asks for a password.
      """),
  ]

  static let privacy: [Setting<Configuration>] = [
    .choice(
      "privacy.previews", \.previews, among: Previews.allCases.map { ($0.rawValue, $0) },
      example: "\"never\"",
      """
      When titles and texts are shown: "always"; "when-unlocked", which leaves them out of banners \
      while the desktop is locked, or if nothing tells whether it is; "never", where the screen \
      hides them too until you show them (P).
      """)
  ]

  private static let soundsMax = 100

  /// The sounds that apps choose.
  static let sounds = Setting<Configuration>.value(
    "sounds", \.sounds,
    expected: "a table of names with programs, such as { alarm = [\"paplay\", \"/a/alarm.oga\"] }",
    example: "{ alarm = [\"paplay\", \"/usr/share/sounds/freedesktop/stereo/alarm.oga\"] }",
    """
    Programs for the sounds that apps choose by name, in place of sound; a name without a program \
    sounds like any other.
    """,
    written: { sounds in
      let words = sounds.sorted { $0.key < $1.key }.map { name, command in
        "\(TOMLText.quoted(name)) = \(TOMLText.list(command))"
      }
      return words.isEmpty ? nil : "{ \(words.joined(separator: ", ")) }"
    },
    read: { value in
      guard let table = value.table, table.count <= soundsMax else { return nil }
      var sounds: [String: [String]] = [:]
      for (name, value) in table {
        sounds[name] = program(value)
        if sounds[name] == nil { return nil }
      }
      return sounds
    })

  /// Returns a program with its arguments; nil if it is not a list of texts, or one is empty.
  static func program(_ value: TOMLValue) -> [String]? {
    guard value.list?.isEmpty == false else { return nil }
    return value.each { item in item.text.flatMap { $0.isEmpty || $0.contains("\0") ? nil : $0 } }
  }

  static let ring: [Setting<Configuration>] = levels + [repeats]

  private static let repeats = Setting<Configuration>.value(
    "ring.repeats", \.repeatRings,
    expected: "a list of rising whole numbers from 2 to 1000000, or []",
    """
    Repeats that become one item ring again at these counts; [] for none. The first rings as its \
    level says.
    """,
    written: { TOMLText.array($0.thresholds.map { String($0) }) },
    read: { value in
      guard value.list != nil else { return nil }
      return value.each(\.number).flatMap { RepeatRings($0) }
    })

  private static let levels: [Setting<Configuration>] = Priority.allCases.reversed().map { level in
    .optional(
      "ring.\(level.name)", \.ringRules.means[level],
      expected: "a list of \"bell\", \"desktop\" and \"sound\", or []",
      example: written(RingRules.standardMeans[level] ?? []), "", written: written,
      read: { value in
        guard value.list != nil else { return nil }
        return value.each { item in
          meansByName.first { $0.name == item.text }?.means
        }.map { RingMethods($0) }
      })
  }

  private static let meansByName: [(name: String, means: RingMethods)] = [
    ("bell", .bell), ("desktop", .desktop), ("sound", .sound),
  ]

  private static func written(_ means: RingMethods) -> String {
    TOMLText.list(meansByName.filter { means.contains($0.means) }.map(\.name))
  }

  static let keys: [Setting<Configuration>] = Command.all.map { command in
    .optional(
      "keys.\(command.id)", \.keys[command.id],
      expected: "a key such as \"Ctrl-d\", or a list of them",
      example: TOMLText.list(command.defaultKeys), "", written: TOMLText.list,
      read: { $0.each(\.text) })
  }

  static let view = Setting<Configuration>.views(\.views)
}

extension Setting {
  /// The saved views of `config.toml`, or those that the screen saved itself.
  static func views(_ place: any Place<[SavedView]>, areOwn: Bool = false) -> Setting {
    .tables(
      "view", place, of: SavedView.schema,
      from: { SavedView(name: "", filter: "", isOwn: areOwn) }, countMax: SavedView.countMax,
      """
      Filters under names, on the keys 5 to 9: of the list "tray" (unless you say other), \
      "history" or "later", in the order "newest", "level" or "app" (else as the list is). Those \
      that the screen saves (V) are in views.toml beside this file.
      """)
  }
}

extension SavedView {
  fileprivate static let schema = SettingsSchema<SavedView>(
    [
      text(
        "name", \.name, bytesMax: nameBytesMax, expected: "a text in one short line",
        example: "\"failed builds\""),
      text(
        "filter", \.filter, bytesMax: filterBytesMax, expected: "a filter in one line",
        example: "\"app:ci prio:>=high\""),
      .choice(
        "list", \.list, among: List.allCases.map { ($0.rawValue, $0) }, example: "\"history\"",
        ""),
      .optional(
        "order", \.order, expected: "\"newest\", \"level\" or \"app\"", "",
        written: { TOMLText.quoted($0.rawValue) },
        read: { $0.text.flatMap(ListOrder.init(rawValue:)) }),
    ], required: ["name", "filter"],
    check: { view in
      guard view.list == .later, view.order != nil else { return [] }
      return [
        .init("order", "must be left out: the list \"later\" always has the next item first.")
      ]
    })

  private static func text(
    _ name: String, _ place: any WritableKeyPath<SavedView, String> & Sendable, bytesMax: Int,
    expected: String, example: String
  ) -> Setting<SavedView> {
    .value(
      name, place, expected: expected, example: example, "", written: TOMLText.quoted,
      read: { value in
        guard let text = value.text, text.contains(where: { !$0.isWhitespace }),
          text.utf8.count <= bytesMax, !text.unicodeScalars.contains(where: { $0.value < 0x20 })
        else { return nil }
        return text
      })
  }
}
