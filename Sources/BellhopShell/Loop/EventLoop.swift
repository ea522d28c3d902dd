internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopScreen
internal import BellhopTerminal
internal import BellhopText

/// A performer of the effects that the reducer returns.
protocol EffectPerformer: AnyObject {
  /// Starts the effect and returns immediately.
  ///
  /// Returns the messages that are available within a frame. All others are posted later.
  func perform(_ effect: Effect) -> [Message]

  /// Ends a consistent read. Reads after it may see another state.
  func endReading()
}

/// The loop of the only thread that uses the terminal: it waits, reduces and paints.
///
/// It never waits for the network or for a write to the disk. Without input, messages or a due
/// time, it sleeps in `poll`.
struct EventLoop {
  /// The reason why the loop ended.
  enum Ending: Hashable {
    /// The user's command to quit; the line, if any, is for the terminal that they return to.
    case quit(farewell: SafeText?)
    /// A signal to end the process.
    case terminated(signal: Int32)
    /// The loss of the terminal.
    case inputClosed
  }

  private let terminal: any TerminalDriver
  private let performer: any EffectPerformer
  private let box: MessageQueue
  /// The themes; nil if the theme cannot be changed.
  private let themes: ThemeCatalog?
  /// Asks the user who they are; returns the reason why that failed, or nil.
  private let authenticate: () -> String?
  /// The store's time.
  private let now: () -> Timestamp
  private(set) var state: InboxState
  private var painted: Frame?
  private var ending: Ending?

  init(
    terminal: any TerminalDriver, performer: any EffectPerformer, box: MessageQueue,
    state: InboxState, themes: ThemeCatalog? = nil,
    authenticate: @escaping () -> String? = { "no program asks for it" },
    now: @escaping () -> Timestamp
  ) {
    self.terminal = terminal
    self.performer = performer
    self.box = box
    self.themes = themes
    self.authenticate = authenticate
    self.state = state
    self.now = now
  }

  /// Paints the first screen from immediately available data, then queries the terminal's
  /// background.
  mutating func start() {
    handle([.tick(now()), .resize(terminal.size), .start])
    paint()
    askBackground()
  }

  /// Queries the background that the themes follow, without waiting for the answer.
  private func askBackground() {
    if themes != nil { terminal.askBackground() }
  }

  /// Runs until the user quits or the terminal is gone.
  mutating func run() -> Ending {
    while true {
      if let ending { return ending }
      step()
    }
  }

  /// Waits once and handles the result.
  mutating func step() {
    let events = terminal.wait(timeout: timeout())
    var messages: [Message] = [.tick(now())]
    for event in events { messages += translate(event) }
    messages += box.drain()
    // Otherwise the wake-up was for a message that is not due yet.
    if messages.count > 1 || painted == nil || isDue {
      handle(messages)
      if ending == nil { paint() }
    }
    // Checks the theme file after an event or at the end of a minute, after painting: the check
    // causes no wake-up, and no key waits for it.
    guard ending == nil, let changed = themes?.reload() else { return }
    handle(use(changed))
    if ending == nil { paint() }
  }

  /// Whether the screen must change although nothing happened.
  private var isDue: Bool { state.nextWake.map { $0 <= now() } ?? false }

  private func timeout() -> Duration? {
    [state.nextWake.map { max(.zero, $0.duration(since: now())) }, box.wait]
      .compactMap { $0 }.min()
  }

  private mutating func handle(_ messages: [Message]) {
    defer { performer.endReading() }
    var queue = messages[...]
    while let message = queue.popFirst(), ending == nil {
      for effect in reduce(&state, message) {
        switch effect {
        case .terminal(let work): perform(work, &queue)
        case .read, .slow, .change, .item, .attachment, .activity, .store, .remember:
          queue = performer.perform(effect)[...] + queue
        }
      }
    }
  }

  /// Performs an effect on the terminal, and adds resulting messages to the queue.
  private mutating func perform(_ work: TerminalEffect, _ queue: inout ArraySlice<Message>) {
    switch work {
    case .quit(let farewell): ending = .quit(farewell: farewell)
    case .repaint:
      terminal.forget()
      painted = nil
    case .suspend:
      performer.endReading()
      terminal.suspend()
      painted = nil
      queue = [.resize(terminal.size), .resumed] + queue
    case .pipe(let order): queue = pipe(order)[...] + queue
    case .authenticate(let order): queue = authenticate(order)[...] + queue
    case .copy(let text):
      if terminal.copyToClipboard(text) {
        queue = performer.perform(.terminal(work))[...] + queue
      } else {
        queue.append(.notice(Notice(.error, "Too long to copy: terminals accept at most 8 KiB.")))
      }
    case .loadThemes:
      if let themes {
        let (names, current) = themes.beginTrial()
        queue.append(.terminal(.themes(names, current: current)))
      }
    case .showTheme(let name):
      if let themes { queue += use(themes.show(name)) }
    case .keepTheme(let name): queue += keep(name)
    case .askGraphics: terminal.askGraphics()
    case .ring(let ring): queue = self.ring(ring)[...] + queue
    }
  }

  /// Redraws everything with other styles.
  private mutating func use(_ shown: (styles: StyleSheet, problem: String?)) -> [Message] {
    terminal.use(shown.styles)
    painted = nil
    return shown.problem.map { [.notice(Notice(.error, SafeText($0)))] } ?? []
  }

  private mutating func keep(_ name: String) -> [Message] {
    do {
      try themes?.keep(name)
      return [
        .notice(Notice(.success, SafeText("theme = \"\(name)\" was written to config.toml.")))
      ]
    } catch {
      let line = "Applied, but not saved: " + error.explanation
      return [.notice(Notice(.error, SafeText(line)))]
    }
  }

  /// Runs a command for each item, with the terminal in the shell's state.
  private mutating func pipe(_ order: PipeOrder) -> [Message] {
    var outcome: Notice?
    let messages = lend {
      let result = PipeRunner.run(order)
      outcome = result.notice
      return result.line
    }
    return messages + (outcome.map { [.notice($0)] } ?? [])
  }

  /// Asks the user who they are, with the terminal in the shell's state.
  ///
  /// Comes back at once if they have proved it; the reason for a failure stays on the terminal until
  /// they press a key.
  mutating func authenticate(_ order: ActionOrder) -> [Message] {
    // A terminal that cannot be lent authenticates no user.
    var failure: SafeText? = "the terminal is in use"
    let authenticate = authenticate
    let messages = lend {
      StandardOutput.line(order.action.title + ": this action asks who you are.")
      failure = authenticate().map { SafeText($0) }
      return failure == nil ? nil : "Press any key to go back."
    }
    return messages + [.terminal(.authenticated(order, failure: failure))]
  }

  /// Hands the terminal to other programs while `work` runs.
  ///
  /// Shows the line that it returns, and waits for a key; with nil, goes back at once.
  private mutating func lend(_ work: () -> SafeText?) -> [Message] {
    performer.endReading()
    terminal.lend(work)
    painted = nil
    askBackground()
    return [.resize(terminal.size), .resumed]
  }

  /// Rings through the terminal, or through programs where the terminal is not known to support it.
  private func ring(_ ring: Ring) -> [Message] {
    if ring.bell { terminal.bell() }
    var rest = ring
    rest.bell = false
    rest.notes = ring.notes.filter {
      !terminal.notify($0.title, $0.body, isUrgent: $0.isUrgent)
    }
    return rest.isSilent ? [] : performer.perform(.terminal(.ring(rest)))
  }

  private mutating func translate(_ event: TerminalEvent) -> [Message] {
    switch event {
    case .key(let key): return [.person(.key(key))]
    case .paste(let text): return [.person(.paste(text))]
    case .mouse(let event): return [.person(.mouse(event))]
    case .resize(let size):
      painted = nil
      return [.resize(size)]
    case .focus(let isFocused): return [.focusChanged(isFocused)]
    case .resumed:
      painted = nil
      askBackground()
      return [.resize(terminal.size), .resumed]
    case .graphics(let means): return [.terminal(.graphics(means))]
    case .background(let color): return themes?.follow(color).map { use($0) } ?? []
    case .wake: return []
    case .terminate(let signal):
      ending = .terminated(signal: signal)
      return []
    case .inputClosed:
      ending = .inputClosed
      return []
    }
  }

  private mutating func paint() {
    let frame = render(state)
    guard frame != painted else { return }
    do throws(TerminalError) {
      try terminal.present(frame)
      painted = frame
    } catch {
      ending = .inputClosed
    }
  }
}
