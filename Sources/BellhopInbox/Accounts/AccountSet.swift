public import BellhopModel
public import BellhopText

/// The accounts of the screen, in the order in which they are gone through.
public struct AccountSet: Hashable, Sendable {
  public struct Entry: Hashable, Sendable {
    public var name: AccountName
    /// What people call it.
    public var label: SafeText

    public init(name: AccountName, label: SafeText) {
      self.name = name
      self.label = label
    }
  }

  /// Why the screen has one account where the device has several.
  public enum Limit: Hashable, Sendable {
    case option
    case configuration
  }

  public var entries: [Entry]
  /// Nil where the screen has all accounts of the device.
  public var limit: Limit?
  /// Whether items of all accounts may stand in one list; else one account is shown at a time.
  public var isMerged: Bool

  public init(_ entries: [Entry], isMerged: Bool = true, limit: Limit? = nil) {
    self.entries = entries
    self.limit = limit
    self.isMerged = isMerged
  }

  /// An account needs a name on the screen only beside another.
  var areSeveral: Bool { entries.count > 1 }

  func label(of name: AccountName) -> SafeText {
    entries.first { $0.name == name }?.label ?? SafeText(name.rawValue, byteLimit: 64)
  }

  /// What can be shown at a time: all together, where that is wanted, and each.
  var choices: [AccountName?] {
    (isMerged || !areSeveral ? [nil] : []) + (areSeveral ? entries.map(\.name) : [])
  }
}

extension Command {
  static let accountCommands: [Command] = [nextAccount]

  static let nextAccount = Command(
    id: "next-account", title: "one account only, the next one, or all together",
    help: "one account only, the next one, or all together", keys: ["@"], places: .everywhere,
    chapter: .places,
    disabledReason: { state in
      state.accounts.areSeveral ? nil : DisabledReason(state.onlyAccountText, .absent)
    },
    perform: { state, _ in state.showNextAccount() })
}

extension InboxState {
  /// Whether a row has to say whose it is.
  var marksAccounts: Bool { accounts.areSeveral && shownAccount == nil }

  /// What the header calls what is shown.
  public var accountLabel: SafeText {
    if let shownAccount { return accounts.label(of: shownAccount) }
    return accounts.areSeveral ? "\(accounts.entries.count) accounts" : onlyAccountLabel
  }

  /// The connection of what is shown: of several accounts, that of the worst, and what waits in all.
  public var connection: ConnectionStatus {
    guard accounts.areSeveral else {
      return connections.values.first ?? ConnectionStatus(.connecting)
    }
    var worst = shownConnections[0].status
    for (_, status) in shownConnections where status.link.severity > worst.link.severity {
      worst = status
    }
    worst.waiting = shownConnections.reduce(0) { $0 + $1.status.waiting }
    return worst
  }

  /// Whose connection ``connection`` is, where it has to be said.
  var worstAccount: SafeText? {
    guard marksAccounts else { return nil }
    let worst = connection.link
    guard worst.severity > 0 else { return nil }
    return shownConnections.first { $0.status.link == worst }.map { accounts.label(of: $0.name) }
  }

  private var shownConnections: [(name: AccountName, status: ConnectionStatus)] {
    accounts.entries.filter { shownAccount == nil || $0.name == shownAccount }.map {
      ($0.name, connections[$0.name] ?? ConnectionStatus(.connecting))
    }
  }

  /// Turns to the next account, or to all together.
  fileprivate mutating func showNextAccount() {
    let choices = accounts.choices
    let index = choices.firstIndex(of: shownAccount) ?? 0
    show(account: choices[(index + 1) % choices.count])
    notice = Notice(
      .information,
      shownAccount.map {
        "Only " + accounts.label(of: $0) + ". " + keyHint(.nextAccount) + " next."
      }
        ?? "All accounts.")
  }

  fileprivate var onlyAccountText: SafeText {
    switch accounts.limit {
    case nil: "There is one account only. bellhop login adds another."
    case .option:
      "Only " + onlyAccountLabel + " is open, because of --account. "
        + "Without it bellhop opens all accounts."
    case .configuration:
      "Only " + onlyAccountLabel + " is open, because of accounts in config.toml. "
        + "Name the others there."
    }
  }

  mutating func show(account: AccountName?) {
    shownAccount = account
    clearMarks()
    if focus == .detail { leaveDetail() }
    for id in ListID.allCases where id != .search || search != nil {
      self[id] = ListState(self[id].query, account: account)
    }
    counting.forgetRequest()
    days.forget()
    views.forgetCounts()
    apps.leaveRows()
  }
}

extension ConnectionStatus.Link {
  /// The higher, the more a person has to know of it.
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
