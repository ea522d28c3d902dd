import BellhopModel
import BellhopStore
import BellhopTestSupport
import Testing

@testable import BellhopServer

@Suite("Parts of signing in")
struct SignInPartTests {
  @Test("codes use their alphabet, and are accepted however they are typed")
  func codes() {
    var random = SeededRandom(seed: 3)
    var letters: Set<Character> = []
    for _ in 0..<200 {
      let code = UserCode { (0..<16).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
      letters.formUnion(code.description)
      #expect(UserCode(code.description) == code)
      #expect(UserCode(" " + code.description.lowercased().replacing("-", with: " ")) == code)
    }
    #expect(letters == Set("BCDFGHJKLMNPQRSTVWXZ-"))
    for text in ["", "BCDF-GHJ", "BCDF-GHJKL", "ACDF-GHJK", "BCDF_GHJK", "ＢCDF-GHJK"] {
      #expect(UserCode(text) == nil, "\(text)")
    }
  }

  @Test(
    "an address is the connection's, or the one that trusted proxies report",
    arguments: [
      ("203.0.113.7", [], "203.0.113.7"), ("203.0.113.7", ["198.51.100.1"], "203.0.113.7"),
      ("127.0.0.1", ["198.51.100.1"], "198.51.100.1"),
      ("::1", ["10.0.0.1, 198.51.100.1"], "198.51.100.1"),
      (nil, ["2001:db8::7"], "2001:db8::7"), ("::ffff:203.0.113.7", [], "203.0.113.7"),
      ("127.0.0.1", ["\u{1b}[2J"], "this machine"), ("127.0.0.1", [], "this machine"),
      (nil, [], "this machine"),
      // A proxy on another machine, named by its address or its network.
      ("192.0.2.1", ["198.51.100.1"], "198.51.100.1"),
      ("::ffff:192.0.2.1", ["6.6.6.6,198.51.100.1"], "198.51.100.1"),
      ("172.17.3.4", ["198.51.100.1"], "198.51.100.1"),
      ("172.18.3.4", ["198.51.100.1"], "172.18.3.4"),
      // Several proxies in a row, each with the address that it saw.
      ("127.0.0.1", ["6.6.6.6, 198.51.100.1", "192.0.2.1"], "198.51.100.1"),
      ("127.0.0.1", ["198.51.100.1, x, 192.0.2.1"], "192.0.2.1"),
      ("192.0.2.1", ["127.0.0.1"], "this machine"), ("192.0.2.1", [" "], "192.0.2.1"),
    ] as [(String?, [String], String)])
  func origins(peer: String?, forwarded: [String], text: String) {
    let proxies = TrustedProxies(["127.0.0.0/8", "::1", "192.0.2.1", "172.17.0.0/16"])
    #expect(Origin(peer: peer, forwarded: forwarded, proxies: proxies).text == text)
  }

  private func network(_ text: String) -> ClientNetwork { ClientNetwork(IPAddress(text)) }

  @Test("IPv4 addresses are counted alone, IPv6 by their network of 64 or 48 bits")
  func networks() {
    #expect(network("203.0.113.7") == network("::ffff:203.0.113.7"))
    #expect(network("203.0.113.7") != network("203.0.113.8"))
    #expect(network("203.0.113.7").site == network("203.0.113.7"))
    #expect(network("2001:db8:1:2::3") == network("2001:db8:1:2:ffff::4"))
    #expect(network("2001:db8:1:2::3") != network("2001:db8:1:3::3"))
    #expect(network("2001:db8:1:2::3").site == network("2001:db8:1:ff::").site)
    #expect(network("2001:db8:1:2::3").site != network("2001:db8:2:2::3").site)
    #expect(network("::1") == network("127.0.0.2"))
  }

  @Test("the key of a network in the storage tells networks apart")
  func networkKeys() {
    #expect(ClientNetwork(nil).key == "local" && network("127.0.0.1").key == "local")
    #expect(network("203.0.113.7").key == "cb007107")
    #expect(network("2001:db8:1:2::3").key == "20010db800010002")
    #expect(network("2001:db8:1:2::3").site.key == "20010db80001")
  }

  private func grant(_ number: UInt64) -> DeviceGrant {
    DeviceGrant(
      id: DeviceGrantID(high: 0, low: number), deviceCodeHash: [], userCodeHash: [],
      request: DeviceGrantRequest(
        client: "bellhop", registration: nil, address: "a", network: "n", site: "n"),
      requested: .distantPast, expires: .distantFuture, forgotten: .distantFuture,
      interval: .seconds(5))
  }

  @Test("a poll is too early by the grant's interval, and old polls are forgotten")
  func polls() {
    var polls = PollTimes(countMax: 2)
    let early = [(1, 0), (1, 4), (1, 9), (2, 10), (3, 11)].map { number, seconds in
      polls.note(grant(number), at: .seconds(seconds))
    }
    #expect(early == [false, true, false, false, false])
    #expect(polls.count == 2)
    let isEarly = polls.note(grant(2), at: .seconds(12))
    #expect(isEarly)
    let isForgottenEarly = polls.note(grant(1), at: .seconds(12))
    #expect(!isForgottenEarly, "its last poll was forgotten")
  }
}
