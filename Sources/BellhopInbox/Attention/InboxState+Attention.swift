package import BellhopModel
import BellhopText

/// The state of the user's attention: rules, focus and do not disturb.
struct AttentionState: Sendable {
  var rules = RingRules()
  /// The user's wall-clock time, for quiet hours.
  var wallClock = WallClock.utc
  /// Whether the terminal has the focus; nil until it reports this, which many terminals never do.
  var reportedFocus: Bool?
  /// The number of new items since the terminal lost the focus.
  var missed = NewsCount()
  /// Whether titles and texts are hidden from others who see the screen.
  var hidesTexts = false
  /// The settings for all apps together, by account.
  var everyApp: [AccountName: AppSettings] = [:]

  var focus: RingMoment.Focus {
    switch reportedFocus {
    case true?: .focused
    case false?: .unfocused
    case nil: .unknown
    }
  }

  func silence(of account: AccountName, at now: Timestamp) -> Silence {
    everyApp[account]?.silence(at: now, on: wallClock) ?? Silence.none
  }

  /// Returns the silence of all accounts: the one that lasts longest.
  func silence(at now: Timestamp) -> Silence {
    everyApp.values.map { $0.silence(at: now, on: wallClock) }.max { rank($0) < rank($1) }
      ?? Silence.none
  }

  private func rank(_ silence: Silence) -> Int64 {
    switch silence {
    case .none: -2
    case .quietHours: -1
    case .doNotDisturb(let until): until?.milliseconds ?? Int64.max
    }
  }
}

extension Command {
  static let attentionCommands: [Command] = [doNotDisturb]

  static let doNotDisturb = Command(
    id: "do-not-disturb", title: "do not disturb",
    help: "do not disturb, on every device; again to turn it off",
    synonyms: ["mute all", "silence", "quiet"], keys: ["!"],
    places: .everywhere, chapter: .program,
    perform: { state, effects in state.toggleDoNotDisturb(&effects) })
}

extension InboxState {
  /// Sets the user's rules for each level, and the wall-clock time.
  package mutating func use(_ rules: RingRules, wallClock: WallClock) {
    attention.rules = rules
    attention.wallClock = wallClock
  }

  /// Requests attention for new items according to the rules.
  mutating func announce(
    _ news: [Announcement], of account: AccountName, isReturn: Bool, _ effects: inout [Effect]
  ) {
    let news = hidesTexts ? news.map(\.withHiddenTitle) : news
    // A user who opens the screen is present.
    let isThere = isReturn && attention.reportedFocus == nil
    if attention.reportedFocus == false { attention.missed.add(news.filter(\.isInTray)) }
    let moment = RingMoment(
      focus: isThere ? .focused : attention.focus,
      silence: attention.silence(of: account, at: now), isReturn: isReturn)
    let ring = attention.rules.ring(for: news, at: moment)
    // A line about the user's own lost change takes precedence.
    if let line = ring.line, notice == nil || !isReturn && notice?.kind != .error {
      say(line)
    }
    if notice == nil, let line = urgentLine(news) { say(line) }
    if !ring.isSilent { effects.append(.terminal(.ring(ring))) }
  }

  /// Returns the line for an urgent item that arrives while its row is not visible; nil if there is
  /// none.
  private func urgentLine(_ news: [Announcement]) -> SafeText? {
    let showsNewest =
      tab == .tray && search == nil && layout.list(.tray) != nil && tray.top == 0
      && overlay.isNone
    guard !showsNewest,
      let item = news.first(where: {
        $0.isInTray && $0.priority == .urgent && $0.permissions.alert && !$0.title.isEmpty
      })
    else { return nil }
    return Priority.urgent.mark + " " + item.title.truncated(to: 48) + " (" + item.name + ")"
  }

  mutating func take(focus hasFocus: Bool, _ effects: inout [Effect]) {
    noteFocus(hasFocus)
    if hasFocus { effects.append(.store(.checkAndSync)) }
  }

  /// Records a change of focus; on return, one line sums up what arrived meanwhile.
  mutating func noteFocus(_ isFocused: Bool) {
    attention.reportedFocus = isFocused
    guard isFocused, attention.missed.items > 0 else { return }
    // A single item needs no summary.
    if attention.missed.items > 1, notice == nil {
      say(attention.missed.summary(isReturn: true))
    }
    attention.missed = NewsCount()
  }

  /// The header's text for do not disturb and quiet hours; empty if neither is active.
  var silenceText: SafeText {
    switch attention.silence(at: now) {
    case .none: .empty
    case .doNotDisturb(let until?): "do not disturb until " + timeText.moment(until)
    case .doNotDisturb(nil): "do not disturb"
    case .quietHours(let time): "quiet until " + SafeText(time.description)
    }
  }

  // MARK: - The menu

  /// Turns do not disturb off if it is on; otherwise asks for a duration.
  fileprivate mutating func toggleDoNotDisturb(_ effects: inout [Effect]) {
    let isOn = attention.everyApp.values.contains { $0.mute.holds(at: now) }
    guard isOn else {
      overlay = .menu(QuietState(choices: QuietChoice.choices(now: now, zone: zone)))
      return
    }
    setMute(.off, &effects)
    notice = Notice(.success, "Do not disturb is off, on every device.")
  }

  private mutating func setMute(_ mute: Mute, _ effects: inout [Effect]) {
    var change = AppSettingsChange()
    change.mute = mute
    for account in attention.everyApp.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      let operation = Operation(
        id: ids.next(at: now), target: .app(AppSettings.everyApp), mutation: .configure(change))
      effects.append(.change(.perform(account: account, operations: [operation])))
      attention.everyApp[account]?.mute = mute
    }
  }

  mutating func choose(_ menu: QuietState, _ index: Int, _ effects: inout [Effect]) {
    closeOverlay()
    guard menu.choices.indices.contains(index) else { return }
    let mute = menu.choices[index].mute
    guard mute.end.map({ $0 > now }) ?? true else {
      return say("That time has passed. Nothing was done.")
    }
    guard !attention.everyApp.isEmpty else { return say("Your settings are still loading.") }
    setMute(mute, &effects)
    let until = mute.end.map { " until " + timeText.full($0) } ?? SafeText.empty
    notice = Notice(
      .success,
      "Do not disturb" + until + ", on every device. " + keyHint(.doNotDisturb) + " turns it off")
  }
}
