internal import BellhopInbox
internal import BellhopModel
internal import BellhopScreen
internal import BellhopTerminal
internal import BellhopText

/// Does outside what the reducer decided.
protocol EffectPerformer: AnyObject {
  /// Starts the effect and returns at once; what can be answered within a frame is answered in the
  /// result, everything else is posted later.
  func perform(_ effect: Effect) -> [Message]

  /// What was answered since the last call was read of one state; what follows may be of another.
  func endReading()
}

/// The one thread that owns the terminal: waits, reduces, paints.
///
/// Nothing in it waits for the network or for a write to the disk; without input, messages or a
/// due time it sleeps in `poll`.
struct EventLoop {
  /// Why the loop ended.
  enum Ending: Hashable {
    /// The person quit; the line, if any, is for the terminal they come back to.
    case quit(farewell: SafeText?)
    /// A signal asked for it.
    case terminated(signal: Int32)
    /// The terminal is gone.
    case inputClosed
  }

  private let terminal: any TerminalDriver
  private let performer: any EffectPerformer
  private let box: MessageBox
  /// Nil where the theme cannot be changed.
  private let themes: ThemeShelf?
  /// The store's time.
  private let now: () -> Timestamp
  private(set) var state: InboxState
  private var painted: Frame?
  private var ending: Ending?

  init(
    terminal: any TerminalDriver, performer: any EffectPerformer, box: MessageBox,
    state: InboxState, themes: ThemeShelf? = nil, now: @escaping () -> Timestamp
  ) {
    self.terminal = terminal
    self.performer = performer
    self.box = box
    self.themes = themes
    self.state = state
    self.now = now
  }

  /// Paints the first screen from what the performer answers at once, then asks for the terminal's
  /// background.
  mutating func start() {
    handle([.tick(now()), .resize(terminal.size), .start])
    paint()
    askBackground()
  }

  /// Asks for the background that the themes follow, without a wait for the answer.
  private func askBackground() {
    if themes != nil { terminal.askBackground() }
  }

  /// Runs until the person quits or the terminal goes away.
  mutating func run() -> Ending {
    while true {
      if let ending { return ending }
      step()
    }
  }

  /// One wait and what follows from it.
  mutating func step() {
    let events = terminal.wait(timeout: timeout())
    var messages: [Message] = [.tick(now())]
    for event in events { messages += translate(event) }
    messages += box.drain()
    // Else it was woken for something whose time has not come.
    if messages.count > 1 || painted == nil || isDue {
      handle(messages)
      if ending == nil { paint() }
    }
    // Looked at when something happened or a minute is over, and the screen says so: nothing wakes
    // for it, and no key waits for it.
    guard ending == nil, let changed = themes?.reload() else { return }
    handle(use(changed))
    if ending == nil { paint() }
  }

  /// Whether the screen is another by now without anything having happened.
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

  /// Carries out what concerns the terminal; messages that follow from it go into the queue.
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
    case .copy(let text):
      if terminal.copyToClipboard(text) {
        queue = performer.perform(.terminal(work))[...] + queue
      } else {
        queue.append(.notice(Notice(.error, "Too long to copy: terminals take 8 KiB at most.")))
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

  /// Draws everything again with other styles.
  private mutating func use(_ shown: (styles: StyleSheet, problem: String?)) -> [Message] {
    terminal.use(shown.styles)
    painted = nil
    return shown.problem.map { [.notice(Notice(.error, SafeText($0)))] } ?? []
  }

  private mutating func keep(_ name: String) -> [Message] {
    do {
      try themes?.keep(name)
      return [.notice(Notice(.success, SafeText("theme = \"\(name)\" is in config.toml now.")))]
    } catch {
      let line = "Shown, but not kept: " + error.explanation
      return [.notice(Notice(.error, SafeText(line)))]
    }
  }

  /// Runs a command for each item, with the terminal as the shell has it.
  private mutating func pipe(_ order: PipeOrder) -> [Message] {
    var outcome: Notice?
    performer.endReading()
    terminal.lend {
      let result = PipeRunner.run(order)
      outcome = result.notice
      return result.line
    }
    painted = nil
    askBackground()
    return [.resize(terminal.size), .resumed] + (outcome.map { [.notice($0)] } ?? [])
  }

  /// Rings by the terminal, and by programs what the terminal is not known to take.
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
