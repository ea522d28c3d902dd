internal import BellhopModel
internal import BellhopServer
internal import BellhopStore

extension HookTemplate {
  /// Returns the publication of a request to the hook.
  func content(app: String, _ input: HookInput, limits: StoreLimits) -> Content {
    let title = MessageText.clipped(
      input.first(of: self.title) ?? input.filled(self.title.last ?? "", isLenient: true)
        ?? "", bytesMax: 200)
    var content = Content(app: app)
    // Without values, the title has only the punctuation between placeholders and means nothing.
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

  /// The words that services use for their levels and states.
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
