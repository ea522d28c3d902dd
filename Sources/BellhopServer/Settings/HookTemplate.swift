package import BellhopModel
internal import BellhopSettings
internal import BellhopStore

/// The rules by which a request of a web hook becomes a notification.
///
/// Each part is a text with places in braces: `{job.name}` is a member of the JSON, `{alerts.0.url}`
/// one of the first element, `{@x-github-event}` a header; `{a|b}` is the first of both that is there,
/// `{status=resolved}` is there only with that value. Of several texts the first counts whose places
/// are all there.
package struct HookTemplate: Hashable, Sendable {
  /// The app under which it is published; nil for the token's, or the template's name.
  package var app: String?
  package var title: [String] = []
  package var body: [String] = []
  /// Publishing the same id again replaces what is there.
  package var id: [String] = []
  package var group: [String] = []
  package var level: [String] = []
  package var url: [String] = []
  /// Words for levels, beside those that are known.
  package var levels: [String: Priority] = [:]

  package init(title: [String]) { self.title = title }

  /// What the configuration says of one template; nil when it says anything else.
  init?(_ setting: TOMLSetting) {
    guard let table = setting.table else { return nil }
    for (name, value) in table {
      if name == "levels" {
        for (word, level) in value.table ?? ["": value] {
          guard let level = level.text.flatMap({ Priority(name: $0) }) else { return nil }
          levels[word.lowercased()] = level
        }
        continue
      }
      let items: [TOMLSetting] = if case .list(let items) = value { items } else { [value] }
      let texts = items.compactMap(\.text)
      guard texts.count == items.count, (1...16).contains(texts.count),
        texts.allSatisfy({ $0.utf8.count <= 1024 && HookText.isWellFormed($0) })
      else { return nil }
      switch name {
      case "app":
        guard case .app? = AppPattern(texts[0]) else { return nil }
        app = texts[0]
      case "title": title = texts
      case "body": body = texts
      case "id": id = texts
      case "group": group = texts
      case "level": level = texts
      case "url": url = texts
      default: return nil  // open: String
      }
    }
    if title.isEmpty { return nil }
  }
}
