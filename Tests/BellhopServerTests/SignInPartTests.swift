import BellhopModel
import BellhopStore
import BellhopTestSupport
import Testing

@testable import BellhopServer

@Suite("The parts of signing in")
struct SignInPartTests {
  @Test("codes are of the alphabet, and read however they are typed")
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
    "an address is the connection's, or what a proxy on this machine saw",
    arguments: [
      ("203.0.113.7", nil, "203.0.113.7"), ("203.0.113.7", "198.51.100.1", "203.0.113.7"),
      ("127.0.0.1", "198.51.100.1", "198.51.100.1"),
      ("::1", "10.0.0.1, 198.51.100.1", "198.51.100.1"),
      (nil, "2001:db8::7", "2001:db8::7"), ("::ffff:203.0.113.7", nil, "203.0.113.7"),
      ("127.0.0.1", "\u{1b}[2J", "this machine"), ("127.0.0.1", nil, "this machine"),
      (nil, nil, "this machine"),
    ] as [(String?, String?, String)])
  func origins(peer: String?, forwarded: String?, text: String) {
    #expect(Origin(peer: peer, forwarded: forwarded).text == text)
  }

  @Test("an allowance is used up, comes back with time, and keeps a bounded number of names")
  func allowance() {
    var allowance = Allowance<String>(2, per: .seconds(10), keysMax: 2)
    for name in ["a", "a", "b"] {
      #expect(allowance.wait(name, at: .zero) == nil)
      allowance.take(name, at: .zero)
    }
    #expect(allowance.wait("a", at: .zero) == .seconds(5))
    #expect(allowance.wait("c", at: .zero) == .seconds(5))
    #expect(allowance.wait("b", at: .seconds(1)) == nil)
    #expect(allowance.wait("a", at: .seconds(5)) == nil)
    #expect(allowance.wait("c", at: .seconds(5)) == nil)
    allowance.take("c", at: .seconds(5))
    #expect(allowance.wait("a", at: .seconds(5)) == nil)
  }

  @Test("a storage that fails while a token is made uses the code up for nobody")
  func putBack() throws {
    var book = GrantBook(SignInLimits())
    let ask = GrantBook.Ask(
      client: "bellhop", registration: nil, address: "a", requested: .distantPast)
    let grant = try book.open(ask, from: "a", hash: [1], at: .zero) {
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
