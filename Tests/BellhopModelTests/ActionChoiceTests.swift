import BellhopModel
import BellhopTestSupport
import Foundation
import Testing

@Suite("Choosing an item's action")
struct ActionChoiceTests {
  private static func item() -> UserNotification {
    var content = Content(app: "ci", visual: VisualContent(title: "build 412 failed"))
    content.extras.actions = [
      .init(id: "rerun", title: "Rerun", kind: .http, url: "https://ci.example.com/412/rerun"),
      .init(id: "assign", title: "Assign", kind: .reply),
    ]
    return Sample.item(content)
  }

  private static func operation(
    _ id: String, text: String? = nil, number: UInt64 = 100, seen: Int64? = 5
  ) -> BellhopModel.Operation {
    var operation = Sample.operation(.activate, number: number, seen: seen)
    operation.mutation = .set(
      StateChange(
        readState: .read, userActionState: .activated, choice: ActionChoice(id: id, text: text)))
    return operation
  }

  private func applied(
    _ operation: BellhopModel.Operation, to item: UserNotification
  ) throws -> UserNotification {
    guard
      case .applied(let after) = operation.apply(
        to: item, by: Sample.author, at: Sample.time(60), on: .utc)
    else {
      Issue.record("\(operation) was not applied")
      throw CancellationError()
    }
    return after
  }

  @Test("a choice handles and reads the item, and records what was chosen, typed, by whom and when")
  func choosing() throws {
    let state = try applied(Self.operation("assign", text: "to me"), to: Self.item()).state
    #expect(state.readState.value == .read)
    #expect(state.readState.change?.choice == nil)
    #expect(state.userActionState.value == .activated)
    #expect(
      state.userActionState.change
        == RegisterChange(
          at: Sample.time(60), by: Sample.author, operation: Sample.id(100),
          choice: ActionChoice(id: "assign", title: "Assign", text: "to me")))
  }

  @Test("a second choice is reported although the state stays, the same one only once")
  func choosingAgain() throws {
    let first = Self.operation("rerun")
    let once = try applied(first, to: Self.item())
    #expect(first.apply(to: once, by: Sample.author, at: Sample.time(70), on: .utc) == .unchanged)
    let twice = try applied(Self.operation("assign", text: "x", number: 101), to: once)
    #expect(twice.state.userActionState.change?.choice?.id == "assign")
    #expect(twice.state.userActionState.previous == .activated)
    let opened = Sample.operation(.activate, number: 102)
    #expect(opened.apply(to: twice, by: Sample.author, at: Sample.time(80), on: .utc) == .unchanged)
  }

  @Test("an action of content that was replaced is not chosen")
  func choosingNothing() {
    var replaced = Self.item()
    replaced.state.contentSequence = SequenceNumber(6)
    let late = Self.operation("rerun")
    #expect(
      late.apply(to: replaced, by: Sample.author, at: Sample.time(1), on: .utc) == .superseded)
  }

  @Test("undo of a choice restores the item")
  func undo() throws {
    let operation = Self.operation("rerun")
    let item = Self.item()
    let after = try applied(operation, to: item)
    let undo = try #require(operation.undo(id: Sample.id(7), before: item))
    let back = try applied(undo, to: after)
    #expect(back.state.userActionState.value == .noInteraction)
    #expect(back.state.userActionState.change?.choice == nil)
  }

  @Test("an operation carries the id and the text, and a title and a revision only if it has them")
  func coding() throws {
    var operation = Self.operation("assign", text: "to \"me\"")
    let bytes = try JSONEncoder().encode(operation)
    #expect(try JSONDecoder().decode(BellhopModel.Operation.self, from: bytes) == operation)
    #expect(!String(decoding: bytes, as: UTF8.self).contains("actionTitle"))
    let choice = ActionChoice(
      id: "assign", title: "Assign", text: "to \"me\"", revision: SequenceNumber(9))
    operation.mutation = .set(
      StateChange(readState: .read, userActionState: .activated, choice: choice))
    let titled = try JSONEncoder().encode(operation)
    #expect(try JSONDecoder().decode(BellhopModel.Operation.self, from: titled) == operation)
  }

  @Test(
    "a choice for several items, or one that does not activate the item, is refused",
    arguments: [
      #"{"set":{"actionId":"a"}}"#, #"{"set":{"userActionState":"noInteraction","actionId":"a"}}"#,
      #"{"set":{"userActionState":"activated","actionText":"x"}}"#,
      #"{"several":{"userActionState":"activated","actionId":"a"}}"#,
    ])
  func refused(text: String) {
    let isOne = !text.contains("several")
    let target = isOne ? "notificationId" : "notificationIds"
    let item = "\"\(Sample.id(1) as NotificationID)\""
    let json = """
      {"id":"\(Sample.id(2) as OperationID)","\(target)":\(isOne ? item : "[\(item)]"),
       \(text.dropFirst().replacing("several", with: "set"))
      """
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(BellhopModel.Operation.self, from: Data(json.utf8))
    }
  }

  // MARK: - Requests

  @Test("a request has the address, method, headers and body of its action")
  func call() throws {
    let call = try ActionCall(
      .init(
        id: "1", title: "Run", kind: .http, url: "https://xn--mller-kva.example:8443/run?x=1",
        method: "PUT", headers: ["Authorization": "Bearer x", "X-Y": "z"], body: "b"))
    #expect(call.method == "PUT" && call.body == "b" && call.headers.count == 2)
    #expect(call.url.authority == "xn--mller-kva.example:8443")
    #expect(try ActionCall(.init(id: "1", title: "Run", url: "http://127.0.0.1/")).method == "POST")
  }

  @Test(
    "an ambiguous or invalid request is refused by the name of the member",
    arguments: [
      ("url", nil, "POST", [:]), ("url", "ftp://a.example/", "POST", [:]),
      ("url", "https://user@a.example/", "POST", [:]),
      ("url", "https://müller.example/", "POST", [:]),
      ("method", "https://a.example/", "CONNECT", [:]),
      ("method", "https://a.example/", "post", [:]),
      ("headers", "https://a.example/", "POST", ["Host": "b.example"]),
      ("headers", "https://a.example/", "POST", ["Transfer-encoding": "chunked"]),
      ("headers", "https://a.example/", "POST", ["X Y": "z"]),
      ("headers", "https://a.example/", "POST", ["": "z"]),
      ("headers", "https://a.example/", "POST", ["X": "a\r\nY: b"]),
      ("headers", "https://a.example/", "POST", ["X": "ü"]),
    ] as [(String, String?, String, [String: String])])
  func faults(field: String, url: String?, method: String, headers: [String: String]) {
    let action = ContentExtras.Action(
      id: "1", title: "Run", kind: .http, url: url, method: method, headers: headers)
    do throws(ActionCall.FormatError) {
      _ = try ActionCall(action)
      Issue.record("\(action) was taken")
    } catch {
      #expect(error.field == field)
    }
  }

  @Test("an action without a kind opens its link, or is only reported")
  func effects() {
    #expect(ContentExtras.Action(id: "1", title: "A").effect == .report)
    #expect(ContentExtras.Action(id: "1", title: "A", url: "https://a.example").effect == .open)
    let action = ContentExtras.Action(id: "1", title: "A", options: ["clear", "later"])
    #expect(action.has(.clear) && !action.has(.confirm))
  }
}
