import BellhopClient
import BellhopTestSupport
import Testing

@testable import BellhopCommands

@Suite("Filter terms as arguments")
struct TypedArgumentsTests {
  @Test(
    "a term that starts with - moves behind the options",
    arguments: [
      ("list -app:ci", "list -- -app:ci"),
      ("list is:unread -app:ci --ids", "list is:unread --ids -- -app:ci"),
      ("count -is:read -tag:disk", "count -- -is:read -tag:disk"),
      ("list -level:high", "list -- -level:high"),
      ("ls --filter -app:ci --json", "ls --filter=-app:ci --json"),
      ("dismiss --filter -app:ci", "dismiss --filter=-app:ci"),
      ("list --limit 5 -- -app:ci", "list --limit 5 -- -app:ci"),
      ("list -app:ci -- -tag:disk", "list -- -app:ci -tag:disk"),
      ("list -h", "list -h"),
      ("list -foo:bar", "list -foo:bar"),
      ("publish -tag:x", "publish -tag:x"),
      ("list --handled app:ci", "list --handled app:ci"),
    ])
  func moved(typed: String, parsed: String) throws {
    let arguments = typed.split(separator: " ").map(String.init)
    #expect(try TypedArguments(arguments).parsed().joined(separator: " ") == parsed)
  }

  @Test(
    "an option that exists only as a filter term is refused with that term",
    arguments: [
      ("list --unread", "--unread is not an option of bellhop list. Did you mean is:unread?"),
      ("list --app ci", "--app is not an option of bellhop list. Did you mean app:ci?"),
      ("list --level high", "--level is not an option of bellhop list. Did you mean level:high?"),
      ("count --prio=high", "--prio is not an option of bellhop count. Did you mean prio:high?"),
      ("list --tag --ids", "--tag is not an option of bellhop list. Did you mean tag:…?"),
    ])
  func options(typed: String, words: String) throws {
    let arguments = typed.split(separator: " ").map(String.init)
    let error = #expect(throws: ClientError.self) { try TypedArguments(arguments).parsed() }
    #expect(error?.exitCode == .usage && error?.what == words)
  }
}

@Suite("The number of items that a list prints")
struct ListingLimitTests {
  @Test("the default is 100 items, or all for ids and NUL-terminated output; 0 means all")
  func limits() {
    #expect(ListingForm(.automatic).rowsMax(limit: nil) == 100)
    #expect(ListingForm(.json).rowsMax(limit: nil) == 100)
    #expect(ListingForm(.ids).rowsMax(limit: nil) == .max)
    #expect(ListingForm(.json, endsWithNUL: true).rowsMax(limit: nil) == .max)
    #expect(ListingForm(.ids).rowsMax(limit: 7) == 7)
    #expect(ListingForm(.columns).rowsMax(limit: 0) == .max)
  }
}
