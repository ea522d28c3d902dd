import BellhopModel
import BellhopScreen
import BellhopText
import Testing

@testable import BellhopInbox

/// Several accounts on one screen.
@Suite("Accounts")
struct AccountTests {
  static let now = Timestamp(seconds: 1_795_238_060)
  static let home = AccountName("home")
  static let work = AccountName("work")

  static func state(isMerged: Bool = true, width: Int = 100) -> InboxState {
    InboxState(
      size: Size(width: width, height: 24), now: now,
      zone: .fixed(offsetSeconds: 3600, abbreviation: "CET"), accountLabel: "home",
      accounts: AccountSet(
        [.init(name: home, label: "home"), .init(name: work, label: "work")],
        isMerged: isMerged),
      ids: UniqueIDSource { 7 })
  }

  static func row(_ account: AccountName, _ number: UInt64) -> RowSummary {
    RowSummary(
      key: ItemKey(account: account, id: NotificationID(high: number, low: 1)),
      order: Int64(number), shortNumber: Int64(number), app: "ci",
      title: SafeText("item \(number)"), preview: .empty, facts: PlacementFacts(arrival: now),
      placement: .tray,
      contentSequence: SequenceNumber(1))
  }

  /// Answers the state's requests with these rows, as far as they belong to the requested account.
  static func answer(_ state: inout InboxState, _ effects: [Effect], _ rows: [RowSummary]) {
    var queue = effects
    while !queue.isEmpty {
      switch queue.removeFirst() {
      case .read(.window(let query, let request)):
        let wanted = rows.filter {
          query.contains($0)
            && (request.account == nil || $0.key.account == request.account)
        }
        queue += reduce(
          &state,
          .answer(
            .window(
              query, request, LoadedWindow(rows: wanted, reachesStart: true, reachesEnd: true))))
      case .read(.counts(let serial, let account)):
        let count = rows.count { account == nil || $0.key.account == account }
        queue += reduce(
          &state, .answer(.counts(serial: serial, InboxCounts(tray: count, history: count))))
      default: break
      }
    }
  }

  @Test(
    "@ shows why there is no other account",
    arguments: [
      (nil, "There is only one account. bellhop login adds another."),
      (.option, "Only home is open, because of --account. Without it bellhop opens all accounts."),
      (
        .configuration,
        "Only home is open, because of accounts in config.toml. Add the others there."
      ),
    ] as [(AccountSet.Limit?, String)])
  func onlyAccount(limit: AccountSet.Limit?, text: String) {
    var state = InboxState(
      size: Size(width: 100, height: 24), now: Self.now,
      zone: .fixed(offsetSeconds: 3600, abbreviation: "CET"), accountLabel: "home",
      accounts: AccountSet([], limit: limit), ids: UniqueIDSource { 7 })
    _ = reduce(&state, .person(.key(.character("@"))))
    #expect(state.notice?.text.string == text)
  }

  @Test("@ goes from all accounts to each and back, and rows name theirs only in the combined tray")
  func filter() throws {
    let rows = [Self.row(Self.work, 3), Self.row(Self.home, 2), Self.row(Self.work, 1)]
    var state = Self.state()
    Self.answer(&state, reduce(&state, .start), rows)
    #expect(state.accounts.shown == nil && state.accounts.marksItems)
    #expect(state.tray.rows.map(\.key) == rows.map(\.key))
    #expect(state.accountLabel == "2 accounts")
    Self.answer(&state, reduce(&state, .person(.key(.character("@")))), rows)
    #expect(state.accounts.shown == Self.home && !state.accounts.marksItems)
    #expect(state.tray.rows.map(\.key.account) == [Self.home])
    #expect(state.counts.tray == 1 && state.accountLabel == "home")
    Self.answer(&state, reduce(&state, .person(.key(.character("@")))), rows)
    #expect(state.tray.rows.map(\.key.account) == [Self.work, Self.work])
    Self.answer(&state, reduce(&state, .person(.key(.character("@")))), rows)
    #expect(state.accounts.shown == nil && state.tray.rows.count == 3)
  }

  @Test("with a tray for each account they are never shown together")
  func perAccount() {
    var state = Self.state(isMerged: false)
    #expect(state.accounts.shown == Self.home)
    _ = reduce(&state, .start)
    _ = reduce(&state, .person(.key(.character("@"))))
    #expect(state.accounts.shown == Self.work)
    _ = reduce(&state, .person(.key(.character("@"))))
    #expect(state.accounts.shown == Self.home)
  }

  @Test("a change goes to the account of its item")
  func operations() throws {
    let rows = [Self.row(Self.work, 3), Self.row(Self.home, 2)]
    var state = Self.state()
    Self.answer(&state, reduce(&state, .start), rows)
    var accounts: [AccountName] = []
    for _ in 0..<2 {
      for effect in reduce(&state, .person(.key(.character("d")))) {
        if case .change(.perform(let account, _, _)) = effect { accounts.append(account) }
      }
    }
    #expect(accounts == [Self.work, Self.home])
  }

  @Test("the header shows the worst connection, its account, and all waiting changes")
  func worst() {
    var state = Self.state()
    _ = reduce(&state, .start)
    func header() -> String { Self.header(state) }
    _ = reduce(&state, .account(.connection(ConnectionStatus(.live), of: Self.home)))
    #expect(header().hasSuffix("◐ work: connecting"))
    _ = reduce(&state, .account(.connection(ConnectionStatus(.live), of: Self.work)))
    #expect(header().hasSuffix("2 accounts   ● live, all sent"))
    _ = reduce(
      &state,
      .account(.connection(ConnectionStatus(.offline(since: nil), waiting: 2), of: Self.work)))
    _ = reduce(&state, .account(.connection(ConnectionStatus(.live, waiting: 1), of: Self.home)))
    #expect(header().hasSuffix("○ work: offline · 3 waiting"))
    _ = reduce(&state, .account(.connection(ConnectionStatus(.signedOut(nil)), of: Self.home)))
    #expect(header().hasSuffix("✗ home: sign in again"))
    _ = reduce(&state, .person(.key(.character("@"))))
    #expect(header().hasSuffix("home   ✗ sign in again"))
  }

  static func header(_ state: InboxState) -> String {
    let spans = HeaderLine(state).place(width: state.size.width)
    var text = ""
    for span in spans.sorted(by: { $0.x < $1.x }) {
      text += String(repeating: " ", count: max(0, span.x - SafeText(text).width))
      text += span.span.text.string
    }
    return text
  }

  @Test(
    "each connection state has its text in the header",
    arguments: [
      (ConnectionStatus(.connecting), "◐ connecting"),
      (ConnectionStatus(.connecting, waiting: 2), "◐ connecting · 2 waiting"),
      (ConnectionStatus(.live), "● live, all sent"),
      (ConnectionStatus(.live, waiting: 1), "● live, 1 waiting"),
      (
        ConnectionStatus(.live, clockDifference: .seconds(7300)),
        "● live, clock 2 h behind"
      ),
      (
        ConnectionStatus(.live, clockDifference: .seconds(-600)),
        "● live, clock 10 min ahead"
      ),
      (ConnectionStatus(.polling(every: .seconds(30))), "◐ polling every 30 s"),
      (
        ConnectionStatus(.firstSync(received: 12_400, total: nil)),
        "◐ first synchronisation: 12,400"
      ),
      (
        ConnectionStatus(.firstSync(received: 12_400, total: 100_000)),
        "◐ first synchronisation: 12,400 of 100,000"
      ),
      (ConnectionStatus(.busy(until: now.advanced(by: .seconds(240)))), "◐ store busy until 06:18"),
      (ConnectionStatus(.offline(since: now), waiting: 4), "○ offline · 4 waiting"),
      (ConnectionStatus(.signedOut(nil), waiting: 1), "✗ sign in again"),
    ])
  func headerWords(status: ConnectionStatus, words: String) {
    var state = InboxState(
      size: Size(width: 120, height: 24), now: Self.now,
      zone: .fixed(offsetSeconds: 3600, abbreviation: "CET"), accountLabel: "home",
      ids: UniqueIDSource { 7 })
    _ = reduce(&state, .account(.connection(status)))
    #expect(Self.header(state).hasSuffix(words))
  }

  @Test(
    "an account's name is shortened to whole words, and a single word is cut",
    arguments: [
      (81, "private store"), (80, "private"), (75, "private"), (74, "priva…"),
    ])
  func shortLabel(width: Int, label: String) {
    var state = InboxState(
      size: Size(width: width, height: 24), now: Self.now,
      zone: .fixed(offsetSeconds: 3600, abbreviation: "CET"), accountLabel: "private store",
      ids: UniqueIDSource { 7 })
    _ = reduce(&state, .account(.connection(ConnectionStatus(.live))))
    #expect(Self.header(state).hasSuffix(" \(label)   ● live, all sent"))
  }

  @Test("progress is shown at 80 columns too")
  func narrowProgress() {
    var state = InboxState(
      size: Size(width: 80, height: 24), now: Self.now,
      zone: .fixed(offsetSeconds: 3600, abbreviation: "CET"), accountLabel: "home",
      ids: UniqueIDSource { 7 })
    let status = ConnectionStatus(.firstSync(received: 12_400, total: 100_000), waiting: 1)
    _ = reduce(&state, .account(.connection(status)))
    #expect(Self.header(state).hasSuffix("◐ 12,400 of 100,000 · 1 waiting"))
  }
}
