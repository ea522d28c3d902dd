internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
package import BellhopText
internal import BellhopThemes

/// The values that a shell completes; none if they cannot be read, as a shell cannot show an error.
///
/// They come from this device's files and caches. Nothing is created, and no store is asked.
extension Commands {
  package static func accountNames() -> [Completion] {
    guard let context = try? silentContext(account: nil) else { return [] }
    let accounts = (try? context.accounts.all()) ?? []
    return accounts.map { Completion($0.name.rawValue, SafeText($0.url)) }
  }

  package static func themeNames() -> [Completion] {
    guard let context = try? silentContext(account: nil) else { return [] }
    return Theme.names(searchPath: ThemeChoice.searchPath(context)).map { Completion($0) }
  }

  package static let priorityNames = Priority.allCases.map(\.name)
  /// The words of `--environment`.
  package static let environmentNames = RegistrationEnvironment.allCases.map(\.rawValue)

  /// The most items that are offered.
  private static let itemsMax = 50

  /// Returns the numbers of the items that a command may name, with their titles.
  package static func itemNumbers(_ line: CompletedLine) -> [Completion] {
    guard let cache = cache(line.account) else { return [] }
    let names = (try? cache.displayNames()) ?? [:]
    var completions: [Completion] = []
    for list in line.lists where completions.count < itemsMax {
      let rows = (try? cache.rows(of: list.cacheList, .first, limit: itemsMax)) ?? []
      completions += line.new(
        rows.map {
          Completion(
            ItemNumber.argument($0.shortNumber, $0.id),
            SafeText("\(names[$0.app] ?? $0.app): \($0.title)"))
        }
      )
    }
    return Array(completions.prefix(itemsMax))
  }

  /// Returns the hosts and topics of the apps, with the user's names for them.
  package static func appHosts(_ line: CompletedLine) -> [Completion] {
    guard let cache = cache(line.account) else { return [] }
    let names = (try? cache.displayNames()) ?? [:]
    let apps = (try? cache.apps()) ?? []
    return line.new(
      apps.map(\.app).sorted().map { app in
        Completion(app, names[app].map { SafeText($0) } ?? .empty)
      })
  }

  /// Returns the names of the user's places.
  package static func placeNames(_ line: CompletedLine) -> [Completion] {
    guard let cache = cache(line.account) else { return [] }
    let settings = (try? cache.appSettings(of: AppSettings.everyApp)) ?? nil
    return line.new((settings?.places.keys.sorted() ?? []).map { Completion($0) })
  }

  /// Returns the names of the user's rules, with their conditions.
  package static func ruleNames(_ line: CompletedLine) -> [Completion] {
    guard let cache = cache(line.account) else { return [] }
    let rules = (try? cache.rules()) ?? []
    return line.new(
      rules.map { Completion($0.definition.name, SafeText($0.definition.condition.phrase)) })
  }

  /// The words of `--without`: the actions of a rule.
  package static let ruleActionNames = RuleActionName.allCases.map(\.rawValue)
  /// The words of `--collapse`.
  package static let repeatKeyNames = RepeatKey.words

  private static func silentContext(account: String?) throws -> ClientContext {
    try ClientContext.live(account: account, saysWarnings: false)
  }

  /// Returns a reader of the account's cache; nil if there is no cache.
  private static func cache(_ account: String?) -> CacheReader? {
    guard let context = try? silentContext(account: account),
      let account = try? context.accounts.current(named: account)
    else { return nil }
    return try? CacheReader(
      path: context.directories.cachePath(account.name), account: account.name)
  }
}

extension CompletedList {
  fileprivate var cacheList: CacheList {
    switch self {
    case .tray: .tray
    case .handled: .handled
    case .later: .later
    }
  }
}
