package import BellhopModel
internal import BellhopSettings
internal import BellhopStore

/// The rules that make a notification of a request to a web hook.
///
/// Each part is a text with places in braces. `{job.name}` is a member of the JSON,
/// `{alerts.0.url}` a member of the first element, `{@x-github-event}` a header. `{a|b}` is the first
/// of two that exists. `{status=resolved}` exists only with that value. If a part has several texts,
/// the first counts whose places all exist.
package struct HookTemplate: Hashable, Sendable {
  /// The app of the item; nil for the app of the token, or the name of the template.
  package var app: String?
  package var title: [String] = []
  package var body: [String] = []
  /// The id of the item. Publishing it again replaces the item.
  package var id: [String] = []
  package var group: [String] = []
  package var level: [String] = []
  package var url: [String] = []
  /// Words for levels, beside the known ones.
  package var levels: [String: Priority] = [:]

  package init(title: [String]) { self.title = title }
}

extension StoreSettings {
  /// The templates, whose names users choose.
  static let templates = Setting<StoreSettings>.namedTables(
    "templates", \.server.templates, of: HookTemplate.schema,
    from: { HookTemplate(title: []) }, countMax: 1000, named: "nas",
    """
    Notifications from JSON that services send to POST /hooks/NAME. Each template has a title, and \
    may have app, body, id, group, level, url, and levels for words of its own. CommandScope in braces \
    are filled: {job.name} from the JSON, {@x-event} from a header.
    """)
}

extension HookTemplate {
  fileprivate static let schema = SettingsSchema<HookTemplate>(
    [
      texts("title", \.title, example: "{job} {status}"), texts("body", \.body),
      texts("id", \.id, example: "{job}"), texts("group", \.group),
      texts("level", \.level, example: "{status}"), texts("url", \.url),
      .optional(
        "app", \.app, expected: "the name of an app", "", written: TOMLText.quoted,
        read: { value in
          guard let name = value.each({ $0.text.flatMap(valid) })?.first,
            case .app? = AppPattern(name)
          else { return nil }
          return name
        }),
      .value(
        "levels", \.levels,
        expected: "a table of words with their levels, such as { grim = \"urgent\" }", "",
        written: { levels in
          let words = levels.sorted { $0.key < $1.key }.map { word, level in
            "\(TOMLText.quoted(word)) = \(TOMLText.quoted(level.name))"
          }
          return words.isEmpty ? nil : "{ \(words.joined(separator: ", ")) }"
        },
        read: { value in
          var levels: [String: Priority] = [:]
          for (word, level) in value.table ?? ["": value] {
            guard let level = level.text.flatMap({ Priority(name: $0) }) else { return nil }
            levels[word.lowercased()] = level
          }
          return levels
        }),
    ], required: ["title"])

  private static func texts(
    _ name: String, _ place: any WritableKeyPath<HookTemplate, [String]> & Sendable,
    example: String? = nil
  ) -> Setting<HookTemplate> {
    .value(
      name, place, expected: "a text with closed braces, or a list of 1 to 16 of them",
      example: example.map(TOMLText.quoted), "",
      written: { $0.isEmpty ? nil : TOMLText.list($0) },
      read: { value in
        value.each { $0.text.flatMap(valid) }
          .flatMap { (1...16).contains($0.count) ? $0 : nil }
      })
  }

  private static func valid(_ text: String) -> String? {
    text.utf8.count <= 1024 && HookText.isWellFormed(text) ? text : nil
  }
}
