internal import BellhopCache
internal import BellhopInbox
internal import BellhopModel
internal import BellhopScreen
internal import BellhopTerminal
internal import BellhopText
internal import Glibc

/// `bellhop` without a command.
package enum ScreenProgram {
  /// How long quitting may take while what is left is sent; the answer of a healthy store takes
  /// some milliseconds.
  private static let quitLimit: Duration = .seconds(2)

  /// Opens the screen and returns when the person quits.
  ///
  /// - Throws: ``ClientError``, with the terminal as it was before.
  package static func run(_ context: ClientContext, theme: String?) throws {
    guard StandardOutput.isTerminal else {
      return try Commands.list(context, selection: .tray, limit: 100, asJSON: false)
    }
    let hasAccount = try context.accounts.current(named: context.accountName) != nil
    // With an account the first paint comes from the cache; its store is looked after later.
    let access = try CacheAccess(context, startsStore: !hasAccount)
    try show(access, theme: theme)
  }

  /// The screen over an account.
  static func show(_ access: CacheAccess, theme: String?) throws {
    let context = access.context
    let (styles, problem) = ThemeChoice.styles(
      named: theme ?? context.configuration.theme, context: context)
    let offset = try access.reader().syncState().clockOffset

    let terminal = try open(context, styles: styles)
    defer { terminal.close() }
    let waker = terminal.waker
    let box = MessageBox { waker.wake() }
    let session = Session(access: access, box: box, clockOffset: offset)
    let zone = ZoneRules(
      offsetSeconds: { SystemClock.zone(at: $0).offsetSeconds },
      abbreviation: { SystemClock.zone(at: $0).abbreviation })
    let effects = try LiveEffects(access: access, session: session, box: box, zone: zone)
    let random = context.random
    let keymap = Keymap(overrides: context.configuration.keys)
    let state = InboxState(
      size: terminal.size, now: session.storeTime(), zone: zone,
      accountLabel: label(access.account), ids: UniqueIDSource(random: random), keymap: keymap)
    var loop = EventLoop(
      terminal: terminal, performer: effects, box: box, state: state,
      now: { session.storeTime() })
    box.post(.firstRunHelpChanged(FirstRunText.help(for: access)))
    for problem in keymap.problems {
      box.post(.notice(Notice(.error, SafeText(problem.description))))
    }
    if let problem { box.post(.notice(Notice(.error, SafeText(problem)))) }

    loop.start()
    session.start()
    let ending = loop.run()
    terminal.close()
    effects.finishWrites()
    let remaining = session.stop(within: quitLimit)
    try say(ending, remaining: remaining)
  }

  private static func open(_ context: ClientContext, styles: StyleSheet) throws -> NcursesTerminal {
    var options = TerminalOptions(environment: context.environment)
    options.usesMouse = context.configuration.mouse
    options.escapeDelay = context.configuration.escapeDelay.map { .milliseconds($0) }
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

  private static func say(_ ending: EventLoop.Ending, remaining: Int) throws {
    if remaining > 0 {
      let changes = remaining == 1 ? "1 change is" : "\(remaining) changes are"
      StandardError.say("\(changes) kept and will be sent next time.")
    }
    switch ending {
    case .quit, .inputClosed: break
    case .terminated(let signal): exit(128 + signal)
    }
  }
}
