internal import BellhopCache
package import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopScreen
internal import BellhopSettings
internal import BellhopTerminal
internal import BellhopText
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The `bellhop` command without a subcommand, which opens the screen.
package enum ScreenProgram {
  /// The longest time that quitting may take to send pending changes. A healthy store answers
  /// within milliseconds.
  private static let quitLimit: Duration = .seconds(2)

  /// Opens the screen and returns when the user quits.
  ///
  /// - Throws: `ClientError`. The terminal is then unchanged.
  package static func run(_ context: ClientContext, theme: String?) throws {
    ExitCode.exit(by: try show(try chosen(context), theme: theme))
  }

  /// Returns the accounts to open: the requested one, those of the configuration, or all.
  private static func chosen(_ context: ClientContext) throws -> [CacheAccess] {
    let accounts = context.accounts
    if context.accountName == nil {
      let all = try context.configuration.accounts?.map { name in
        guard let account = try accounts.account(AccountName(name)) else {
          let known = try accounts.all().map(\.name.rawValue)
          throw ClientError(
            .configuration,
            "\(context.configPath): " + ConfigurationCheck.unknownAccount(name, known: known),
            next: "bellhop accounts lists the accounts.")
        }
        return account
      }
      let chosen = try all ?? accounts.all()
      if chosen.count > 1 || all != nil {
        return chosen.map { CacheAccess(context, account: $0) }
      }
    }
    let hasAccount = try accounts.current(named: context.accountName) != nil
    // With an account, the first paint comes from the cache. Its store is checked later.
    return [try CacheAccess(context, startsStore: !hasAccount)]
  }

  /// Shows the screen of the accounts, of which there is at least one.
  ///
  /// - Parameters:
  ///   - theme: The theme of the command line.
  ///   - background: The terminal's background as saved in another folder.
  ///   - greeting: The first line that the user reads.
  /// - Returns: The signal that ended the screen, for `ExitCode.exit(by:)` after the cleanup; nil
  ///   if the user quit.
  static func show(
    _ accesses: [CacheAccess], theme: String?, background: Color? = nil,
    greeting: SafeText? = nil
  ) throws -> Int32? {
    let first = accesses[0]
    let context = first.context
    let memory = ScreenMemory(context).load()
    let themes = ThemeCatalog(
      context, chosen: theme ?? context.configuration.theme,
      background: background ?? memory.background)
    let (styles, themeProblem) = themes.styles()
    let terminal = try open(context, styles: styles)
    defer { terminal.close() }
    let waker = terminal.waker
    let box = MessageQueue { waker.wake() }
    let isAlone = accesses.count == 1
    let sessions = try accesses.map { access in
      Session(
        access: access, box: box,
        clockOffset: try access.reader().syncState().clockOffset,
        label: isAlone ? nil : SafeText(access.account.name.rawValue))
    }
    let zone = SystemClock.zoneRules
    let effects = try LiveEffects(
      sessions: sessions, box: box, zone: zone,
      pictures: PictureProgram(
        environment: context.environment, depth: terminal.colorDepth, isUTF8: terminal.isUTF8,
        isOn: context.configuration.pictures != .off))
    var state = InboxState(
      size: terminal.size, now: sessions[0].storeTime(), zone: zone,
      accountLabel: label(first.account),
      accounts: AccountSet(
        isAlone
          ? []
          : accesses.map {
            .init(name: $0.account.name, label: SafeText($0.account.name.rawValue))
          },
        isMerged: context.configuration.isTrayMerged,
        limit: isAlone ? try limit(context) : nil), ids: UniqueIDSource(random: context.random),
      keymap: Keymap(overrides: context.configuration.keys),
      foldsGroups: context.configuration.foldsGroups, splits: memory.splits, orders: memory.orders)
    state.isASCII = !terminal.isUTF8
    apply(context.configuration, to: &state)
    let views = SavedViewsFile(context).load()
    state.use(views.views)
    var loop = EventLoop(
      terminal: terminal, performer: effects, box: box, state: state, themes: themes,
      authenticate: { Authenticator(context).authenticate() },
      now: { sessions[0].storeTime() })
    box.post(.firstRunHelpChanged(FirstRunText.help(for: first)))
    if let greeting { box.post(.notice(Notice(.information, greeting))) }
    let problems = problems(context, views.findings) + [themeProblem, memory.problem]
    if let notice = notice(of: problems.compactMap(\.self)) { box.post(.notice(notice)) }

    loop.start()
    for session in sessions { session.start() }
    let ending = loop.run()
    terminal.close()
    effects.finishWrites()
    let remaining = stop(sessions)
    if remaining > 0 {
      let changes = remaining.counted("change is", "changes are")
      StandardError.say("\(changes) saved and will be sent next time.")
    }
    switch ending {
    case .quit, .inputClosed: return nil
    case .terminated(let signal): return signal
    }
  }

  private static func apply(_ configuration: Configuration, to state: inout InboxState) {
    state.program = .own
    state.use(configuration.rulesInForce, wallClock: SystemClock.wallClock)
    state.use(attachmentBytesMax: configuration.attachmentBytesMax)
    if configuration.previews == .never { state.startHidden() }
  }

  /// Returns the reason why only one of several accounts is open; nil if there are not several.
  private static func limit(_ context: ClientContext) throws -> AccountSet.Limit? {
    guard try context.accounts.all().count > 1 else { return nil }
    return context.accountName == nil ? .configuration : .option
  }

  /// Returns the problems of the configuration and the views, one line each.
  private static func problems(
    _ context: ClientContext, _ views: [ConfigurationFinding]
  ) -> [String?] {
    let findings = context.configurationFile.findings + ConfigurationCheck(context).keys + views
    return findings.map { "config.toml" + ($0.line == nil ? ": " : ", ") + $0.words }
  }

  /// Returns one notice for all problems: the first problem, and the number of the others.
  private static func notice(of problems: [String]) -> Notice? {
    guard let first = problems.first else { return nil }
    let more = problems.count - 1
    return Notice(
      .error,
      SafeText(first + (more == 0 ? "" : " \(more) more: bellhop config check lists them.")))
  }

  /// Stops all sessions at once, so that several take no longer than one.
  ///
  /// - Returns: The number of changes that remain for the next start.
  private static func stop(_ sessions: [Session]) -> Int {
    let remaining = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: sessions.count) { index in
      let count = sessions[index].stop(within: quitLimit)
      remaining.withLock { $0 += count }
    }
    return remaining.withLock { $0 }
  }

  private static func open(_ context: ClientContext, styles: StyleSheet) throws -> NcursesTerminal {
    var options = TerminalOptions(environment: context.environment)
    options.usesMouse = context.configuration.mouse
    options.escapeDelay = context.configuration.escapeDelay.map { .milliseconds($0) }
    options.notifications = context.configuration.notify.choice
    options.graphics = context.configuration.pictures.choice
    options.styles = styles
    do {
      return try NcursesTerminal(options: options)
    } catch {
      throw ClientError(.usage, error.description)
    }
  }

  private static func label(_ account: Account) -> SafeText {
    SafeText(account.isPrivate ? "private store" : account.name.rawValue, byteLimit: 64)
  }
}
