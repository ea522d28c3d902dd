internal import BellhopModel
internal import BellhopServer
internal import BellhopStore

/// The starting point for the earlier messages that a reader requests.
enum NtfySince: Hashable {
  case none
  case all
  /// The latest message of each topic.
  case latest
  case time(Timestamp)
  /// The messages that arrived after this item.
  case item(NotificationID)

  /// - Parameter isPolling: A request that only polls defaults to all messages.
  init(_ text: String?, isPolling: Bool, now: Timestamp) throws {
    switch text {
    case nil: self = isPolling ? .all : .none
    case "all"?: self = .all
    case "none"?: self = .none
    case "latest"?: self = .latest
    case let text?:
      if let time = NtfyTime.unix(text) {
        self = .time(time)
      } else if let span = NtfyTime.span(text) {
        self = .time(now.advanced(by: .zero - span))
      } else if let id = NtfyMessage.item(text) {
        self = .item(id)
      } else {
        throw RequestError.ntfy(
          .since, "expected all, none, latest, a message's id, a Unix time or a span such as 10m")
      }
    }
  }
}

/// The filter for the messages that a reader wants. Events about messages always pass.
struct NtfyFilter {
  var id: String?
  var message: String?
  var title: String?
  var priorities: Set<Priority> = []
  var tags: [String] = []

  /// Creates a filter that every message passes.
  init() {}

  init(_ exchange: Exchange) throws {
    id = exchange.ntfyParameter("x-id", "id")
    message = exchange.ntfyParameter("x-message", "message", "m").map(EncodedWord.decode)
    title = exchange.ntfyParameter("x-title", "title", "t").map(EncodedWord.decode)
    for word in Self.list(exchange.ntfyParameter("x-priority", "priority", "prio", "p")) {
      // Browsers send this about their own requests (RFC 9218).
      if word.hasPrefix("u=") || word == "i" { continue }
      guard let priority = NtfyParameters.priority(word) else { throw RequestError.ntfy(.priority) }
      priorities.insert(priority)
    }
    tags = Self.list(exchange.ntfyParameter("x-tags", "tags", "tag", "ta").map(EncodedWord.decode))
  }

  private static func list(_ text: String?) -> [String] {
    (text ?? "").split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
  }

  func passes(_ item: UserNotification) -> Bool {
    guard let visual = item.content.visual else { return false }
    if let id, id != NtfyMessage.id(of: item), id != item.id.description { return false }
    if !priorities.isEmpty, !priorities.contains(item.announcedPriority) { return false }
    guard tags.allSatisfy(item.effectiveTags.contains) else { return false }
    if title == nil, message == nil { return true }
    let texts = MessageText.texts(of: visual)
    return (title == nil || title == texts.title ?? "")
      && (message == nil || message == texts.message)
  }
}
