import BellhopTestSupport
import Foundation

/// A store's content according to its delta, kept as a client keeps it.
struct StoreMirror {
  struct Item: Hashable {
    var title: String
    var action: String
    var read: String
  }

  private struct Page: Decodable {
    struct Row: Decodable {
      struct Payload: Decodable {
        struct Visual: Decodable { let title: String }
        let visualContent: Visual?
      }
      struct Removed: Decodable { let reason: String }
      let id: String
      let payload: Payload?
      let userActionState: String?
      let readState: String?
      let removed: Removed?

      enum CodingKeys: String, CodingKey {
        case id, payload, userActionState, readState
        case removed = "@removed"
      }
    }
    let value: [Row]
    let next: String?
    let delta: String?

    enum CodingKeys: String, CodingKey {
      case value
      case next = "@odata.nextLink"
      case delta = "@odata.deltaLink"
    }
  }

  let token: String
  private(set) var items: [String: Item] = [:]
  /// Ids by title; a title that came twice has two.
  private(set) var ids: [String: Set<String>] = [:]
  private var path = "/v1.0/me/notifications/delta"

  init(token: String) { self.token = token }

  /// Applies all changes.
  ///
  /// - Throws: ``NotSeen`` for any answer except a page: a store that lost something it had sent
  ///   answers 410.
  mutating func pull(_ port: Int) throws {
    guard let line = StoreLine(port: port, token: token) else {
      throw NotSeen("a connection", seen: "none")
    }
    while true {
      let answer = line.ask(
        "GET", path.drop { $0 == "/" }.isEmpty ? "/" : path,
        headers: ["Prefer: odata.maxpagesize=5000"])
      guard let answer, answer.status == 200 else {
        let words = answer.map { "\($0.status) \(String(decoding: $0.body, as: UTF8.self))" }
        throw NotSeen("a page of the delta", seen: words ?? "a broken connection")
      }
      let page = try JSONDecoder().decode(Page.self, from: Data(answer.body))
      for row in page.value { take(row) }
      guard let link = page.next ?? page.delta else { throw NotSeen("a link", seen: "none") }
      path = link.range(of: "/v1.0/").map { String(link[$0.lowerBound...]) } ?? link
      if page.delta != nil { return }
    }
  }

  private mutating func take(_ row: Page.Row) {
    if row.removed != nil {
      items[row.id] = nil
      return
    }
    var item = items[row.id] ?? Item(title: "", action: "", read: "")
    if let title = row.payload?.visualContent?.title {
      item.title = title
      ids[title, default: []].insert(row.id)
    }
    item.action = row.userActionState ?? item.action
    item.read = row.readState ?? item.read
    items[row.id] = item
  }
}
