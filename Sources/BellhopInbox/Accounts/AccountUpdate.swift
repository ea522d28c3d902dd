package import BellhopModel

/// News of an account: how it stands with its store, what came, and what the person wants of apps.
package enum AccountUpdate: Sendable {
  /// How the account stands with its store; nil where there is one account only.
  case connection(ConnectionStatus, of: AccountName? = nil)
  /// New content that this process is to announce. With `isReturn` it came together while the
  /// person was away.
  case announced([Announcement], of: AccountName, isReturn: Bool)
  /// The person's settings for all apps together: do not disturb, quiet hours.
  case attention(AppSettings, of: AccountName)
  /// The person's settings of the apps, with every change that is committed; and the apps with a
  /// change that waits to be sent.
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
      askAboutNewApps(&effects)
    }
  }
}
