import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Categories over HTTP")
struct CategoryTests {
  private static let path = "/v1.0/me/apps/ci/categories/question"
  private static let body = """
    {"actions":[
      {"id":"answer","title":"Answer","textInput":{"buttonTitle":"Send","placeholder":"why"}},
      {"id":"stop","title":"Stop","options":["destructive","authenticationRequired"]},
      {"id":"call","title":"Call","kind":"http","url":"https://a.example/","headers":{"X-Key":"s"}}
     ],"options":["customDismissAction"],"hiddenPreviewsBodyPlaceholder":"A question"}
    """

  @Test("a publish token registers, reads and removes the categories of its app")
  func publisher() async throws {
    let store = try await InProcessStore()
    let publisher = try await store.publishToken()
    let device = try await store.deviceToken(DeviceID("laptop"))
    let created = try await store.send(.put, Self.path, token: publisher, text: Self.body)
    #expect(created.status == 201)
    let category = try created.decoded(BellhopModel.Category.self)
    #expect(category.id == "question" && category.has(.customDismissAction))
    #expect(category.hiddenPreviewsBodyPlaceholder == "A question")
    #expect(category.actions.map(\.id) == ["answer", "stop", "call"])
    #expect(category.actions[0].kind == .reply && category.actions[0].buttonTitle == "Send")
    #expect(category.actions[0].placeholder == "why")
    #expect(category.actions[1].has(.authenticationRequired))
    #expect(try await store.send(.put, Self.path, token: publisher, text: Self.body).status == 200)

    // A header may be a secret: only devices, which send the request, receive it.
    #expect(category.actions[2].headers == nil)
    let seen = try await store.send(.get, Self.path, token: device)
      .decoded(BellhopModel.Category.self)
    #expect(seen.actions[2].headers == ["X-Key": "s"])
    let list = try await store.send(
      .get, "/v1.0/me/apps/ci/categories", token: publisher
    ).decoded(CategoryListPayload.self)
    #expect(list.value == [category])

    let published = try await store.send(
      .post, "/v1.0/me/notifications", token: publisher,
      text: """
        {"targetHostName":"ci","category":"question","payload":{"visualContent":{"title":"a"}}}
        """)
    #expect(published.status == 201)
    #expect(try await store.send(.delete, Self.path, token: publisher).status == 204)
    #expect(try await store.send(.delete, Self.path, token: publisher).status == 204)
    #expect(try await store.send(.get, Self.path, token: publisher).status == 404)
  }

  @Test(
    "a category that is wrong is refused with the field, and nothing is stored",
    arguments: [
      (#"{"actions":[{"id":"a","title":"A"},{"id":"a","title":"B"}]}"#, "actions.id"),
      (#"{"actions":[{"id":"a","title":" "}]}"#, "actions.title"),
      (#"{"options":["customDismiss"]}"#, "options"),
      (#"{"actions":[{"id":"a","title":"A","kind":"jump"}]}"#, "actions.kind"),
      (#"{"actions":5}"#, "actions"),
    ])
  func wrong(body: String, field: String) async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken()
    let answer = try await store.send(.put, Self.path, token: token, text: body)
    #expect(answer.status == 400)
    #expect(answer.text.contains(field), "\(answer.text)")
    #expect(try await store.send(.get, Self.path, token: token).status == 404)
  }

  @Test("an item that names a category which is not registered is refused")
  func unknown() async throws {
    let store = try await InProcessStore()
    let answer = try await store.send(
      .post, "/v1.0/me/notifications", token: try await store.publishToken(),
      text: #"{"targetHostName":"ci","category":"no","payload":{"rawContent":"a"}}"#)
    #expect(answer.status == 400)
    #expect(answer.text.contains("category") && answer.text.contains("PUT"))
  }
}
