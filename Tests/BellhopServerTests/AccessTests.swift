import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopServer

/// The kinds of caller, by their token.
private enum Caller: CaseIterable {
  case anonymous, garbage, almost, expired, revoked
  case publishesElsewhere, publishesAnything
  case appElsewhere, appTopic
  case enrolling
  case otherDevice
  case stranger, strangerPublishing

  /// The expected result of a call.
  enum Verdict {
    case unauthenticated, forbidden
    /// An answer that contains no data of the owner.
    case blind
    case allowed
  }

  func verdict(_ audience: AccessExpectation.Audience) -> Verdict {
    if audience == .open { return .blind }
    switch self {
    case .anonymous, .garbage, .almost, .expired, .revoked: return .unauthenticated
    case .enrolling: return .forbidden
    case .publishesElsewhere: return audience == .ownApp ? .allowed : .forbidden
    case .publishesAnything:
      return [.publish, .ownApp].contains(audience) ? .allowed : .forbidden
    case .appElsewhere:
      return audience == .item ? .blind : audience == .ownApp ? .allowed : .forbidden
    case .appTopic:
      return [.item, .publish, .ownApp].contains(audience) ? .allowed : .forbidden
    case .otherDevice: return audience == .ownDevice ? .forbidden : .allowed
    case .stranger:
      // For a stranger another user's device does not exist.
      return .blind
    case .strangerPublishing:
      return [.publish, .ownApp].contains(audience) ? .blind : .forbidden
    }
  }
}

/// A store with an owner, all other callers, an item of the app `topic` and two devices.
private struct World {
  static let secret = "the owner's secret"
  static let device = "owners-laptop"

  let store: InProcessStore
  let owner: String
  let item: NotificationID
  private var tokens: [Caller: String] = [:]

  init() async throws {
    store = try await InProcessStore(users: ["me", "you"])
    let me = try await store.service.user(named: "me").id
    let service = store.service
    func token(_ scope: AccessScope, expires: Timestamp? = nil) async throws -> MintedToken {
      try await service.mintToken(named: "t", scope: scope, expires: expires, for: me)
    }
    owner = try await store.deviceToken(DeviceID(Self.device))
    let answer = try await store.send(
      .post, "/v1.0/me/notifications", token: owner,
      text: """
        {"targetHostName":"topic","appNotificationId":"x",
         "payload":{"visualContent":{"title":"\(Self.secret)"}}}
        """)
    item = try answer.decoded(NotificationPayload.self).item.id
    _ = try await store.send(
      .put, "/v1.0/me/apps/topic/categories/question", token: owner,
      text: #"{"actions":[{"id":"a","title":"\#(Self.secret)"}]}"#)
    _ = try await store.send(
      .patch, Route.notification(item).path, token: owner, text: #"{"readState":"read"}"#)
    let revoked = try await token(.device(nil))
    try await service.revokeToken(revoked.token.id, of: me)
    tokens = [
      .garbage: "garbage", .almost: "blh_" + String(repeating: "A", count: 43),
      .expired: try await token(
        .device(nil), expires: store.time.now.advanced(by: .seconds(1))
      ).secret.text,
      .revoked: revoked.secret.text,
      .publishesElsewhere: try await token(.publish(.app("elsewhere"))).secret.text,
      .publishesAnything: try await token(.publish(.any)).secret.text,
      .appElsewhere: try await token(.app("elsewhere")).secret.text,
      .appTopic: try await token(.app("topic")).secret.text,
      .enrolling: try await token(.enrol).secret.text,
      .otherDevice: try await store.deviceToken(DeviceID("owners-phone")),
      .stranger: try await store.deviceToken(DeviceID("strangers"), of: "you"),
      .strangerPublishing: try await store.publishToken(of: "you"),
    ]
    store.time.advance(by: .seconds(2))
    // The first use renews a registration; no call should get the blame for that.
    _ = try await store.send(.get, Route.devices.path, token: tokens[.otherDevice])
  }

  func call(_ endpoint: Endpoint, version: String, as caller: Caller) async throws
    -> InProcessStore.Answer
  {
    let body = AccessExpectation.table[endpoint.accessKey]?.body ?? "{}"
    return try await store.send(
      endpoint.method, path(of: endpoint, version: version), token: tokens[caller], text: body,
      headers: ["Content-Type": "application/json"])
  }

  /// The endpoint's path to the owner's data.
  private func path(of endpoint: Endpoint, version: String) -> String {
    let parts = endpoint.pattern.split(separator: "/").map { part in
      switch part {
      case ":id" where endpoint.pattern.contains("categories"): "question"
      case ":id": endpoint.pattern.contains("devices") ? Self.device : item.description
      case let part where part.hasPrefix(":app") && part != ":app": "x"
      case let part where part.hasPrefix(":"): "topic"
      case let part: String(part)
      }
    }
    let path = (endpoint.root == .native ? [version] : []) + parts
    return "/" + path.joined(separator: "/")
      + (AccessExpectation.table[endpoint.accessKey]?.query ?? "")
  }

  /// Everything that a call could have changed.
  func ownersView() async throws -> [String] {
    var view: [String] = []
    for path in [Route.notifications.path, Route.devices.path, Route.apps.path] {
      view.append(try await store.send(.get, path, token: owner).text)
    }
    return view
  }
}

@Suite("Access to endpoints")
struct AccessTests {
  @Test("every endpoint has a line in the table, and the table has no other")
  func tableIsWhole() async throws {
    var keys: Set<String> = []
    for endpoint in try await InProcessStore().server.endpoints {
      let key = endpoint.accessKey
      keys.insert(key)
      guard let expected = AccessExpectation.table[key] else {
        Issue.record("\(key) is served to everybody: say in AccessTable.swift who may use it")
        continue
      }
      switch (endpoint.access, expected.audience) {
      case (.open, .open), (.device, .device), (.device, .ownDevice), (.item, .item),
        (.publish, .publish), (.publish, .ownApp):
        break
      default: Issue.record("\(key) is for \(endpoint.access), not for \(expected.audience)")
      }
    }
    for key in AccessExpectation.table.keys where !keys.contains(key) {
      Issue.record("\(key) is in AccessTable.swift and is not served")
    }
  }

  @Test("each wrong token on each route is refused, learns nothing, and changes nothing")
  func walk() async throws {
    for caller in Caller.allCases {
      let world = try await World()
      let before = try await world.ownersView()
      for endpoint in world.store.server.endpoints {
        guard let expected = AccessExpectation.table[endpoint.accessKey] else { continue }
        let verdict = caller.verdict(expected.audience)
        if verdict == .allowed || (verdict == .blind && endpoint.isStream) { continue }
        for version in endpoint.root == .native ? Route.versions : [""] {
          let answer = try await world.call(endpoint, version: version, as: caller)
          let what = "\(endpoint.accessKey) by \(caller): \(answer.status)"
          switch verdict {
          case .unauthenticated:
            #expect(answer.status == 401, "\(what)")
            #expect(answer.header("WWW-Authenticate") == "Bearer", "\(what)")
          case .forbidden:
            #expect(
              answer.status == 403 || (expected.refusesInside && answer.status < 300), "\(what)")
          case .blind: #expect(![401, 500].contains(answer.status), "\(what)")
          case .allowed: break
          }
          for secret in [World.secret, World.device, "owners-phone", world.item.description] {
            #expect(!answer.text.contains(secret), "\(what) \(answer.text)")
          }
        }
      }
      #expect(try await world.ownersView() == before, "\(caller) changed something")
    }
  }

  @Test("the right token on each route is accepted")
  func allowed() async throws {
    let endpoints = try await InProcessStore().server.endpoints
    for caller in Caller.allCases {
      for endpoint in endpoints where !endpoint.isStream {
        guard let expected = AccessExpectation.table[endpoint.accessKey],
          caller.verdict(expected.audience) == .allowed
        else { continue }
        let answer = try await World().call(endpoint, version: "v1.0", as: caller)
        #expect(
          ![401, 403, 500].contains(answer.status),
          "\(endpoint.accessKey) by \(caller): \(answer.status) \(answer.text)")
      }
    }
  }

  @Test("a revoked token's refusal names who revoked it and when")
  func revoked() async throws {
    let store = try await InProcessStore()
    let mine = try await store.deviceToken(DeviceID("laptop"))
    let lost = try await store.deviceToken(DeviceID("phone"))
    #expect(
      try await store.send(.delete, Route.device(DeviceID("phone")).path, token: mine).status
        == 204)
    let answer = try await store.send(.get, Route.notifications.path, token: lost)
    #expect(answer.status == 401)
    let payload = try answer.decoded(ErrorPayload.self)
    #expect(payload.code == .unauthenticated)
    #expect(payload.revocation == RevocationPayload(at: store.time.now, by: "The laptop"))
    #expect(answer.text.contains(#""code":"tokenRevoked""#))
    let unknown = try await store.send(.get, Route.notifications.path, token: "blh_no")
    #expect(try unknown.decoded(ErrorPayload.self).revocation == nil)
  }

  /// A rule whose name only its user may see.
  private static let rule = #"""
    {"id":"0198c0de-0000-7000-8000-000000000001","name":"secret",
    "revision":"0198c0de-0000-7000-8000-00000000000a"}
    """#

  @Test("an app token reads and changes its app's items, and does not learn who else did")
  func appTokens() async throws {
    let store = try await InProcessStore()
    let mine = try await store.deviceToken(DeviceID("laptop"))
    let user = try await store.service.user(named: "me").id
    let app = try await store.service.mintToken(named: "a", scope: .app("nas"), for: user)
      .secret.text
    for (topic, text) in [("nas", "one"), ("ci", "other"), ("nas", "two")] {
      store.time.advance(by: .seconds(1))
      #expect(try await store.send(.post, "/" + topic, token: mine, text: text).status == 200)
    }
    let list = try await store.send(.get, Route.notifications.path + "?$top=1", token: app)
    let page = try list.decoded(ListPayload.self)
    #expect(page.items.map(\.content.visual?.title) == ["two"])
    let next = try #require(page.nextLink?.replacing("http://store.test", with: ""))
    let second = try await store.send(.get, next, token: app).decoded(ListPayload.self)
    #expect(second.items.map(\.content.visual?.title) == ["one"])

    let item = Route.notification(try #require(page.items.first).id).path
    _ = try await store.send(.patch, item, token: mine, text: #"{"readState":"read"}"#)
    let read = try await store.send(.get, item, token: app)
    #expect(read.text.contains(#""readState":"read""#))
    #expect(!read.text.contains("laptop") && !read.text.contains("readStateChange"))
    let effect = #"{"applied":{"priority":"low","exhausted":[\#(Self.rule)]}}"#
    #expect(try await store.send(.patch, item, token: mine, text: effect).status == 200)
    let lowered = try await store.send(.get, item, token: app)
    #expect(lowered.text.contains(#""applied":{"priority":"low"}"#))
    #expect(!lowered.text.contains("secret") && !lowered.text.contains("appliedChange"))
    let dismissed = try await store.send(
      .patch, item, token: app, text: #"{"userActionState":"dismissed"}"#)
    #expect(dismissed.status == 200)
    #expect(!dismissed.text.contains("laptop"))
    #expect(try await store.send(.delete, item, token: app).status == 204)
    #expect(try await store.send(.get, item, token: mine).status == 404)
    #expect(try await store.send(.post, "/nas", token: app, text: "by the app").status == 200)
    #expect(try await store.send(.post, "/ci", token: app, text: "no").status == 403)
  }

  @Test("log lines contain no control characters from outside")
  func logLines() {
    #expect(LineLogHandler.quoted("a\"\\\n\u{1b}\u{9b}é") == #""a\"\\\n\u001b\u009bé""#)
  }
}
