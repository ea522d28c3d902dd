import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopServer

@Suite("Uploading and fetching files")
struct FileTests {
  struct Upload: Decodable {
    var url: String
    var name: String
    var type: String
    var size: Int
  }

  static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3, 4]

  static func publication(_ url: String, app: String = "ci") -> String {
    """
    {"targetHostName":"\(app)","payload":{"visualContent":{"title":"t"}},
     "attachments":[{"url":"\(url)","name":"lie.exe","type":"text/html","size":1,
       "expires":"2001-01-01T00:00:00Z"}]}
    """
  }

  @Test("an uploaded file is named by a publication and fetched without a token")
  func wholeWay() async throws {
    let store = try await InProcessStore()
    let publisher = try await store.publishToken(for: .app("ci"))
    let answer = try await store.send(
      .post, "/v1.0/me/attachments?name=gr%C3%B6%C3%9Fe.png", token: publisher, body: Self.png,
      headers: ["Content-Type": "text/html"])
    #expect(answer.status == 201)
    let upload = try answer.decoded(Upload.self)
    #expect(upload.name == "größe.png")
    #expect(upload.type == "image/png")
    #expect(upload.size == 12)
    #expect(answer.header("Location") == "http://store.test" + upload.url)
    let published = try await store.send(
      .post, Route.notifications.path, token: publisher, text: Self.publication(upload.url))
    #expect(published.status == 201)
    let device = try await store.deviceToken()
    let list = try await store.send(.get, Route.notifications.path, token: device)
    #expect(
      list.text.contains(
        """
        "attachments":[{"expires":"2026-12-21T12:00:00.000Z","name":"größe.png","size":12,\
        "type":"image/png","url":"\(upload.url)"}]
        """), "\(list.text)")

    let file = try await store.send(.get, upload.url)
    #expect(file.status == 200)
    #expect(file.body == Self.png)
    #expect(file.header("Content-Type") == "image/png")
    #expect(file.header("Content-Length") == "12")
    #expect(file.header("Accept-Ranges") == "bytes")
    #expect(file.header("X-Content-Type-Options") == "nosniff")
    #expect(file.header("Content-Security-Policy") == "sandbox; default-src 'none'")
    #expect(
      file.header("Content-Disposition")
        == "attachment; filename=\"gr____e.png\"; filename*=UTF-8''gr%C3%B6%C3%9Fe.png")
    let head = try await store.send(.head, upload.url, headers: ["Range": "bytes=0-1"])
    #expect(head.status == 200)
    #expect(head.body.isEmpty)
    #expect(head.header("Content-Length") == "12")
    #expect(head.header("ETag") == file.header("ETag"))
    let known = try await store.send(
      .get, upload.url, headers: ["If-None-Match": try #require(file.header("ETag"))])
    #expect(known.status == 304)
  }

  @Test(
    "one range is served, others are ignored or refused",
    arguments: [
      ("bytes=0-3", 206, 0..<4, "bytes 0-3/12"), ("bytes=8-", 206, 8..<12, "bytes 8-11/12"),
      ("bytes=-2", 206, 10..<12, "bytes 10-11/12"), ("bytes=-99", 206, 0..<12, "bytes 0-11/12"),
      ("Bytes=11-99999999999999999999", 206, 11..<12, "bytes 11-11/12"),
      ("bytes=12-", 416, 0..<0, "bytes */12"), ("bytes=-0", 416, 0..<0, "bytes */12"),
      ("bytes=0-1,3-4", 200, 0..<12, nil), ("bytes=3-1", 200, 0..<12, nil),
      ("bytes=a-b", 200, 0..<12, nil), ("lines=0-1", 200, 0..<12, nil), ("bytes", 200, 0..<12, nil),
      ("bytes=-", 200, 0..<12, nil), ("bytes=1--2", 200, 0..<12, nil),
    ] as [(String, Int, Range<Int>, String?)])
  func ranges(range: String, status: Int, part: Range<Int>, content: String?) async throws {
    let store = try await InProcessStore()
    let url = try await Self.upload(Self.png, to: store).url
    let answer = try await store.send(.get, url, headers: ["Range": range])
    #expect(answer.status == status)
    #expect(answer.header("Content-Range") == content)
    if status != 416 { #expect(answer.body == Array(Self.png[part])) }
  }

  @Test("a range of a file that has changed gets the whole file")
  func ifRange() async throws {
    let store = try await InProcessStore()
    let url = try await Self.upload(Self.png, to: store).url
    let tag = try #require(try await store.send(.head, url).header("ETag"))
    for (condition, status) in [(tag, 206), ("\"other\"", 200), ("W/" + tag, 200)] {
      let answer = try await store.send(
        .get, url, headers: ["Range": "bytes=1-2", "If-Range": condition])
      #expect(answer.status == status, "\(condition)")
    }
  }

  @Test("a type that is not known to be harmless is served as plain bytes")
  func servedTypes() async throws {
    let store = try await InProcessStore()
    for (bytes, type) in [
      (Array("<html><script>alert(1)</script>".utf8), "text/plain; charset=utf-8"),
      (Array("%PDF-1.7".utf8), "application/octet-stream"),
      ([0, 1, 2], "application/octet-stream"),
    ] {
      let url = try await Self.upload(bytes, to: store).url
      #expect(try await store.send(.get, url).header("Content-Type") == type)
    }
  }

  @Test("a file may be larger than other bodies, up to the file limit")
  func sizes() async throws {
    var limits = StoreLimits()
    limits.attachmentBytesMax = 300_000
    let store = try await InProcessStore(limits: limits)
    let token = try await store.deviceToken()
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let url = try await Self.upload(bytes, to: store).url
    #expect(try await store.send(.get, url).body == bytes)
    #expect(
      try await store.send(.get, url, headers: ["Range": "bytes=131071-262145"]).body
        == Array(bytes[131_071...262_145]))
    let large = try await store.send(
      .post, Route.attachments.path, token: token, body: bytes + [1])
    #expect(large.status == 413)
    let empty = try await store.send(.post, Route.attachments.path, token: token)
    #expect(empty.status == 400)
    let packed = try await store.send(
      .post, Route.attachments.path, token: token, body: [1], headers: ["Content-Encoding": "gzip"])
    #expect(packed.status == 415)
  }

  @Test("a store that keeps no files, or has no space left, reports that")
  func refusals() async throws {
    let without = try await InProcessStore(shelf: nil)
    let refused = try await without.send(
      .post, Route.attachments.path, token: try await without.deviceToken(), body: [1])
    #expect(refused.status == 400)
    #expect(refused.text.contains("notSupported"))
    var limits = StoreLimits()
    limits.appAttachmentsBytesMax = 4096
    let small = try await InProcessStore(limits: limits)
    let token = try await small.publishToken(for: .app("a"))
    for status in [201, 507] {
      let answer = try await small.send(
        .post, Route.attachments.path, token: token, body: [1])
      #expect(answer.status == status)
    }
  }

  @Test("addresses without a file are not found, whatever they look like")
  func unknown() async throws {
    let store = try await InProcessStore()
    let url = try await Self.upload([1], to: store).url
    for path in [
      "/file/x", "/file/..", "/file/%2e%2e%2fetc", "/file/AAAAAAAAAAAAAAAAAAAAAA", url + "A",
      "/file/" + String(repeating: "A", count: 5000), "/file/%00", url.lowercased() + "%20",
    ] {
      #expect(try await store.send(.get, path).status == 404, "\(path.prefix(40))")
    }
    #expect(try await store.send(.put, url, text: "x").status == 405)
  }

  @Test("a file by ntfy has an absolute address, also for readers, and expires with its item")
  func ntfy() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let sent = try await store.send(
      .put, "/nas", token: token, body: Self.png, headers: ["Filename": "cat.png"])
    #expect(sent.status == 200)
    let message = try JSONValue(parsing: sent.body)
    #expect(message["message"]?.text == "You received a file: cat.png")
    let url = try #require(message["attachment"]?["url"]?.text)
    #expect(url.hasPrefix("http://store.test/file/"))
    #expect(message["attachment"]?["type"]?.text == "image/png")
    #expect(
      message["attachment"]?["expires"]?.number
        == Int(store.time.now.milliseconds / 1000) + 30 * 86_400)
    let read = try await store.send(.get, "/nas/json?poll=1", token: token)
    #expect(read.text.contains("\"url\":\"\(url)\""), "\(read.text)")
    let path = String(url.dropFirst("http://store.test".count))
    #expect(try await store.send(.get, path).body == Self.png)
    let id = try #require(message["sequence_id"]?.text)
    #expect(try await store.send(.delete, "/nas/" + id, token: token).status == 200)
    #expect(try await store.send(.get, path).status == 404)
    let account = try JSONValue(
      parsing: try await store.send(.get, "/v1/account", token: token).body)
    #expect(account["limits"]?["attachment_file_size"]?.number == 15 << 20)
  }

  @Test("a refused publication leaves no file, and neither does a repeated one")
  func leftovers() async throws {
    let shelf = MemoryShelf()
    let store = try await InProcessStore(shelf: shelf)
    let token = try await store.publishToken(for: .app("nas"))
    func shelved() async throws -> Int {
      store.time.advance(by: .seconds(1))
      try await store.service.sweep()
      return shelf.hashes(beginningWith: "").count
    }
    for (path, headers) in [
      ("/ci", ["Filename": "a"]), ("/nas", ["Filename": "a", "Priority": "9"]),
      ("/nas", ["Filename": "a", "Actions": "nothing"]),
      ("/nas", ["Filename": "a", "Idempotency-Key": "ü"]),
    ] {
      let answer = try await store.send(.put, path, token: token, text: "x", headers: headers)
      #expect((400..<404).contains(answer.status), "\(headers): \(answer.text)")
      #expect(try await shelved() == 0, "\(headers)")
    }
    var answers: Set<[UInt8]> = []
    for _ in 0..<2 {
      let answer = try await store.send(
        .put, "/nas", token: token, text: "x", headers: ["Filename": "a", "Idempotency-Key": "k"])
      #expect(answer.status == 200)
      answers.insert(answer.body)
    }
    #expect(try await shelved() == 1)
    let long = try await store.send(
      .post, "/notify", token: token,
      text: #"{"message":"m","attachments":[{"base64":"aGk="},{"base64":"?"}]}"#)
    #expect(long.status == 400)
    #expect(try await shelved() == 1)
  }

  @Test("no range or name of a file causes an internal error", arguments: 1...4)
  func anyRange(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let store = try await InProcessStore()
    let token = try await store.publishToken()
    let pieces = [
      "bytes", "Bytes", "=", "-", ",", " ", "0", "1", "9", "10", "99999999999999999999", "*", "\"",
      "W/", "/", "..", "%2f", "%00", "%ff", "ü", "🚀", "\u{202e}", "\u{301}", ".", "name", "&", "",
    ]
    func text(_ count: Int) -> String {
      (0..<Int.random(in: 0...count, using: &random))
        .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
    }
    for _ in 0..<300 {
      let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        [0, 0x20, 0x41, 0x89, 0xff, 0xc3].randomElement(using: &random) ?? UInt8(1)
      }
      let name = Route.escaped(text(8))
      let upload = try await store.send(
        .post, Route.attachments.path + "?name=\(Bool.random(using: &random) ? name : text(4))",
        token: token, body: bytes, headers: ["Content-Type": text(3)])
      #expect(upload.status == (bytes.isEmpty ? 400 : 201), "seed \(seed): \(name)")
      guard upload.status == 201 else { continue }
      let url = try upload.decoded(Upload.self).url
      let range = Bool.random(using: &random) ? "bytes=" + text(3) : text(5)
      let answer = try await store.send(
        .get, url,
        headers: ["Range": range, "If-Range": text(3), "If-None-Match": text(3)].filter {
          !$0.value.isEmpty
        })
      #expect([200, 206, 304, 416].contains(answer.status), "seed \(seed): \(range)")
      #expect(answer.body.count <= bytes.count)
      let unknown = try await store.send(.get, "/file/" + Route.escaped(text(6)))
      #expect([404, 405].contains(unknown.status), "seed \(seed)")
    }
  }

  /// Uploads with a new token for any app.
  static func upload(_ bytes: [UInt8], to store: InProcessStore) async throws -> Upload {
    let answer = try await store.send(
      .post, Route.attachments.path, token: try await store.publishToken(), body: bytes)
    #expect(answer.status == 201)
    return try answer.decoded(Upload.self)
  }
}
