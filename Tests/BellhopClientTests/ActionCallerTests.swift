import BellhopInbox
import BellhopModel
import BellhopNetwork
import BellhopOutbound
import BellhopText
import Testing

@testable import BellhopClient

@Suite("Requests of actions")
struct ActionCallerTests {
  private func run(_ action: ContentExtras.Action, text: String? = nil) throws -> ActionRun {
    ActionRun(
      order: ActionOrder(
        key: ItemKey(account: AccountName("a"), id: NotificationID(high: 1, low: 1)),
        seen: ShownVersion(content: SequenceNumber(1)), action: ItemAction(action), text: text),
      call: try ActionCall(action))
  }

  @Test("a request has the publisher's headers and body, or the reply's text, and nothing of ours")
  func request() throws {
    let action = ContentExtras.Action(
      id: "1", title: "Run", kind: .http, url: "https://a.example/x", method: "PUT",
      headers: ["X-A": "b"], body: "body")
    let plain = ActionCaller.request(of: try run(action))
    #expect(plain.method == "PUT" && plain.body == Array("body".utf8))
    #expect(plain.headers == ["X-A": "b"] && plain.contentType == "text/plain; charset=utf-8")
    let reply = ActionCaller.request(of: try run(action, text: "ü"))
    #expect(reply.body == Array("ü".utf8))
    var typed = action
    typed.headers = ["content-TYPE": "application/json"]
    #expect(ActionCaller.request(of: try run(typed)).contentType == nil)
  }

  private func failure(
    _ url: String, at addresses: String..., rules: OutboundRules
  ) async throws -> OutboundError? {
    let caller = GuardedHTTPClient(
      rules, userAgent: "test",
      sleep: { try await ContinuousClock().sleep(for: $0) },
      resolve: { _, _ in addresses.compactMap { IPAddress($0) } })
    let url = try OutboundURL(url, OutboundURL.Rules(allowsPlain: true))
    do throws(OutboundError) {
      _ = try await caller.call(OutboundRequest(url: url))
      return nil
    } catch {
      return error
    }
  }

  @Test("requests reach only public addresses, unless configured otherwise")
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
    // Plain HTTP is for this machine only, whatever the configuration.
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
    // Allowed, but nothing listens: port 1 of this machine.
    #expect(
      try await failure("http://a.example:1/", at: "127.0.0.1", rules: open)
        == .unconnected(.refused(.port(1, host: "a.example", isEncrypted: false))))
  }
}
