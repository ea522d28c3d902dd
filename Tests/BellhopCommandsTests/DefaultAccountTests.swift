import BellhopClient
import BellhopModel
import Testing

@testable import BellhopCommands

@Suite("The default account after signing in")
struct DefaultAccountTests {
  @Test(
    "a change of the default account is reported, with the command that reverts it",
    arguments: [
      (
        true, "local", "home",
        "home is now the default account. To change that: bellhop accounts use local"
      ),
      (
        true, nil, "home",
        "home is now the default account. To change that: bellhop accounts use NAME"
      ),
      (
        true, "local", "local",
        "local is still the default account. To change that: bellhop accounts use home"
      ),
      (false, "home", "home", nil), (false, "local", "local", nil),
      (
        false, "local", "home",
        "home is now the default account. To change that: bellhop accounts use local"
      ),
    ] as [(Bool, String?, String, String?)])
  func news(isNew: Bool, before: String?, now: String, text: String?) {
    let news = Commands.defaultNews(
      of: AccountName("home"), isNew: isNew, before: before.map { AccountName($0) },
      now: AccountName(now))
    #expect(news == text)
  }
}
