import BellhopModel
import BellhopStore
import Testing

@Suite("Limits")
struct LimitTests {
  /// A case over a limit: the field in the error, and a part of the expected value.
  struct Case: Sendable, CustomTestStringConvertible {
    var title: String
    var field: String
    var expects: String
    var adjust: @Sendable (inout Content, Timestamp) -> Void

    var testDescription: String { title }
  }

  /// A case of one action that is valid except for the change that `make` applies.
  private static func action(
    _ title: String, _ field: String, _ expects: String,
    _ make: @escaping @Sendable (ContentExtras.Action) -> [ContentExtras.Action]
  ) -> Case {
    Case(title: "an action: " + title, field: "actions." + field, expects: expects) {
      content, _ in
      content.extras.actions = make(
        ContentExtras.Action(id: "1", title: "A", kind: .open, url: "https://a.example/"))
    }
  }

  static let cases = [
    Case(title: "no payload", field: "payload", expects: "visualContent") { content, _ in
      content.visual = nil
    },
    Case(title: "blank title", field: "payload.visualContent.title", expects: "not empty") {
      content, _ in content.visual?.title = " \n"
    },
    Case(title: "long title", field: "payload.visualContent.title", expects: "512 bytes") {
      content, _ in content.visual?.title = String(repeating: "é", count: 257)
    },
    Case(title: "long body", field: "payload.visualContent.body", expects: "16384 bytes") {
      content, _ in content.visual?.body = String(repeating: "x", count: 16_385)
    },
    Case(title: "long raw", field: "payload.rawContent", expects: "32768 bytes") {
      content, _ in content.raw = String(repeating: "x", count: 32_769)
    },
    Case(title: "many tags", field: "tags", expects: "16 tags") { content, _ in
      content.tags = Array(repeating: "t", count: 17)
    },
    Case(title: "many actions", field: "actions", expects: "8 actions") { content, _ in
      content.extras.actions = Array(repeating: .init(id: "a", title: "A"), count: 9)
    },
    action("two of one id", "id", "a different id") { [$0, $0] },
    action("a blank title", "title", "not empty") { [$0.with { $0.title = " " }] },
    action("an unknown kind", "kind", "open, copy") {
      [$0.with { $0.kind = .init(rawValue: "x") }]
    },
    action("no link to open", "url", "begins with") { [$0.with { $0.url = nil }] },
    action("another scheme to open", "url", "begins with") {
      [$0.with { $0.url = "javascript:alert(1)" }]
    },
    action("nothing to copy", "text", "to copy") { [$0.with { $0.kind = .copy }] },
    action("much to copy", "text", "4096 bytes") {
      [
        $0.with {
          $0.kind = .copy
          $0.text = String(repeating: "x", count: 4097)
        }
      ]
    },
    action("a request to nowhere", "url", "https://") {
      [
        $0.with {
          $0.kind = .http
          $0.url = nil
        }
      ]
    },
    action("another method", "method", "GET, HEAD") {
      [
        $0.with {
          $0.kind = .http
          $0.method = "TRACE"
        }
      ]
    },
    action("headers of the connection", "headers", "such as host") {
      [
        $0.with {
          $0.kind = .http
          $0.headers = ["Host": "x"]
        }
      ]
    },
    action("a reply with a body", "body", "types") {
      [
        $0.with {
          $0.kind = .reply
          $0.body = "x"
        }
      ]
    },
    Case(title: "app with a space", field: "targetHostName", expects: "domain") {
      content, _ in content.app = "a b"
    },
    Case(title: "app with an empty label", field: "targetHostName", expects: "domain") {
      content, _ in content.app = "a..b"
    },
    Case(title: "long app", field: "targetHostName", expects: "253") { content, _ in
      content.app = Array(repeating: "abcdefghi", count: 26).joined(separator: ".")
    },
    Case(title: "expired", field: "expirationDateTime", expects: "after now") {
      $0.expiration = $1
    },
    Case(title: "far expiration", field: "expirationDateTime", expects: "2026-03-31") {
      $0.expiration = $1.advanced(by: .seconds(31 * 86_400))
    },
    Case(title: "delivered too late", field: "deliverAfterDateTime", expects: "before 2026") {
      $0.expiration = $1.advanced(by: .seconds(60))
      $0.deliverAt = $1.advanced(by: .seconds(60))
    },
    Case(title: "no time in the tray", field: "displayTimeToLive", expects: "at least 1") {
      content, _ in content.displayTimeToLive = .zero
    },
    Case(title: "link with a space", field: "clickUrl", expects: "link") { content, _ in
      content.clickURL = "https://example.com/a b"
    },
    Case(
      title: "quick fallback", field: "fallbackPolicy.fallbackDelayInSeconds",
      expects: "60 to 600"
    ) { content, _ in
      content.extras.fallbackPolicy = .init(
        platformTypes: [], fallbackDelayInSeconds: 5, visualContent: nil)
    },
  ]

  @Test(
    "content past a limit is refused with the field and the accepted values",
    arguments: cases)
  func refused(refused: Case) async throws {
    let store = try await StoreUnderTest(.memory)
    let error = try await storeError {
      try await store.publish("t") { refused.adjust(&$0, store.clock.now) }
    }
    guard case .invalid(let field, let expectation)? = error else {
      Issue.record("accepted, or another error: \(String(describing: error))")
      return
    }
    #expect(field == refused.field)
    #expect(expectation.contains(refused.expects))
  }

  @Test(
    "content at its limits is accepted and returned unchanged",
    arguments: BackendKind.allCases)
  func atTheLimits(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let published = try await store.publish("t", app: "a_b-C.example.com") { content in
      content.visual = VisualContent(
        title: String(repeating: "x", count: 512),
        body: String(repeating: "é", count: 8192))
      content.raw = String(repeating: "\u{1}", count: 32_768)
      content.tags = Array(repeating: "t", count: 16)
      content.expiration = store.clock.now.advanced(by: .seconds(30 * 86_400))
    }
    #expect(
      try await store.service.item(published.item.id, of: store.user) == published.item)
  }

  @Test(
    "a default expiration is set on items without one, if configured",
    arguments: BackendKind.allCases)
  func defaultExpiration(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.defaultExpiration = .seconds(7 * 86_400)
    let store = try await StoreUnderTest(kind, limits: limits)
    let item = try await store.publish("a").item
    #expect(item.content.expiration == item.created.advanced(by: .seconds(7 * 86_400)))
  }

  @Test("a pattern allows the apps below its prefix and no others")
  func patterns() throws {
    let pattern = try #require(AppPattern("ci.*"))
    #expect(pattern.allows("ci.build"))
    #expect(pattern.allows("ci.build.linux"))
    #expect(!pattern.allows("ci"))
    #expect(!pattern.allows("circus.build"))
    #expect(!pattern.allows("CI.build"))
    #expect(AppPattern("backups")?.allows("backups") == true)
    #expect(AppPattern("backups")?.allows("backups.x") == false)
    #expect(AppPattern("*")?.allows("anything") == true)
    for text in ["", "a*", "*.ci", ".*", "a b"] { #expect(AppPattern(text) == nil) }
  }
}

extension ContentExtras.Action {
  fileprivate func with(_ change: (inout Self) -> Void) -> Self {
    var action = self
    change(&action)
    return action
  }
}
