public import BellhopModel
internal import BellhopSettings
internal import BellhopStore
internal import BellhopWire

/// How what a service sends to its web hook becomes a notification.
///
/// Each part is a text with places in braces: `{job.name}` is a member of the JSON, `{alerts.0.url}`
/// one of the first element, `{@x-github-event}` a header; `{a|b}` is the first of both that is there,
/// `{status=resolved}` is there only with that value. Of several texts the first counts whose places
/// are all there.
public struct HookTemplate: Hashable, Sendable {
  /// The app under which it is published; nil for the token's, or the template's name.
  public var app: String?
  public var title: [String] = []
  public var body: [String] = []
  /// Publishing the same id again replaces what is there.
  public var id: [String] = []
  public var group: [String] = []
  public var level: [String] = []
  public var url: [String] = []
  /// Words for levels, beside those that are known.
  public var levels: [String: Priority] = [:]

  public init(title: [String]) { self.title = title }

  // MARK: - From a file

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

  // MARK: - Filling

  /// The publication that a request to the hook is.
  func content(app: String, _ input: HookInput, limits: StoreLimits) -> Content {
    let title = MessageText.clipped(
      input.first(of: self.title) ?? input.filled(self.title.last ?? "", isLenient: true)
        ?? "", bytesMax: 200)
    var content = Content(app: app)
    // Where nothing was filled in, what stands between the places says nothing either.
    let isSaying = title.contains { !$0.isPunctuation && !$0.isWhitespace }
    content.visual = VisualContent(title: isSaying ? title : app)
    let body = input.first(of: body) ?? input.filled(body.last ?? "", isLenient: true) ?? ""
    if !body.isEmpty, body != title {
      content.visual?.body = MessageText.clipped(body, bytesMax: limits.visualBodyBytesMax)
    }
    func name(_ texts: [String]) -> String? {
      input.first(of: texts).map { MessageText.clipped($0, bytesMax: limits.nameBytesMax) }
    }
    content.appNotificationID = name(id)
    content.group = name(group)
    content.clickURL = url.lazy.compactMap { input.filled($0)?.trimmed }.first { link in
      (link.hasPrefix("https://") || link.hasPrefix("http://"))
        && link.utf8.count <= limits.urlBytesMax && link.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
    }
    content.priority =
      level.lazy.compactMap { input.filled($0) }
      .compactMap { priority($0.trimmed.lowercased()) }.first ?? .normal
    return content
  }

  private func priority(_ word: String) -> Priority? {
    levels[word] ?? Self.words[word] ?? Priority(name: word)
  }

  /// What services call their levels and states.
  private static let words: [String: Priority] = {
    let levels: [(Priority, [String])] = [
      (.low, ["resolved", "ok", "up", "success", "succeeded", "passed", "fixed", "recovered"]),
      (.normal, ["info", "information", "notice", "started", "pending", "running"]),
      (
        .high,
        [
          "warning", "warn", "error", "failure", "failed", "fail", "failing", "down", "firing",
          "alerting", "broken", "timed_out", "no_data",
        ]
      ),
      (.urgent, ["critical", "fatal", "emergency", "alert", "page", "disaster"]),
    ]
    return Dictionary(
      uniqueKeysWithValues: levels.flatMap { level in level.1.map { ($0, level.0) } })
  }()
}
