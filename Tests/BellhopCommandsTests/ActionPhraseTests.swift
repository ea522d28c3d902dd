import BellhopClient
import BellhopModel
import Testing

@testable import BellhopCommands

@Suite("Actions on the command line")
struct ActionPhraseTests {
  private func actions(_ phrases: String...) throws -> [ContentExtras.Action]? {
    var request = PublishRequest()
    request.body = "t"
    request.actions = phrases
    return try request.content(now: .distantPast, readInput: { "" }).extras.actions
  }

  @Test("each kind is written with the parts it needs, and only the last part has commas")
  func kinds() throws {
    #expect(
      try actions(
        "open,Log,https://ci.example/?a,b", "copy, Command , make test, twice",
        "http,Rerun,PUT https://ci.example/r,{\"a\": 1, \"b\": 2}",
        "HTTP+clear+confirm,Stop,https://ci.example/stop", "reply,Assign,https://ci.example/owner",
        "reply,Answer", "report+destructive,Deny", "http,Look,get https://ci.example/")
        == [
          .init(id: "1", title: "Log", kind: .open, url: "https://ci.example/?a,b"),
          .init(id: "2", title: "Command", kind: .copy, text: "make test, twice"),
          .init(
            id: "3", title: "Rerun", kind: .http, url: "https://ci.example/r", method: "PUT",
            body: "{\"a\": 1, \"b\": 2}"),
          .init(
            id: "4", title: "Stop", kind: .http, options: ["clear", "confirm"],
            url: "https://ci.example/stop"),
          .init(id: "5", title: "Assign", kind: .reply, url: "https://ci.example/owner"),
          .init(id: "6", title: "Answer", kind: .reply),
          .init(id: "7", title: "Deny", kind: .report, options: ["destructive"]),
          .init(
            id: "8", title: "Look", kind: .http, url: "https://ci.example/", method: "GET"),
        ])
    #expect(try actions() == nil)
  }

  @Test(
    "an invalid action is refused before anything is published, with the accepted form",
    arguments: [
      ("", "kind must be open"), ("view,Log,https://a.example", "kind must be open"),
      ("open", "no label"),
      ("open,,https://a.example", "no label"), ("open,Log", "no link"), ("copy,Log,", "no text"),
      ("http,Run", "no request"),
      ("http,Run,POST https://a.example now", "must be a method and a URL"),
      ("report,Yes,x", "only a label"), ("open+now,Log,https://a.example", "+clear"),
    ])
  func refused(phrase: String, reason: String) {
    let error = #expect(throws: ClientError.self) { try actions(phrase) }
    #expect(error?.what.contains(reason) == true, "\(error?.what ?? "")")
    #expect(error?.exitCode == .usage)
  }
}
