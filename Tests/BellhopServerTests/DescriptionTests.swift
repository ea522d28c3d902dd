import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopServer

@Suite("The OpenAPI description")
struct DescriptionTests {
  @Test("every native endpoint is described, under a unique name")
  func everything() {
    let native = StoreServer.nativeEndpoints.filter { $0.root == .native }
    for endpoint in native {
      #expect(endpoint.description != nil, "\(endpoint.method) \(endpoint.pattern)")
    }
    let names = StoreServer.nativeEndpoints.compactMap { $0.description?.id }
    #expect(Set(names).count == names.count)
  }

  @Test("every referenced schema exists, and all are used")
  func references() throws {
    let document = OpenAPIDocument.make(StoreServer.nativeEndpoints, version: "1")
    var found: Set<String> = []
    func walk(_ value: JSONValue) {
      switch value {
      case .array(let values): values.forEach(walk)
      case .object(let members):
        if case .string(let reference)? = members["$ref"] {
          found.insert(String(reference.split(separator: "/").last ?? ""))
        }
        members.values.forEach(walk)
      default: break
      }
    }
    walk(document)
    #expect(found == Set(Schemas.components.keys))
  }

  @Test("the store serves it without a token, as JSON of OpenAPI 3.1")
  func served() async throws {
    let store = try await InProcessStore()
    let answer = try await store.send(.get, "/openapi.json", token: nil)
    #expect(answer.status == 200)
    #expect(answer.header("Content-Type") == "application/json")
    #expect(answer.text.contains("\"openapi\":\"3.1.1\""))
    #expect(answer.text.contains("\"/v1.0/me/notifications/{id}\""))
  }

  @Test("it is encoded once for all requests, and is 304 for a client that has it")
  func once() async throws {
    let store = try await InProcessStore()
    #expect(store.server.description.writings == 0)
    let tags = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<8 {
        group.addTask { try await store.send(.get, "/openapi.json").header("ETag") }
      }
      return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }
    #expect(tags.count == 1)
    let tag = try #require(tags.first ?? nil)
    for (known, status) in [
      (tag, 304), ("W/" + tag, 304), ("\"a\", " + tag, 304), ("*", 304), ("\"a\"", 200),
    ] {
      let answer = try await store.send(
        .get, "/openapi.json", headers: ["If-None-Match": known])
      #expect(answer.status == status && answer.header("ETag") == tag, "\(known)")
      #expect(answer.body.isEmpty == (status == 304))
    }
    #expect(store.server.description.writings == 1)
    let other = try await InProcessStore(configure: { $0.version = "1" })
    #expect(try await other.send(.get, "/openapi.json").header("ETag") != tag)
  }

  @Test("a method that an endpoint lacks is refused with those that it has")
  func unknownMethod() async throws {
    let store = try await InProcessStore()
    let answer = try await store.send(
      try #require(HTTPRequest.Method("QUERY")), "/v1.0/me/devices", token: nil)
    #expect(answer.status == 405)
    #expect(answer.header("Allow") == "GET, HEAD, POST")
  }
}
