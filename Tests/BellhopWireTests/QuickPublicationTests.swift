import BellhopModel
import BellhopTestSupport
import FoundationEssentials
import Testing

@testable import BellhopWire

/// The fast codec of publications and items, compared with the standard library's.
@Suite("The fast codec of publications")
struct QuickPublicationTests {
  private func slowly(_ text: String) -> Content? {
    try? JSONDecoder().decode(PublishPayload.self, from: Data(text.utf8)).content
  }

  private func quickly(_ text: String) -> Content? {
    PublishPayload(plainly: Array(text.utf8))?.content
  }

  @Test(
    "plain publications are read by the fast codec, with the same content",
    arguments: [
      #"{"targetHostName":"ci","payload":{"visualContent":{"title":"t"}}}"#,
      #"{"payload":{"rawContent":""},"targetHostName":"ci","tags":[]}"#,
      #" { "targetHostName" : "ci" , "payload" : { "rawContent" : "a\n\u00fc\ud83d\ude00" } } "#,
      """
      {"targetHostName":"ci.example.com","appNotificationId":"1","groupName":"main",
      "priority":"HIGH","tags":["a","b"],"clickUrl":"https://a.example/1",
      "expirationDateTime":"2026-12-01T00:00:00.000Z",
      "payload":{"rawContent":"r","visualContent":{"title":"日本","subtitle":"","body":"\\"b\\""}}}
      """,
    ])
  func plain(text: String) throws {
    let content = try #require(quickly(text))
    #expect(content == slowly(text))
  }

  @Test(
    "rare or invalid input is left to the other reader",
    arguments: [
      "", "[]", "{}", #"{"targetHostName":"a"}"#, #"{"targetHostName":"a","payload":{}}"#,
      #"{"targetHostName":"a","payload":null}"#,
      #"{"targetHostName":null,"payload":{"rawContent":"r"}}"#,
      #"{"targetHostName":"a","payload":{"visualContent":{"body":"b"}}}"#,
      #"{"targetHostName":"a","targetHostName":"b","payload":{"rawContent":"r"}}"#,
      #"{"targetHostName":"a","payload":{"rawContent":"r","rawContent":"s"}}"#,
      #"{"targetHostName":"a","payload":{"rawContent":"r"},"priority":"loud"}"#,
      #"{"targetHostName":"a","payload":{"rawContent":"r"},"priority":1}"#,
      #"{"targetHostName":"a","payload":{"rawContent":"r"},"category":"c"}"#,
      #"{"targetHostName":"a","payload":{"rawContent":"r"},"displayTimeToLive":"60"}"#,
      #"{"targetHostName":"a","payload":{"rawContent":"r"},"tags":["a",1]}"#,
      #"{"targetHostName":"a","payload":{"rawContent":"r"}} x"#,
      #"{"targetHostName":"a","payload":{"rawContent":"\ud83d"}}"#,
      #"{"targetHostName":"a","payload":{"rawContent":"r"},"expirationDateTime":"2026-12-01"}"#,
    ])
  func rare(text: String) {
    #expect(quickly(text) == nil)
  }

  @Test("every prefix of a publication is left to the other reader")
  func cuts() {
    let text = #"{"targetHostName":"ci","tags":["a"],"payload":{"visualContent":{"title":"t"}}}"#
    for length in 0..<text.utf8.count {
      #expect(PublishPayload(plainly: Array(text.utf8.prefix(length))) == nil)
    }
  }

  @Test("bytes changed at random are never read as other content", arguments: 1...40)
  func noise(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let text =
      #"{"targetHostName":"ci","priority":"low","tags":["a"],"payload":{"rawContent":"\u0041b"}}"#
    for _ in 0..<200 {
      var bytes = Array(text.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] =
          Array("{}[],:\"\\u0a \u{7f}\u{1}".utf8).randomElement(using: &random) ?? 0
      }
      guard let quick = PublishPayload(plainly: bytes) else { continue }
      let slow = try? JSONDecoder().decode(PublishPayload.self, from: Data(bytes))
      #expect(quick == slow, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
    }
  }

  @Test(
    "encoded items are decoded unchanged: plain, with sorted names and as part of another value")
  func written() throws {
    struct Holder<Payload: Codable>: Codable { var part: Payload }
    func expectSame<Payload: Codable & Equatable>(_ payload: Payload) throws {
      for isSorted in [false, true] {
        let bytes = try WireJSON.encode(payload, sortingKeys: isSorted)
        #expect(try JSONDecoder().decode(Payload.self, from: Data(bytes)) == payload)
      }
      let holder = try JSONEncoder().encode(Holder(part: payload))
      #expect(try JSONDecoder().decode(Holder<Payload>.self, from: holder).part == payload)
    }
    var plain = PayloadTests.fullItem()
    plain.content.extras = ContentExtras()
    let items = [PayloadTests.bareItem(), PayloadTests.fullItem(), plain]
    for item in items {
      try expectSame(NotificationPayload(item))
      try expectSame(PublishedPayload(item))
      try expectSame(PublishPayload(item.content))
    }
    try expectSame(ListPayload(items: items, count: 3, nextLink: "https://a.example/next"))
    try expectSame(ListPayload(items: [], nextLink: nil))
    let delta = DeltaPayload(
      changes: items.map(Change.item), end: .complete(DeltaToken("t2")), started: nil,
      sequence: SequenceNumber(9), epoch: Epoch("e"))
    try expectSame(delta)
    try expectSame(
      SignalPayload(
        epoch: Epoch("e"), sequence: SequenceNumber(9),
        resourceData: SignalPayload.ResourceData(since: DeltaToken("t1"), delta: delta)))
    try expectSame(SignalPayload(epoch: Epoch("e"), sequence: SequenceNumber(9)))
  }

  @Test("only the selected members of an item are written")
  func part() throws {
    let item = PayloadTests.fullItem()
    let payload = NotificationPayload(
      item, selecting: try ItemSelection.parse("priority,readState"))
    for isSorted in [false, true] {
      let value = try JSONValue(parsing: WireJSON.encode(payload, sortingKeys: isSorted))
      guard case .object(let members) = value else {
        Issue.record("\(value) is no object")
        return
      }
      #expect(Set(members.keys) == ["@odata.etag", "id", "priority", "readState"])
      #expect(members["priority"]?.text == item.content.priority.name)
    }
  }
}
