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
      let request = DialectRequest.random(&random)
      let method = try #require(HTTPRequest.Method(request.method))
      let answer = try await store.send(
        method, request.path, token: tokens.randomElement(using: &random), body: request.body,
        headers: request.headers)
      #expect(answer.status < 500, "seed \(seed): \(request)")
    }
    #expect(store.service.subscriberCount == 0)
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
      let text = DialectRequest.text(&random)
      _ = try? NtfyAction.drafts(text)
      _ = NtfyTime.instant(text, now: Timestamp(seconds: 1_795_262_400), zone: .utc)
      _ = EncodedWord.decode(text)
      let isWellFormed = HookText.isWellFormed(text)
      let filled = HookInput(body: ["a": 1], headers: [:]).filled(text, isLenient: true)
      #expect(filled != nil || !isWellFormed, "seed \(seed): \(text)")
    }
  }
}
