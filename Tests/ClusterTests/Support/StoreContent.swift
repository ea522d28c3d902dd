#if BELLHOP_POSTGRES
import BellhopTestSupport
import Foundation

/// An item as a store or a device has it.
struct SeenItem: Hashable, Sendable {
  var title: String
  var readState: String
  var userActionState: String
  var isPinned: Bool
}

/// Everything that a store has of one user.
struct StoreContent: Hashable, Sendable {
  private struct Page: Decodable {
    struct Row: Decodable {
      struct Payload: Decodable {
        struct Visual: Decodable { let title: String }
        let visualContent: Visual?
      }
      struct Removed: Decodable { let reason: String? }
      let id: String
      let payload: Payload?
      let readState: String?
      let userActionState: String?
      let kept: Bool?
      let removed: Removed?

      enum CodingKeys: String, CodingKey {
        case id, payload, readState, userActionState, kept
        case removed = "@removed"
      }
    }
    let value: [Row]
    let next: String?

    enum CodingKeys: String, CodingKey {
      case value
      case next = "@odata.nextLink"
    }
  }

  /// The items by their ids.
  private(set) var items: [String: SeenItem] = [:]
  /// The ids of the items with a title.
  private(set) var ids: [String: Set<String>] = [:]

  /// Reads everything, as a new device does.
  ///
  /// - Returns: nil if an answer is missing or is not a page.
  static func read(_ address: String, token: String) async -> StoreContent? {
    var content = StoreContent()
    var path: String? = "/v1.0/me/notifications/delta"
    while let current = path {
      let answer = await StoreHTTP.ask(
        .get, address + current, token: token, headers: ["Prefer": "odata.maxpagesize=5000"],
        within: .seconds(60))
      guard let answer, answer.status == 200,
        let page = try? JSONDecoder().decode(Page.self, from: Data(answer.body.utf8))
      else { return nil }
      for row in page.value { content.take(row) }
      path = page.next.map { link in
        link.firstRange(of: "/v1.0/").map { String(link[$0.lowerBound...]) } ?? link
      }
    }
    for (id, item) in content.items { content.ids[item.title, default: []].insert(id) }
    return content
  }

  /// Reads everything, and waits for a store that answers.
  static func wait(_ address: String, token: String) async throws -> StoreContent {
    try await eventually("the content of a store", every: .milliseconds(200)) {
      await read(address, token: token)
    }
  }

  private mutating func take(_ row: Page.Row) {
    guard row.removed == nil else {
      items[row.id] = nil
      return
    }
    let old = items[row.id]
    items[row.id] = SeenItem(
      title: row.payload?.visualContent?.title ?? old?.title ?? "",
      readState: row.readState ?? old?.readState ?? "unread",
      userActionState: row.userActionState ?? old?.userActionState ?? "noInteraction",
      isPinned: row.kept ?? old?.isPinned ?? false)
  }

  /// Describes how another set of items differs from this one; nil if it does not.
  func difference(from other: [String: SeenItem]) -> String? {
    guard items != other else { return nil }
    let missing = items.keys.filter { other[$0] == nil }
    let more = other.keys.filter { items[$0] == nil }
    let changed = items.filter { other[$0.key] != nil && other[$0.key] != $0.value }
    let example = changed.first.map { "\($0.value) is \(String(describing: other[$0.key]))" } ?? ""
    return "\(missing.count) missing, \(more.count) too many, \(changed.count) others; \(example)"
  }
}
#endif
