import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopTime
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopServer

/// Requests made of pieces that dialects look for, in every wrong order.
@Suite("Dialects and what nobody would send")
struct DialectFuzzTests {
  private static let paths = [
    "/", "/nas", "/nas/x", "/nas/x/clear", "/nas/publish", "/nas/json?poll=1", "/nas/raw?poll=1",
    "/nas,ci/sse?poll=1", "/nas/auth", "/message", "/message/1", "/application", "/client",
    "/notify", "/notify/nas", "/hooks/github", "/hooks/gitlab", "/hooks/grafana",
    "/hooks/alertmanager", "/hooks/uptime-kuma", "/hooks/healthchecks", "/hooks/x",
    "/v1/account", "/current/user",
  ]
  private static let methods: [HTTPRequest.Method] = [.get, .put, .post, .delete]
  private static let names = [
    "Title", "Message", "Priority", "Tags", "Click", "Icon", "Attach", "Filename", "Actions",
    "Delay", "Cache", "Markdown", "Email", "X-Sequence-ID", "Content-Type", "since", "id",
    "X-GitHub-Event",
  ]
  private static let pieces = [
    "", " ", ",", ";", "'", "\"", "\\", "=", "{", "}", "[", "]", "view", "http", "Open",
    "https://a.b", "clear=true", "headers.a=b", "u=1", "5", "-1", "99999999999999999999", "30m",
    "in 2 days", "=?UTF-8?B?8J+agA==?=", "=?UTF-8?Q?=ZZ?=", "null", "true", "ü", "🚀", "\\n",
    "multipart/form-data; boundary=X", "application/x-www-form-urlencoded", "text/markdown", "%",
    "--X", "\r\n\r\n", "name=", "1.5e400", "\u{0}",
  ]
  private static let members = [
    "topic", "message", "title", "priority", "tags", "actions", "extras", "type", "attachments",
    "repository", "object_kind", "alerts", "monitor", "status", "body", "markdown", "delay",
  ]

  private func text(_ random: inout SeededRandom) -> String {
    (0..<Int.random(in: 0...6, using: &random))
      .map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
  }

  private func value(_ random: inout SeededRandom, depth: Int) -> JSONValue {
    switch Int.random(in: 0...(depth > 3 ? 4 : 6), using: &random) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &random))
    case 2:
      return .number(
        ["0", "3", "-7", "1e9", "9223372036854775808"].randomElement(using: &random) ?? "0")
    case 3: return "nas"
    case 4: return .string(text(&random))
    case 5:
      return .array(
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
          value(&random, depth: depth + 1)
        })
    default: return object(&random, depth: depth + 1)
    }
  }

  private func object(_ random: inout SeededRandom, depth: Int) -> JSONValue {
    var members: [String: JSONValue] = [:]
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      members[Self.members.randomElement(using: &random) ?? ""] = value(&random, depth: depth)
    }
    return .object(members)
  }

  @Test("no request brings an error of the store's own", arguments: 1...8)
  func requests(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let store = try await InProcessStore(configure: {
      $0.templates["x"] = HookTemplate(title: ["{a|b.c} {@x}"])
    })
    let user = try await store.service.user(named: "me").id
    let tokens = [
      try await store.deviceToken(), try await store.publishToken(),
      try await store.service.mintToken(named: "a", scope: .app("nas"), for: user).secret.text,
    ]
    for _ in 0..<400 {
      var headers: [String: String] = [:]
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let value = text(&random).filter { $0 != "\0" && !$0.isNewline }
        headers[Self.names.randomElement(using: &random) ?? ""] = value
      }
      var body: [UInt8]
      switch Int.random(in: 0...3, using: &random) {
      case 0: body = []
      case 1: body = Array(text(&random).utf8)
      case 2:
        body = (0..<Int.random(in: 0...64, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
      default: body = object(&random, depth: 0).bytes
      }
      if Int.random(in: 0...9, using: &random) == 0, !body.isEmpty { body.removeLast() }
      let path = Self.paths.randomElement(using: &random) ?? "/"
      let method = Self.methods.randomElement(using: &random) ?? .get
      let answer = try await store.send(
        method, path, token: tokens.randomElement(using: &random), body: body, headers: headers)
      #expect(
        answer.status < 500,
        "seed \(seed): \(method) \(path) \(headers) \(String(decoding: body, as: UTF8.self))")
    }
  }

  @Test("no range or name of a file brings an error of the store's own", arguments: 1...4)
  func files(seed: UInt64) async throws {
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
      let url = try upload.decoded(FileTests.Upload.self).url
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

  @Test("any text is an action, a time or a template, or is refused", arguments: 1...8)
  func parsers(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<5000 {
      let text = text(&random)
      _ = try? NtfyAction.drafts(text)
      _ = NtfyTime.instant(text, now: Timestamp(seconds: 1_795_262_400), zone: .utc)
      _ = EncodedWord.decode(text)
      let isWellFormed = HookText.isWellFormed(text)
      let filled = HookInput(body: ["a": 1], headers: [:]).filled(text, isLenient: true)
      #expect(filled != nil || !isWellFormed, "seed \(seed): \(text)")
    }
  }
}
