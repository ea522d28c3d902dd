package import BellhopModel

/// News of an account: its connection, new items, and the user's settings for apps.
package enum AccountUpdate: Sendable {
  /// The connection to the account's store; the account is nil if there is only one.
  case connection(ConnectionStatus, of: AccountName? = nil)
  /// New content that this process has to announce.
  ///
  /// With `isReturn`, it arrived together while the user was away.
  case announced([Announcement], of: AccountName, isReturn: Bool)
  /// The user's settings for all apps together: do not disturb and quiet hours.
  case attention(AppSettings, of: AccountName)
  /// The user's settings of the apps, including every committed change.
  ///
  /// `waiting` names the apps with a change that has not been sent yet.
  case apps([AppSettings], waiting: Set<String>, of: AccountName)
}

extension InboxState {
  mutating func take(_ update: AccountUpdate, _ effects: inout [Effect]) {
    switch update {
    case .connection(let status, let account):
      if accounts.take(status, of: account) { endStart() }
    case .announced(let news, let account, let isReturn):
      announce(news, of: account, isReturn: isReturn, &effects)
    case .attention(let settings, let account): attention.everyApp[account] = settings
    case .apps(let settings, let waiting, let account):
      apps.accept(settings, waiting: waiting, of: account)
      apps.arrange(accounts.shown)
      // The item's category may have other actions now.
      detail.isStale = true
    }
  }
}
