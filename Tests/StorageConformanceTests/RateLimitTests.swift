import BellhopStore
import Testing

@Suite("Rate limits")
struct RateLimitTests {
  @Test("a bucket fills at its rate up to its size")
  func filling() {
    var limit = RateLimit<String>(3, per: .milliseconds(1500), keysMax: 10)
    func take(_ key: String, at instant: Duration) -> Duration? {
      if let wait = limit.wait(for: key, at: instant) { return wait }
      limit.take(key, at: instant)
      return nil
    }
    #expect((0..<3).allSatisfy { _ in take("a", at: .zero) == nil })
    #expect(take("a", at: .zero) == .milliseconds(500))
    #expect(take("b", at: .zero) == nil, "each key has its own")
    #expect(take("a", at: .milliseconds(500)) == nil)
    #expect(take("a", at: .milliseconds(500)) != nil)
    #expect((0..<3).allSatisfy { _ in take("a", at: .seconds(100)) == nil })
    #expect(take("a", at: .seconds(100)) != nil, "no more than the size is saved up")
  }

  @Test("beyond the limit of keys, the one that was used least is forgotten")
  func crowd() {
    var limit = RateLimit<String>(2, per: .seconds(10), keysMax: 2)
    for name in ["a", "a", "b"] {
      #expect(limit.wait(for: name, at: .zero) == nil)
      limit.take(name, at: .zero)
    }
    #expect(limit.wait(for: "a", at: .zero) == .seconds(5))
    // A new key is accepted.
    for name in ["c", "d", "c"] {
      #expect(limit.wait(for: name, at: .zero) == nil)
      limit.take(name, at: .zero)
      #expect(limit.wait(for: "a", at: .zero) == .seconds(5))
    }
    #expect(limit.wait(for: "a", at: .seconds(5)) == nil)
  }

  @Test("quiet keys are forgotten, those in debt are not")
  func forgetting() {
    var limit = RateLimit<Int>(1, per: .seconds(1), keysMax: 20)
    limit.take(-1, count: 10_000, at: .zero)
    for key in 0..<200 { limit.take(key, at: .milliseconds(key)) }
    #expect(limit.wait(for: -1, at: .seconds(1)).map { $0 > .seconds(9900) } == true)
  }

  @Test("a key may have its own limit, and reserved uses delay it as used ones do")
  func counts() {
    var limit = RateLimit<String>(per: .seconds(60), keysMax: 10) { $0 == "many" ? 4 : 0 }
    #expect(limit.wait(for: "few", at: .zero) == nil, "none at all would be no limit but a ban")
    #expect(limit.wait(for: "few", reserved: 1, at: .zero) == .seconds(60))
    #expect(limit.wait(for: "many", reserved: 3, at: .zero) == nil)
    #expect(limit.wait(for: "many", reserved: 4, at: .zero) == .seconds(15))
    // Uses that share a commit do not see each other.
    limit.take("many", count: 6, at: .zero)
    #expect(limit.wait(for: "many", at: .seconds(30)) == .seconds(15))
  }
}
