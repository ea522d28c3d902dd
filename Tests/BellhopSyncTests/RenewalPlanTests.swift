import BellhopModel
import Testing

@testable import BellhopSync

/// The renewal of tokens, stepped by hand.
@Suite("Renewal of a provider's token")
struct RenewalPlanTests {
  private static let start = Timestamp(seconds: 1_800_000_000)

  private static func signIn(life: Int64?, refreshToken: String? = "r") -> ProviderSignIn {
    ProviderSignIn(
      issuer: "https://id.test", clientID: "bellhop", tokenEndpoint: "https://id.test/token",
      resource: nil, accessToken: "a", issued: start,
      expires: life.map { start.advanced(by: .seconds($0)) }, refreshToken: refreshToken)
  }

  private static func at(_ seconds: Int64) -> Timestamp { start.advanced(by: .seconds(seconds)) }

  @Test(
    "a token is renewed a minute before its end, or after three quarters of a short life",
    arguments: [
      (3600, [(0, .use), (3539, .use), (3540, .renewEarly), (3599, .renewEarly), (3600, .renew)]),
      (100, [(0, .use), (74, .use), (75, .renewEarly), (100, .renew), (9999, .renew)]),
      (nil, [(0, .use), (1_000_000, .use)]),
    ] as [(Int64?, [(Int64, RenewalPlan.Step)])])
  func due(life: Int64?, steps: [(Int64, RenewalPlan.Step)]) {
    for (second, step) in steps {
      #expect(RenewalPlan().step(for: Self.signIn(life: life), at: Self.at(second)) == step)
    }
  }

  @Test("a token that cannot be renewed is used to its end, and then the user has to sign in")
  func notRenewable() {
    let signIn = Self.signIn(life: 600, refreshToken: nil)
    #expect(RenewalPlan().step(for: signIn, at: Self.at(599)) == .use)
    #expect(RenewalPlan().step(for: signIn, at: Self.at(600)) == .signInAgain)
    #expect(!signIn.isOver(at: Self.at(599)))
    #expect(signIn.isOver(at: Self.at(600)))
    #expect(!Self.signIn(life: 600).isOver(at: Self.at(600)))
    #expect(Self.signIn(life: 600).refused(.unclear, endedAt: nil).isOver(at: Self.at(600)))
    let refused = Self.signIn(life: nil).refused(.final, endedAt: Self.at(5))
    #expect(refused.isOver(at: Self.at(5)))
    #expect(Self.signIn(life: 600).refused(.unclear, endedAt: Self.at(5)).expires == Self.at(5))
    #expect(Self.signIn(life: 3).refused(.unclear, endedAt: Self.at(5)).expires == Self.at(3))
  }

  @Test("a provider that does not answer is asked less and less often while the token is valid")
  func pauses() {
    let signIn = Self.signIn(life: 3600)
    var plan = RenewalPlan()
    var tries: [Int64] = []
    for second in Int64(3540)..<3600
    where plan.step(for: signIn, at: Self.at(second)) == .renewEarly {
      tries.append(second - 3540)
      plan.noteFailed(at: Self.at(second))
    }
    #expect(tries == [0, 5, 15, 35])
    // After its end, every request for a token asks.
    #expect(plan.step(for: signIn, at: Self.at(3600)) == .renew)
    plan.noteRenewed()
    #expect(plan.step(for: signIn, at: Self.at(3599)) == .renewEarly)
  }

  @Test("a clock that was set back does not make an old token valid for long")
  func clockSetBack() {
    let signIn = Self.signIn(life: 600)
    var plan = RenewalPlan()
    #expect(plan.step(for: signIn, at: Self.at(-86_400)) == .renewEarly)
    plan.noteFailed(at: Self.at(-86_400))
    #expect(plan.step(for: signIn, at: Self.at(-86_399)) == .use)
    #expect(plan.step(for: signIn, at: Self.at(-90_000)) == .renewEarly)
  }
}
