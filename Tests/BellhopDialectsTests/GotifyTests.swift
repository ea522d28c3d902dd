import BellhopModel
import BellhopServer
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopDialects

@Suite("Gotify's interface", .timeLimit(.minutes(15)))
struct GotifyTests {
  @Test(
    "each request stores its content, and gets the answer of its service",
    arguments: ["gotify/messages", "gotify/applications", "apprise/notify", "hooks/ready"])
  func fixtures(file: String) async throws {
    let fixtures = try Fixtures.read("BellhopDialectsTests/Fixtures/\(file).json")
    #expect(fixtures.count > 5)
    for fixture in fixtures {
      let store = try await InProcessStore()
      let token = try await store.publishToken(for: .app("nas"))
      try await FixtureRun.check(fixture, on: store, token: token)
    }
  }

  private func publish(_ store: InProcessStore, _ texts: [String], app: String) async throws {
    let token = try await store.publishToken(for: .app(app))
    for text in texts {
      let answer = try await store.send(
        .post, "/message", token: token, text: #"{"message":"\#(text)"}"#)
      try #require(answer.status == 200, "\(answer.text)")
    }
  }

  private func page(_ store: InProcessStore, _ path: String, _ token: String) async throws
    -> (texts: [String], paging: JSONValue)
  {
    let answer = try await store.send(.get, path, token: token)
    try #require(answer.status == 200, "\(answer.text)")
    let value = try JSONValue(parsing: answer.body)
    return (
      (value["messages"]?.elements ?? []).compactMap { $0["message"]?.text },
      value["paging"] ?? .null
    )
  }

  @Test("messages are listed page by page, newest first, and only those that the token may read")
  func reading() async throws {
    let store = try await InProcessStore()
    try await publish(store, ["a", "b"], app: "nas")
    try await publish(store, ["c"], app: "ci")
    try await publish(store, ["d"], app: "nas")
    let device = try await store.deviceToken()
    let first = try await page(store, "/message?limit=3", device)
    #expect(first.texts == ["d", "c", "b"])
    #expect(first.paging["size"] == 3 && first.paging["limit"] == 3 && first.paging["since"] == 2)
    let next = try #require(first.paging["next"]?.text).replacing("http://store.test", with: "")
    let second = try await page(store, next, device)
    #expect(second.texts == ["a"] && second.paging["next"] == nil)
    let user = try await store.service.user(named: "me").id
    let app = try await store.service.mintToken(named: "a", scope: .app("nas"), for: user)
      .secret.text
    #expect(try await page(store, "/message", app).texts == ["d", "b", "a"])

    let applications = try JSONValue(
      parsing: try await store.send(.get, "/application", token: device).body)
    #expect(applications.elements.compactMap { $0["name"]?.text } == ["ci", "nas"])
    let number = try #require(applications.elements.last?["id"]?.number)
    #expect(
      try await page(store, "/application/\(number)/message", device).texts == ["d", "b", "a"])
    #expect(try await store.send(.get, "/application/1/message", token: device).status == 404)
    #expect(try await store.send(.get, "/message?limit=0", token: device).status == 400)
    #expect(
      try await store.send(.get, "/message", token: store.publishToken()).status == 403)
  }

  @Test("messages are deleted one by one, by application, and all together")
  func deleting() async throws {
    let store = try await InProcessStore()
    try await publish(store, ["a", "b"], app: "nas")
    try await publish(store, ["c", "d"], app: "ci")
    let device = try await store.deviceToken()
    #expect(try await store.send(.delete, "/message/1", token: device).status == 200)
    #expect(try await store.send(.delete, "/message/1", token: device).status == 404)
    #expect(try await store.send(.delete, "/message/x", token: device).status == 404)
    let number = GotifyDialect.number(of: "ci")
    #expect(
      try await store.send(.delete, "/application/\(number)/message", token: device).status == 200)
    #expect(try await page(store, "/message", device).texts == ["b"])
    let user = try await store.service.user(named: "me").id
    for number in 0..<450 {
      let content = Content(app: "ci", visual: VisualContent(title: "\(number)"))
      _ = try await store.service.publish(PublishRequest(content), for: user)
    }
    #expect(try await store.send(.delete, "/message", token: device).status == 200)
    #expect(try await page(store, "/message", device).texts.isEmpty)
  }

  private func json(
    _ store: InProcessStore, _ method: HTTPRequest.Method, _ path: String, _ token: String,
    _ body: String = "", status: Int = 200
  ) async throws -> JSONValue {
    let answer = try await store.send(method, path, token: token, text: body)
    try #require(answer.status == status, "\(method) \(path): \(answer.status) \(answer.text)")
    return try JSONValue(parsing: answer.body)
  }

  @Test("an application is created, publishes, is renamed, and is deleted with its messages")
  func applications() async throws {
    let store = try await InProcessStore()
    let device = try await store.deviceToken()
    let made = try await json(
      store, .post, "/application", device, #"{"name":"The NAS, upstairs","defaultPriority":7}"#)
    let token = try #require(made["token"]?.text)
    let number = try #require(made["id"]?.number)
    #expect(made["name"] == "The NAS, upstairs" && made["description"] == "the-nas-upstairs")
    #expect(made["defaultPriority"] == 7)
    let listed = try await json(store, .get, "/application", device)
    #expect(listed.elements.map { $0["name"] } == ["The NAS, upstairs"])
    #expect(listed.elements.first?["token"] == "")

    let sent = try await json(store, .post, "/message", token, #"{"message":"m"}"#)
    #expect(sent["appid"]?.number == number && sent["priority"] == 7)
    let later = try await store.send(
      .post, "/the-nas-upstairs", token: token, text: "later", headers: ["Delay": "1h"])
    #expect(later.status == 200)
    try await publish(store, ["other"], app: "ci")
    // A publisher's token may not list applications or clients, nor create them.
    for path in ["/application", "/client"] {
      #expect(try await store.send(.get, path, token: token).status == 403)
      let answer = try await store.send(.post, path, token: token, text: #"{"name":"x"}"#)
      #expect(answer.status == 403)
    }

    let renamed = try await json(store, .put, "/application/\(number)", device, #"{"name":"NAS"}"#)
    #expect(renamed["name"] == "NAS" && renamed["id"]?.number == number)
    for (path, status) in [("\(number)", 501), ("1", 404)] {
      let answer = try await json(
        store, .post, "/application/\(path)/image", device, "picture", status: status)
      #expect(
        (answer["errorDescription"]?.text?.contains("does not support images") == true)
          == (status == 501))
    }
    // Another one of the same name publishes for the same app, which keeps its display name.
    let second = try await json(
      store, .post, "/application", device, #"{"name":"The NAS, upstairs"}"#)
    #expect(second["id"]?.number == number && second["name"] == "NAS")
    #expect(try #require(second["token"]?.text) != token)

    _ = try await json(store, .delete, "/application/\(number)", device)
    #expect(
      try await store.send(.post, "/message", token: token, text: #"{"message":"m"}"#).status == 401
    )
    #expect(try await page(store, "/message", device).texts == ["other"])
    store.time.advance(by: .seconds(3601))
    #expect(try await page(store, "/message", device).texts == ["other"])
    let left = try await json(store, .get, "/application", device)
    #expect(left.elements.map { $0["name"] } == ["ci"])
  }

  @Test("an app's token sees its own application only, and cannot create, rename or delete any")
  func applicationsOfAnApp() async throws {
    let store = try await InProcessStore()
    try await publish(store, ["a"], app: "nas")
    try await publish(store, ["b"], app: "ci")
    let user = try await store.service.user(named: "me").id
    let token = try await store.service.mintToken(named: "a", scope: .app("nas"), for: user)
      .secret.text
    let listed = try await json(store, .get, "/application", token)
    #expect(listed.elements.map { $0["name"] } == ["nas"])
    // For a token, an app that it may not read does not exist.
    for name in ["ci", "nothing"] {
      let path = "/application/\(GotifyDialect.number(of: name))/message"
      #expect(try await store.send(.get, path, token: token).status == 404)
      #expect(try await store.send(.delete, path, token: token).status == 404)
    }
    let own = "/application/\(GotifyDialect.number(of: "nas"))"
    #expect(try await store.send(.delete, own, token: token).status == 403)
    #expect(try await store.send(.put, own, token: token, text: #"{"name":"x"}"#).status == 403)
  }

  @Test(
    "an application's name becomes a valid name of an app",
    arguments: [
      ("nas", "nas"), ("CI.example.com", "CI.example.com"), ("Home Assistant", "home-assistant"),
      (" …/etc/passwd ", "etc-passwd"), ("ci.*", "ci"), ("*", "app-"), ("备份", "app-"),
    ])
  func names(name: String, app: String) {
    let made = GotifyApplications.appName(for: name)
    if app.hasSuffix("-") {
      #expect(made == app + String(GotifyDialect.number(of: name)))
    } else {
      #expect(made == app)
    }
    let long = GotifyApplications.appName(for: String(repeating: name + " ", count: 50))
    #expect(AppPattern(long) == .app(long) && long.utf8.count <= 64)
  }

  @Test("a device sees and revokes clients; an app's token only itself")
  func clients() async throws {
    let store = try await InProcessStore()
    let device = try await store.deviceToken()
    let user = try await store.service.user(named: "me").id
    let minted = try await store.service.mintToken(named: "a", scope: .app("nas"), for: user)
    let (app, id) = (minted.secret.text, GotifyDialect.number(of: minted.token.id.description))
    _ = try await store.publishToken()
    let all = try await json(store, .get, "/client", device).elements
    #expect(Set(all.compactMap { $0["name"]?.text }) == ["device token", "a"])
    #expect(all.allSatisfy { $0["token"] == "" })
    let seen = try await json(store, .get, "/client", app).elements
    #expect(seen.map { $0["id"]?.number } == [id])
    let other = try #require(all.first { $0["name"] == "device token" }?["id"]?.number)
    let renamed = try await json(store, .put, "/client/\(id)", device, #"{"name":"NAS"}"#)
    #expect(renamed["name"] == "NAS" && renamed["id"]?.number == id && renamed["token"] == "")
    let own = try await json(store, .put, "/client/\(id)", app, #"{"name":"self"}"#)
    #expect(own["name"] == "self")
    for body in [
      "{}", #"{"name":" "}"#, #"{"name":"a\u0000"}"#, #"{"name":"a\u001b]52;c;x\u0007"}"#,
    ] {
      _ = try await json(store, .put, "/client/\(id)", device, body, status: 400)
    }
    _ = try await json(store, .put, "/client/\(other)", app, #"{"name":"x"}"#, status: 404)
    let names = try await json(store, .get, "/client", device).elements.map { $0["name"] }
    #expect(Set(names.compactMap { $0?.text }) == ["device token", "self"])
    #expect(try await store.send(.delete, "/client/\(other)", token: app).status == 404)
    _ = try await json(store, .delete, "/client/\(id)", app)
    #expect(try await store.send(.get, "/client", token: app).status == 401)
    #expect(try await store.send(.delete, "/client/\(id)", token: device).status == 404)
    _ = try await json(store, .delete, "/client/\(other)", device)
    #expect(try await store.send(.get, "/client", token: device).status == 401)
  }

  @Test("a client signs in with a token as its password, and learns its user")
  func account() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let basic = "Basic " + Base64.encode(Array("me:\(token)".utf8))
    let client = try await store.send(
      .post, "/client", text: #"{"name":"phone"}"#, headers: ["Authorization": basic])
    let value = try JSONValue(parsing: client.body)
    #expect(value["token"]?.text == token && value["name"]?.text == "phone")
    let user = try await store.send(.get, "/current/user?token=\(token)")
    #expect(try JSONValue(parsing: user.body)["name"]?.text == "me")
    let health = try JSONValue(parsing: try await store.send(.get, "/health").body)
    #expect(health["health"]?.text == "green" && health["database"]?.text == "green")
    let version = try await store.send(.get, "/version")
    #expect(try JSONValue(parsing: version.body)["version"]?.text == "0-test")
  }

  @Test("a form with too many parts is refused")
  func manyParts() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken(for: .app("nas"))
    for (count, status) in [(100, 200), (101, 400)] {
      let parts = (0..<count).map {
        "--XX\r\nContent-Disposition: form-data; name=\"\($0 == 0 ? "message" : "x")\"\r\n\r\nm\r\n"
      }
      let answer = try await store.send(
        .post, "/message", token: token, text: parts.joined() + "--XX--\r\n",
        headers: ["Content-Type": "multipart/form-data; boundary=XX"])
      #expect(answer.status == status, "\(answer.text)")
    }
  }
}
