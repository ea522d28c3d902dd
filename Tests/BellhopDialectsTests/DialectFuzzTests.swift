import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopDialects
@testable import BellhopServer

/// Requests made of the parts that dialects parse, combined at random.
@Suite("Dialects and malformed requests")
struct DialectFuzzTests {
  @Test("no request causes an internal error of the store", arguments: 1...8)
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

  @Test("any text is parsed as an action, a time or a template, or is refused", arguments: 1...8)
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
