import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

/// Sends a fixture's request to a store, and checks the answer and the item that a device then
/// sees.
enum FixtureRun {
  static func check(_ fixture: JSONValue, on store: InProcessStore, token: String) async throws {
    let name = fixture["name"]?.text ?? "a fixture without a name"
    for request in fixture["before"]?.elements ?? [] {
      let answer = try await send(request, to: store, token, name)
      try #require(answer.status < 300, "\(name), before it: \(answer.text)")
    }
    let request = try #require(fixture["request"], "\(name)")
    let answer = try await send(request, to: store, token, name)

    let expected = try #require(fixture["answer"], "\(name)")
    #expect(answer.status == expected["status"]?.number, "\(name): \(answer.text)")
    if let body = expected["body"] {
      let actual = try JSONValue(parsing: answer.body)
      let difference = actual.difference(from: body)
      #expect(difference == nil, "\(name): \(answer.text)")
    }
    if let item = fixture["item"] { try await check(item, in: store, name) }
  }

  /// Sends with the publisher's token, or with a device's where the request asks for it.
  private static func send(
    _ request: JSONValue, to store: InProcessStore, _ publisher: String, _ name: String
  ) async throws -> InProcessStore.Answer {
    let token = request["as"] == "device" ? try await store.deviceToken() : publisher
    var headers = (request["headers"]?.members ?? [:]).compactMapValues(\.text)
    if request["anonymous"] == nil { headers["Authorization"] = "Bearer " + token }
    let method = try #require(HTTPRequest.Method(request["method"]?.text ?? ""), "\(name)")
    let path = (request["path"]?.text ?? "").replacing("$TOKEN", with: token)
    return try await store.send(
      method, path, body: body(of: request),
      headers: headers.mapValues { $0.replacing("$TOKEN", with: token) })
  }

  /// Checks the only item, or that there is none.
  private static func check(
    _ expected: JSONValue, in store: InProcessStore, _ name: String
  ) async throws {
    let user = try await store.service.user(named: "me")
    let items = try await store.service.list(rows: 10, for: user.id).items
    guard expected != .null else {
      #expect(items.isEmpty, "\(name) stored something")
      return
    }
    #expect(items.count == 1, "\(name)")
    let item = try #require(items.first, "\(name)")
    let actual = try JSONValue(parsing: WireJSON.encode(PublishedPayload(item)))
    let difference = actual.difference(from: expected)
    #expect(difference == nil, "\(name): \(String(decoding: actual.bytes, as: UTF8.self))")
  }

  private static func body(of request: JSONValue) -> [UInt8] {
    if let json = request["json"] {
      guard let count = request["repeatMessage"]?.number else { return json.bytes }
      var members = json.members
      members["message"] = .string(String(repeating: "m", count: count))
      return JSONValue.object(members).bytes
    }
    if let repeats = request["bodyRepeats"]?.elements, repeats.count == 2 {
      return Array(
        String(repeating: repeats[0].text ?? "", count: repeats[1].number ?? 0).utf8)
    }
    if let bytes = request["bodyBytes"]?.elements {
      return bytes.compactMap(\.number).map { UInt8($0) }
    }
    return Array((request["body"]?.text ?? "").utf8)
  }
}
