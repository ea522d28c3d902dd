import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Plain publications")
struct TopicTests {
  private struct Message: Decodable {
    var id: String
    var time: Int64
    var expires: Int64
    var event: String
    var topic: String
    var title: String?
    var message: String
    var priority: Int?
    var tags: [String]?
  }

  private struct Refusal: Decodable {
    var code: Int
    var http: Int
    var error: String
  }

  /// Publishes and returns the item as a device sees it.
  private func item(
    _ store: InProcessStore, _ path: String, _ text: String, _ headers: [String: String] = [:],
    method: HTTPRequest.Method = .post
  ) async throws -> UserNotification {
    let answer = try await store.send(
      method, path, token: store.publishToken(), text: text, headers: headers)
    try #require(answer.status == 200, "\(answer.text)")
    let message = try answer.decoded(Message.self)
    #expect(message.event == "message")
    let id = try #require(NotificationID(message.id))
    let user = try await store.service.user(named: "me")
    return try await store.service.item(id, of: user.id)
  }

  @Test(
    "curl's headers become title, priority, tags and link",
    arguments: [HTTPRequest.Method.put, .post])
  func headers(method: HTTPRequest.Method) async throws {
    let store = try await InProcessStore()
    let item = try await item(
      store, "/backups", "Backup finished",
      [
        "Title": "nas", "Priority": "high", "Tags": "disk, warning", "Click": "https://nas.local",
        "Content-Type": "application/x-www-form-urlencoded",
      ], method: method)
    #expect(item.content.app == "backups")
    #expect(item.content.visual == VisualContent(title: "nas", body: "Backup finished"))
    #expect(item.content.priority == .high)
    #expect(item.content.tags == ["disk", "warning"])
    #expect(item.content.clickURL == "https://nas.local")
  }

  @Test("without a title the message becomes the title, or its first line if there are several")
  func untitled() async throws {
    let store = try await InProcessStore()
    #expect(try await item(store, "/t", "done\n").content.visual == VisualContent(title: "done"))
    #expect(
      try await item(store, "/t", "one\ntwo").content.visual
        == VisualContent(title: "one", body: "one\ntwo"))
    #expect(
      try await item(store, "/t", "").content.visual == VisualContent(title: "triggered"))
    let long = String(repeating: "ü", count: 2000)
    let visual = try #require(try await item(store, "/t", long).content.visual)
    #expect(visual.body == long)
    #expect(visual.title.utf8.count < 300)
  }

  @Test("aliases work in headers and in the query, headers first")
  func aliases() async throws {
    let store = try await InProcessStore()
    let fromQuery = try await item(store, "/t?title=a+b%21&p=5&ta=x,y", "m")
    #expect(fromQuery.content.visual?.title == "a b!")
    #expect(fromQuery.content.priority == .urgent)
    #expect(fromQuery.content.tags == ["x", "y"])
    let both = try await item(store, "/t?t=query", "m", ["X-Title": "header"])
    #expect(both.content.visual?.title == "header")
    let message = try await item(store, "/t", "", ["m": "line\\nnext", "t": "T"])
    #expect(message.content.visual?.body == "line\nnext")
  }

  @Test("encoded words in headers are decoded")
  func encodedWords() async throws {
    let store = try await InProcessStore()
    let item = try await item(
      store, "/t", "m", ["Title": "=?UTF-8?B?8J+agCBmZXJ0aWc=?= =?utf-8?q?_und_=C3=BC?="])
    #expect(item.content.visual?.title == "🚀 fertig und ü")
  }

  @Test(
    "priorities are numbers or words; RFC 9218's are ignored",
    arguments: [
      ("1", Priority.min), ("low", .low), ("default", .normal), ("4", .high), ("max", .urgent),
      ("urgent", .urgent), ("u=1, i", .normal),
    ])
  func priorities(text: String, priority: Priority) async throws {
    let store = try await InProcessStore()
    #expect(try await item(store, "/t", "m", ["Priority": text]).content.priority == priority)
  }

  @Test(
    "refusals have ntfy's format and numbers",
    arguments: [
      ("/t", ["Priority": "loud"], 400, 40007), ("/a%20b", [:], 400, 40009),
      ("/" + String(repeating: "x", count: 65), [:], 400, 40009), ("/docs", [:], 400, 40010),
      ("/t", ["Delay": "never"], 400, 40004), ("/t", ["Content-Encoding": "br"], 415, 41500),
    ] as [(String, [String: String], Int, Int)])
  func refusals(path: String, headers: [String: String], status: Int, code: Int) async throws {
    let store = try await InProcessStore()
    let answer = try await store.send(
      .post, path, token: store.publishToken(), text: "m", headers: headers)
    #expect(answer.status == status)
    let refusal = try answer.decoded(Refusal.self)
    #expect(refusal.code == code)
    #expect(refusal.http == status)
  }

  @Test("a body past the file limit is refused; a store that keeps no files refuses any")
  func badBodies() async throws {
    var limits = StoreLimits()
    limits.attachmentBytesMax = 60_000
    let store = try await InProcessStore(limits: limits)
    let large = try await store.send(
      .put, "/t", token: try await store.publishToken(),
      body: Array(repeating: 0x61, count: 70_000))
    #expect(large.status == 413)
    #expect(try large.decoded(Refusal.self).code == 41301)
    let without = try await InProcessStore(shelf: nil)
    let binary = try await without.send(
      .put, "/t", token: try await without.publishToken(), body: [0xff, 0xfe])
    #expect(binary.status == 400)
    #expect(try binary.decoded(Refusal.self).code == 40014)
  }

  @Test("the token is accepted as Basic password, as Basic user and in the query")
  func credentials() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken(for: .app("t"))
    for pair in ["anyone:\(token)", ":\(token)", "\(token):"] {
      let answer = try await store.send(
        .post, "/t", text: "m", headers: ["Authorization": "Basic " + base64(pair)])
      #expect(answer.status == 200, "\(pair.prefix(8))")
    }
    let query = base64("Basic " + base64(":" + token)).filter { $0 != "=" }
    #expect(try await store.send(.post, "/t?auth=\(query)", text: "m").status == 200)
    let none = try await store.send(.post, "/t", text: "m")
    #expect(none.status == 401)
    #expect(try none.decoded(Refusal.self).code == 40101)
    let other = try await store.send(.post, "/other", token: token, text: "m")
    #expect(other.status == 403)
    #expect(try other.decoded(Refusal.self).code == 40301)
  }

  private func base64(_ text: String) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    let bytes = Array(text.utf8)
    var result = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for index in 0..<4 {
        result.append(index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : "=")
      }
    }
    return result
  }
}
