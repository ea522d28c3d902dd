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
    let proxies = ReverseProxies(["192.0.2.1", "172.17.0.0/16"])
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

  private func ask(
    _ book: inout DeviceGrantTable, from address: String, number: Int, at instant: Duration = .zero
  ) throws -> DeviceGrantTable.Grant {
    try book.open(
      DeviceGrantTable.Ask(
        client: "bellhop", registration: nil, address: address, requested: .distantPast),
      from: network(address), hash: Array("\(number)".utf8), at: instant
    ) { UserCode { (0..<UserCode.length).map { UInt8(number >> $0 & 1) } } }
  }

  @Test("all networks of one household share the limits of one site")
  func sites() throws {
    var limits = SignInLimits()
    limits.siteAsksPerMinuteMax = 15
    limits.grantsPerSiteMax = 18
    var book = DeviceGrantTable(limits)
    for number in 0..<15 {
      _ = try ask(&book, from: "2001:db8:1:\(number)::1", number: number)
    }
    #expect(throws: DeviceGrantTable.RateLimitError.self) {
      try ask(&book, from: "2001:db8:1:ff::1", number: 100)
    }
    _ = try ask(&book, from: "2001:db8:2::1", number: 101)
    for number in 15..<18 {
      _ = try ask(
        &book, from: "2001:db8:1:\(number)::1", number: number, at: .seconds(60))
    }
    #expect(throws: DeviceGrantTable.RateLimitError(wait: .seconds(540))) {
      try ask(&book, from: "2001:db8:1:ff::1", number: 102, at: .seconds(60))
    }
  }

  @Test("at the limit, the most crowded network loses its oldest, and new requests are accepted")
  func crowd() throws {
    var limits = SignInLimits()
    limits.grantsMax = 20
    var book = DeviceGrantTable(limits)
    let user = UserID(rawValue: 1)
    let first = try ask(&book, from: "198.51.100.1", number: 1)
    // One household with five networks of 64 bits.
    var crowd: [DeviceGrantTable.Grant] = []
    for number in 2...20 {
      crowd.append(try ask(&book, from: "2001:db8:1:\(number % 5)::1", number: number))
    }
    _ = try book.decide(crowd[0].userCode, isApproved: true, by: user, at: .zero)
    for number in 21...30 {
      let other = try ask(&book, from: "203.0.113.\(number)", number: number)
      let found = try book.grant(other.userCode, for: user, at: .zero)
      #expect(found?.number == number && book.grants.count == 20)
    }
    let found = try book.grant(first.userCode, for: user, at: .zero)
    #expect(found?.number == 1)
    // The approved one stays; the ten oldest of the others are gone.
    let numbers = book.grants.values.filter { $0.network.site == network("2001:db8:1::").site }
      .map(\.number).sorted()
    #expect(numbers == [2] + (13...20))
    let gone = try book.grant(crowd[1].userCode, for: user, at: .zero)
    #expect(gone == nil)
    guard case .invalid = book.poll(Array("3".utf8), client: "bellhop", at: .zero) else {
      Issue.record("a forgotten device may still be signed in")
      return
    }
  }

  @Test("if storing the token fails, the code stays unused")
  func putBack() throws {
    var book = DeviceGrantTable(SignInLimits())
    let ask = DeviceGrantTable.Ask(
      client: "bellhop", registration: nil, address: "a", requested: .distantPast)
    let grant = try book.open(ask, from: ClientNetwork(nil), hash: [1], at: .zero) {
      UserCode { (0..<16).map { UInt8($0) } }
    }
    let user = UserID(rawValue: 1)
    _ = try book.decide(grant.userCode, isApproved: true, by: user, at: .zero)
    guard case .approved = book.poll([1], client: "bellhop", at: .zero) else {
      Issue.record("not approved")
      return
    }
    guard case .invalid = book.poll([1], client: "bellhop", at: .seconds(5)) else {
      Issue.record("redeemed twice")
      return
    }
    book.finish([1], isRedeemed: false)
    guard case .approved = book.poll([1], client: "bellhop", at: .seconds(10)) else {
      Issue.record("lost")
      return
    }
    book.finish([1], isRedeemed: true)
    guard case .invalid = book.poll([1], client: "bellhop", at: .seconds(15)) else {
      Issue.record("used twice")
      return
    }
  }
}
