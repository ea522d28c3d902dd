import BellhopModel
import FoundationEssentials
import Testing

@Suite("Publications of devices")
struct PublicationTests {
  private static let content = Content(app: "ci", visual: VisualContent(title: "build 412"))

  private func operation(
    _ change: (inout Content) -> Void = { _ in }
  ) -> BellhopModel.Operation {
    var content = Self.content
    change(&content)
    return Operation(id: Sample.id(7), publishing: content, at: Sample.time(60))
  }

  @Test("its item has the id of the operation, and no number and sequence yet")
  func localItem() throws {
    let item = try #require(operation().localItem)
    #expect(item.id.description == operation().id.description)
    #expect(item.shortNumber == 0)
    #expect(item.isLocal)
    #expect(item.content == Self.content)
    #expect(item.arrival == Sample.time(60))
    #expect(!Sample.item().isLocal)
    #expect(Sample.operation(.dismiss).localItem == nil)
  }

  @Test("a delayed item arrives at its time, and one with a trigger when its user published it")
  func arrival() throws {
    let later = operation { $0.deliverAt = Sample.time(600) }
    #expect(later.localItem?.arrival == Sample.time(600))
    let trigger = try Trigger(.interval(seconds: 3600), repeats: true)
    let hourly = operation { $0.trigger = trigger }
    #expect(hourly.localItem?.arrival == Sample.time(60))
  }

  @Test("it changes no item that exists, and has no undo")
  func effect() {
    let item = Sample.item()
    #expect(
      operation().apply(to: item, by: Sample.author, at: Sample.time(90), on: .utc) == .unchanged)
    #expect(operation().undo(id: Sample.id(8), before: item) == nil)
  }

  @Test("its JSON has the members of an item, and the time of the publication")
  func coded() throws {
    let publication = operation {
      $0.tags = ["build"]
      $0.displayTimeToLive = .seconds(90)
      $0.deliverAt = Sample.time(600)
      $0.extras.sound = "bell"
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let bytes = try encoder.encode(publication)
    let id = Sample.id(7) as OperationID
    #expect(
      String(decoding: bytes, as: UTF8.self) == """
        {"id":"\(id)","notificationId":"\(id)","publish":{"deliverAfterDateTime":\
        "2026-11-21T06:10:00.000Z","displayTimeToLive":90,"payload":{"visualContent":{"title":\
        "build 412"}},"priority":"normal","publishedDateTime":"2026-11-21T06:01:00.000Z",\
        "sound":"bell","tags":["build"],"targetHostName":"ci"}}
        """)
    #expect(try JSONDecoder().decode(BellhopModel.Operation.self, from: bytes) == publication)
  }

  private static let id = "0198c0de-0000-7000-8000-000000000000"
  private static let other = "0198c0de-0000-7000-8000-000000000001"
  private static let payload =
    #""targetHostName": "ci", "priority": "normal", "payload": {"rawContent": "x"}"#
  private static let time = #""publishedDateTime": "2026-11-23T09:00:00Z""#

  @Test(
    "a publication under another id, without a part or with another change is refused",
    arguments: [
      #""notificationId": "\#(Self.other)", "publish": {\#(Self.payload), \#(Self.time)}"#,
      #""notificationIds": ["\#(Self.id)"], "publish": {\#(Self.payload), \#(Self.time)}"#,
      #""notificationId": "\#(Self.id)", "publish": {\#(Self.payload)}"#,
      #""notificationId": "\#(Self.id)", "publish": {\#(Self.time)}"#,
      #""notificationId": "\#(Self.id)", "seen": 1, "publish": {\#(Self.payload), \#(Self.time)}"#,
      #""notificationId": "\#(Self.id)", "delete": true, "publish": {\#(Self.payload), \#(Self.time)}"#,
      #""notificationId": "\#(Self.id)", "publish": {\#(Self.payload), \#(Self.time), "displayTimeToLive": -1}"#,
    ])
  func refused(members: String) {
    let text = #"{"id": "\#(Self.id)", \#(members)}"#
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(BellhopModel.Operation.self, from: Data(text.utf8))
    }
  }

  @Test("an item without a number is named by the first digits of its id")
  func names() {
    let id = Sample.id(7) as NotificationID
    #expect(ItemNumber.text(12) == "#12")
    #expect(ItemNumber.text(0) == "#–")
    #expect(ItemNumber.name(12, id) == "#12")
    #expect(ItemNumber.name(0, id) == id.description.prefix(8))
    #expect(ItemNumber.argument(12, id) == "12")
    #expect(ItemNumber.argument(0, id) == id.description)
  }
}
