import BellhopModel
import BellhopTestSupport
import BellhopWire
import Testing

@Suite("Actions on the wire")
struct ActionDraftTests {
  private func actions(_ json: String) throws -> [ContentExtras.Action]? {
    let body = """
      {"targetHostName":"ci","payload":{"visualContent":{"title":"t"}},"actions":\(json)}
      """
    return try WireJSON.decode(PublishPayload.self, from: Array(body.utf8)).content.extras.actions
  }

  @Test("every member is read")
  func whole() throws {
    let read = try actions(
      """
      [{"id":"r","title":"Rerun","kind":"http","options":["confirm"],"url":"https://ci.example/r",
        "method":"PUT","headers":{"X-A":"b"},"body":"x"},
       {"id":"a","title":"Assign","kind":"reply","placeholder":"to whom?"},
       {"id":"c","title":"Copy","kind":"copy","text":"make test"}]
      """)
    #expect(
      read == [
        .init(
          id: "r", title: "Rerun", kind: .http, options: ["confirm"], url: "https://ci.example/r",
          method: "PUT", headers: ["X-A": "b"], body: "x"),
        .init(id: "a", title: "Assign", kind: .reply, placeholder: "to whom?"),
        .init(id: "c", title: "Copy", kind: .copy, text: "make test"),
      ])
  }

  @Test("a label is a title, flags are options, case does not matter, and positions are ids")
  func lenient() throws {
    let read = try actions(
      """
      [{"label":"Log","kind":"OPEN","url":"https://ci.example/","clear":true,"confirm":false},
       {"title":"Drop","kind":"http","url":"https://ci.example/","method":"delete",
        "destructive":true,"options":["destructive"],"unknown":1}]
      """)
    #expect(
      read == [
        .init(
          id: "1", title: "Log", kind: .open, options: ["clear"], url: "https://ci.example/"),
        .init(
          id: "2", title: "Drop", kind: .http, options: ["destructive"],
          url: "https://ci.example/", method: "DELETE"),
      ])
    #expect(try actions("[]") == nil)
  }

  @Test(
    "an invalid action is refused with its position",
    arguments: [
      (#"[{"kind":"open"}]"#, "actions[0].title"), (#"[{"title":1}]"#, "actions[0].title"),
      (#"[{"title":"a"},{"title":"b","headers":[]}]"#, "actions[1].headers"),
      (#"{"title":"a"}"#, "actions"), (#"[{"title":"a","clear":"yes"}]"#, "actions[0].clear"),
    ])
  func refused(json: String, field: String) {
    do {
      _ = try actions(json)
      Issue.record("\(json) was taken")
    } catch {
      guard case WireError.invalid(field, _)? = error as? WireError else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test("a choice is encoded with the state, by both codecs, and hidden from publishers")
  func choice() throws {
    var item = PayloadTests.fullItem()
    item.state.userActionState.change?.choice = ActionChoice(
      id: "open", title: "Open \u{1b}", text: "\"text\"")
    let bytes = try WireJSON.encode(NotificationPayload(item))
    #expect(try WireJSON.decode(NotificationPayload.self, from: bytes).item == item)
    let sorted = try WireJSON.encode(NotificationPayload(item), sortingKeys: true)
    #expect(try WireJSON.decode(NotificationPayload.self, from: sorted).item == item)
    let published = String(decoding: try WireJSON.encode(PublishedPayload(item)), as: UTF8.self)
    #expect(!published.contains("actionId") && !published.contains("text\\\""))
    #expect(published.contains("\"title\":\"Open\""))
  }
}
