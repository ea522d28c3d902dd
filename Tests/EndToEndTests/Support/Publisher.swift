import BellhopTestSupport
import FoundationEssentials

/// A program that talks to a store with `curl`, as the README shows it.
struct Publisher: Sendable {
  let address: String
  let token: String
  let folder: String

  /// An answer of the store.
  struct Answer {
    /// 0 without an answer.
    let status: Int
    let body: String

    func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
      try JSONDecoder().decode(type, from: Data(body.utf8))
    }
  }

  /// The item that a publication created or replaced.
  struct Published: Decodable {
    let id: String
  }

  /// Runs `curl` on a path below the store's address.
  func curl(_ path: String, _ arguments: [String] = [], body: String? = nil) async throws -> Answer
  {
    var all = [
      "--silent", "--max-time", "30", "--write-out", "\n%{http_code}", "--header",
      "Authorization: Bearer \(token)",
    ]
    if body != nil { all += ["--data-binary", "@-"] }
    let child = try Child(
      Programs.curl, all + arguments + [address + path], environment: ["PATH": "/usr/bin:/bin"],
      directory: folder, folder: folder + "/curl", input: body)
    _ = try await child.waitForEnd(within: .seconds(60))
    let output = child.output
    let end = output.lastIndex(of: "\n") ?? output.startIndex
    return Answer(
      status: Int(output[end...].drop { $0 == "\n" }) ?? 0, body: String(output[..<end]))
  }

  /// Publishes as ntfy does: the topic is the app.
  @discardableResult
  func publish(
    _ message: String, title: String? = nil, app: String = "backups", headers: [String] = []
  ) async throws -> String {
    let titleHeader = title.map { ["Title: " + $0] } ?? []
    let arguments = (titleHeader + headers).flatMap { ["--header", $0] }
    let answer = try await curl("/" + app, arguments, body: message)
    guard answer.status == 200 else {
      throw NotSeen("a publication", seen: "\(answer.status) \(answer.body)")
    }
    return try answer.decoded(as: Published.self).id
  }

  /// Publishes Graph's JSON body.
  func publishGraph(_ json: String) async throws -> Answer {
    try await curl(
      "/v1.0/me/notifications", ["--header", "Content-Type: application/json"], body: json)
  }

  /// An item of the store's own list.
  struct StoredItem: Decodable, Hashable {
    let id: String
    let readState: String
    let userActionState: String
  }

  /// Everything the store keeps, page by page.
  func storedItems() async throws -> [StoredItem] {
    struct Page: Decodable {
      let value: [StoredItem]
      let next: String?
      enum CodingKeys: String, CodingKey {
        case value
        case next = "@odata.nextLink"
      }
    }
    var items: [StoredItem] = []
    var path: String? = "/v1.0/me/notifications?$top=100"
    while let current = path {
      let answer = try await curl(current)
      guard answer.status == 200 else {
        throw NotSeen("the store's list", seen: "\(answer.status) \(answer.body)")
      }
      let page = try answer.decoded(as: Page.self)
      items += page.value
      path = page.next.map { next in
        next.hasPrefix(address) ? String(next.dropFirst(address.count)) : next
      }
    }
    return items
  }
}
