import BellhopModel
package import BellhopText

/// The accounts of the screen, the one that is shown, and their connections.
struct AccountsState: Sendable {
  /// The accounts; empty if there is only one.
  let all: AccountSet
  /// The header's name for a single account, such as `alice@home`.
  let onlyLabel: SafeText
  /// The account whose items are shown; nil for all accounts.
  var shown: AccountName?
  /// The connections by account; the name is nil if there is only one.
  var connections: [AccountName?: ConnectionStatus] = [:]

  /// Whether an account has been in step with its store since the start.
  private var hasBeenInStep = false

  init(_ all: AccountSet, onlyLabel: SafeText) {
    self.all = all
    self.onlyLabel = onlyLabel
  }

  /// Records the connection of an account.
  ///
  /// - Returns: Whether an account is in step with its store for the first time since the start.
  mutating func take(_ status: ConnectionStatus, of name: AccountName?) -> Bool {
    connections[name] = status
    let isInStep: Bool
    switch status.link {
    case .live, .polling: isInStep = true
    case .connecting, .firstSync, .busy, .offline, .signedOut: isInStep = false
    }
    defer { hasBeenInStep = hasBeenInStep || isInStep }
    return isInStep && !hasBeenInStep
  }

  var areSeveral: Bool { all.areSeveral }

  /// Whether rows have to name their account.
  var marksItems: Bool { areSeveral && shown == nil }

  func label(of name: AccountName) -> SafeText { all.label(of: name) }

  /// The header's name for the account, or the accounts, that are shown.
  var label: SafeText {
    if let shown { return label(of: shown) }
    return areSeveral ? "\(all.entries.count) accounts" : onlyLabel
  }

  /// The next choice after the current one: an account, or all together.
  var next: AccountName? {
    let choices = all.choices
    let index = choices.firstIndex(of: shown) ?? 0
    return choices[(index + 1) % choices.count]
  }

  /// The connection of what is shown: that of the worst account, with all waiting changes.
  var connection: ConnectionStatus {
    guard areSeveral else { return connections.values.first ?? ConnectionStatus(.connecting) }
    let shown = shownConnections
    var worst = shown[0].status
    for (_, status) in shown where status.link.severity > worst.link.severity { worst = status }
    worst.waiting = shown.reduce(0) { $0 + $1.status.waiting }
    return worst
  }

  /// The account of ``connection``, if it has to be named.
  var worst: SafeText? {
    guard marksItems else { return nil }
    let link = connection.link
    guard link.severity > 0 else { return nil }
    return shownConnections.first { $0.status.link == link }.map { label(of: $0.name) }
  }

  private var shownConnections: [(name: AccountName, status: ConnectionStatus)] {
    all.entries.filter { shown == nil || $0.name == shown }.map {
      ($0.name, connections[$0.name] ?? ConnectionStatus(.connecting))
    }
  }

  /// The reason why no other account can be shown.
  var onlyText: SafeText {
    switch all.limit {
    case nil: "There is only one account. bellhop login adds another."
    case .option:
      "Only " + onlyLabel + " is open, because of --account. "
        + "Without it bellhop opens all accounts."
    case .configuration:
      "Only " + onlyLabel + " is open, because of accounts in config.toml. "
        + "Add the others there."
    }
  }
}

extension Command {
  static let accountCommands: [Command] = [nextAccount]

  static let nextAccount = Command(
    id: "next-account", title: "the next account only, or all accounts together",
    help: "the next account only, or all accounts together", keys: ["@"], places: .everywhere,
    chapter: .places,
    disabledReason: { state in
      state.accounts.areSeveral ? nil : DisabledReason(state.accounts.onlyText, .absent)
    },
    perform: { state, _ in state.showNextAccount() })
}

extension InboxState {
  /// The header's name for the account, or the accounts, that are shown.
  package var accountLabel: SafeText { accounts.label }

  /// The connection of what is shown: that of the worst account, with all waiting changes.
  package var connection: ConnectionStatus { accounts.connection }

  /// Shows the next account, or all together.
  fileprivate mutating func showNextAccount() {
    show(account: accounts.next)
    say(
      accounts.shown.map {
        "Only " + accounts.label(of: $0) + ". " + keyHint(.nextAccount) + " shows the next."
      }
        ?? "All accounts.")
  }

  /// Ends the start phase: the cursor of every list now stays on its item.
  ///
  /// If rows are still being read, it follows the first row once more: those rows include what
  /// arrived while no screen was open.
  mutating func endStart() {
    forEachList { $0.followsFirst = $0.isAwaited && $0.followsFirst != .never ? .once : .never }
  }

  mutating func show(account: AccountName?) {
    accounts.shown = account
    clearMarks()
    if focus == .detail { leaveDetail() }
    for id in ListID.allCases where id != .search || search != nil {
      self[id] = ListState(self[id].query, sorting: self[id].sorting, account: account)
    }
    counting.forgetRequest()
    days.forget()
    views.forgetCounts()
    apps.leaveRows()
  }
}

extension ConnectionStatus.Link {
  /// The severity; the higher it is, the more important for the user.
  var severity: Int {
    switch self {
    case .live: 0
    case .polling: 1
    case .connecting: 2
    case .firstSync: 3
    case .busy: 4
    case .offline: 5
    case .signedOut: 6
    }
  }
}
