import BellhopInbox
import BellhopModel
import BellhopNetwork
import BellhopOutbound
import BellhopText
import Testing

@testable import BellhopClient

@Suite("Actions of the command line, and their requests")
struct ActionPhraseTests {
  private func actions(_ phrases: String...) throws -> [ContentExtras.Action]? {
    try PublishRequest(
      body: "t", title: nil, subtitle: nil, app: nil, id: nil, group: nil, priority: nil, tags: [],
      url: nil, expires: nil, rawFile: nil, actions: phrases
    ).content(now: .distantPast, readInput: { "" }).extras.actions
  }

  @Test("each kind is written with what it needs, and only the last part has commas")
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
    "what is no action is refused before anything is published, with what was meant",
    arguments: [
      ("", "none of open"), ("view,Log,https://a.example", "none of open"), ("open", "no label"),
      ("open,,https://a.example", "no label"), ("open,Log", "no link"), ("copy,Log,", "no text"),
      ("http,Run", "no request"), ("http,Run,POST https://a.example now", "no method and URL"),
      ("report,Yes,x", "nothing else"), ("open+now,Log,https://a.example", "+clear"),
    ])
  func refused(phrase: String, reason: String) {
    let error = #expect(throws: ClientError.self) { try actions(phrase) }
    #expect(error?.what.contains(reason) == true, "\(error?.what ?? "")")
    #expect(error?.exitCode == .usage)
  }

  // MARK: - Requests

  private func run(_ action: ContentExtras.Action, text: String? = nil) throws -> ActionRun {
    ActionRun(
      key: ItemKey(account: AccountName("a"), id: NotificationID(high: 1, low: 1)),
      seen: SequenceNumber(1), action: ItemAction(action), call: try ActionCall(action), text: text)
  }

  @Test("a request has the publisher's headers and body, a reply the text, and nothing of ours")
  func request() throws {
    let action = ContentExtras.Action(
      id: "1", title: "Run", kind: .http, url: "https://a.example/x", method: "PUT",
      headers: ["X-A": "b"], body: "body")
    let plain = ActionRunner.request(of: try run(action))
    #expect(plain.method == "PUT" && plain.body == Array("body".utf8))
    #expect(plain.headers == ["X-A": "b"] && plain.contentType == "text/plain; charset=utf-8")
    let reply = ActionRunner.request(of: try run(action, text: "ü"))
    #expect(reply.body == Array("ü".utf8))
    var typed = action
    typed.headers = ["content-TYPE": "application/json"]
    #expect(ActionRunner.request(of: try run(typed)).contentType == nil)
  }

  private func failure(
    _ url: String, at addresses: String..., rules: OutboundRules
  ) async throws -> OutboundFailure? {
    let caller = OutboundCaller(
      rules, userAgent: "test",
      sleep: { try await ContinuousClock().sleep(for: $0) },
      resolve: { _, _ in addresses.compactMap { IPAddress($0) } })
    let url = try OutboundURL(url, OutboundURL.Rules(allowsPlain: true))
    do throws(OutboundFailure) {
      _ = try await caller.call(OutboundRequest(url: url))
      return nil
    } catch {
      return error
    }
  }

  @Test("requests go to no address that is not everybody's, unless that is configured")
  func addresses() async throws {
    let closed = OutboundRules(
      keepsPlainHere: true, answerTimeout: .seconds(10), answerBytesMax: 1024)
    for (address, kind) in [
      ("127.0.0.1", AddressKind.loopback), ("10.0.0.1", .privateNetwork),
      ("169.254.169.254", .metadata), ("fe80::1", .linkLocal), ("100.64.0.1", .shared),
    ] {
      #expect(
        try await failure("https://a.example/", at: address, rules: closed)
          == .refusedAddress(kind))
    }
    #expect(
      try await failure("https://a.example/", rules: closed)
        == .unconnected(.unknownHost("a.example")))
    // Plain HTTP goes no further than this machine, whatever is configured.
    var open = closed
    open.allowedNetworks = AddressKind.nearbyNetworks
    #expect(
      try await failure("http://a.example/", at: "10.0.0.1", rules: open)
        == .refusedAddress(.privateNetwork))
    #expect(
      try await failure("http://a.example/", at: "93.184.216.34", rules: open)
        == .refusedAddress(.global))
    #expect(
      try await failure("https://a.example/", at: "169.254.169.254", rules: open)
        == .refusedAddress(.metadata))
    // Let through, and nobody is there: port 1 of this machine.
    #expect(
      try await failure("http://a.example:1/", at: "127.0.0.1", rules: open)
        == .unconnected(.refused(.port(1, host: "a.example", isEncrypted: false))))
  }

  // MARK: - Configuration

  @Test("actions stay away from private networks unless the configuration says otherwise")
  func configuration() throws {
    #expect(try !Configuration(text: "", path: "c").actionsReachPrivate)
    let text = "copy-command = [\"wl-copy\", \"-n\"]\n[actions]\nallow-private = true\n"
    let configuration = try Configuration(text: text, path: "c")
    #expect(configuration.actionsReachPrivate)
    #expect(configuration.copyCommand == ["wl-copy", "-n"])
    for (text, message) in [
      ("[actions]\nallow-private = 1", "line 2: actions.allow-private must be true or false."),
      ("copy-command = \"wl-copy\"", "line 1: copy-command"),
    ] {
      let error = #expect(throws: ClientError.self) { try Configuration(text: text, path: "c") }
      #expect(error?.what.contains(message) == true, "\(error?.what ?? "")")
    }
  }
}
