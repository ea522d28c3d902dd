internal import BellhopInbox
internal import BellhopModel
internal import BellhopSync
internal import BellhopText

/// The recent events between this device and its store, for the user to view.
///
/// The number is limited: the oldest are dropped.
struct SyncLog {
  /// The notes, newest first.
  private(set) var notes: [ActivityReport.Note] = []
  private var last: EngineStatus?
  /// Whether the newest note reports that everything is synchronised. The next such note replaces
  /// it.
  private var isInStep = false

  /// Adds a note about the connection to the store.
  mutating func take(_ status: EngineStatus, at now: Timestamp) {
    let before = last
    last = status
    if before.map({ Self.kind($0.connection) }) != Self.kind(status.connection) {
      add(Self.words(status.connection), isProblem: Self.isProblem(status.connection), at: now)
    }
    if let problem = status.problem, problem != before?.problem {
      add(SafeText(problem), isProblem: true, at: now)
    }
    if let synced = status.lastSync, synced != before?.lastSync {
      if isInStep { notes.removeFirst() }
      add("up to date", at: synced)
      isInStep = true
    }
  }

  /// Adds a note about new items.
  mutating func take(_ news: [Announcement], at now: Timestamp) {
    var names: [SafeText] = []
    for name in news.map(\.name) where !names.contains(name) { names.append(name) }
    let shown = names.prefix(3).map(\.string).joined(separator: ", ")
    add(
      SafeText("\(news.count) new from \(shown)" + (names.count > 3 ? " and others" : "")), at: now)
  }

  /// Adds a note about changes that had no effect.
  mutating func takeRejected(_ count: Int, at now: Timestamp) {
    add(
      SafeText(count.counted("change") + " did not apply"),
      isProblem: true, at: now)
  }

  private mutating func add(_ text: SafeText, isProblem: Bool = false, at time: Timestamp) {
    isInStep = false
    notes.insert(ActivityReport.Note(at: time, text: text, isProblem: isProblem), at: 0)
    if notes.count > ActivityReport.notesMax { notes.removeLast() }
  }

  /// Returns the kind of the state without its numbers. Only a new kind gets a note.
  private static func kind(_ connection: ConnectionState) -> Int {
    switch connection {
    case .connecting: 0
    case .live: 1
    case .polling: 2
    case .firstSync: 3
    case .offline: 4
    case .signInAgain, .signedOut: 5
    }
  }

  private static func isProblem(_ connection: ConnectionState) -> Bool {
    switch connection {
    case .offline, .signInAgain, .signedOut: true
    case .connecting, .live, .polling, .firstSync: false
    }
  }

  private static func words(_ connection: ConnectionState) -> SafeText {
    switch connection {
    case .connecting: "connecting"
    case .live: "live: changes arrive as they happen"
    case .polling(let interval): SafeText("polling every \(interval.components.seconds) s")
    case .firstSync: "first synchronisation"
    case .offline: "offline: changes are saved"
    case .signInAgain, .signedOut: "signed out: changes are saved"
    }
  }
}
