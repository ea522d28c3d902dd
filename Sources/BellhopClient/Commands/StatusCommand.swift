internal import BellhopCache
internal import BellhopModel
internal import BellhopSync
internal import BellhopText

extension Commands {
  /// How long a running engine has to say how it stands.
  private static let answerLimit: Duration = .milliseconds(300)

  private struct StatusLine: Encodable {
    var account: String
    var url: String
    var tray: Int
    var unread: Int
    var snoozed: Int
    var scheduled: Int
    var kept: Int
    var waiting: Int
    /// `off`, `on` until it is turned off, or a time.
    var doNotDisturb: String
    var quiet: Bool
    var connection: String
    var problem: String?
  }

  /// `bellhop status`: counts from the cache, the connection from the running engine if there is
  /// one.
  package static func status(
    _ context: ClientContext, ofAllAccounts: Bool = false, asJSON: Bool
  ) throws {
    for (index, access) in try CacheAccess.chosen(context, all: ofAllAccounts).enumerated() {
      if index > 0, !asJSON { StandardOutput.line("") }
      try status(access, asJSON: asJSON)
    }
  }

  private static func status(_ access: CacheAccess, asJSON: Bool) throws {
    try access.turnOver()
    let totals = try access.reader().totals()
    let waiting = try access.reader().outboxCounts().unsent
    let setup = try EngineSetup(access, joinsNudges: true)
    let engine = try runBlocking { try await setup.engineStatus(within: answerLimit) }
    let attention = try Attention(access)
    let line = StatusLine(
      account: access.account.name.rawValue, url: access.account.url, tray: totals.tray.count,
      unread: totals.tray.unread, snoozed: totals.snoozed.count,
      scheduled: totals.scheduled.count,
      kept: totals.tray.count + totals.history.count + totals.snoozed.count, waiting: waiting,
      doNotDisturb: attention.word, quiet: attention.silence != .none,
      connection: engine.map { word(for: $0.connection, url: access.account.url) }
        ?? withoutEngine(access),
      problem: engine.flatMap { status in
        // Who signed the device out says it all.
        if case .signedOut = status.connection { nil } else { status.problem }
      })
    if asJSON {
      try StandardOutput.jsonLine(line)
    } else {
      StandardOutput.line(SafeText("account     \(line.account) (\(line.url))"))
      StandardOutput.line(SafeText("tray        \(line.tray), \(line.unread) unread"))
      StandardOutput.line(SafeText("later       \(line.snoozed + line.scheduled)"))
      StandardOutput.line(SafeText("kept        \(line.kept)"))
      StandardOutput.line(SafeText("ringing     \(attention.sentence)"))
      StandardOutput.line(SafeText("not sent    \(line.waiting)"))
      StandardOutput.line(
        SafeText("connection  \(line.connection)" + (line.problem.map { ": \($0)" } ?? "")))
    }
  }

  /// What is known where nobody asks the store.
  private static func withoutEngine(_ access: CacheAccess) -> String {
    let context = access.context
    let signIn = try? context.accounts.signInFile(access.account.name).load()
    guard let signIn, signIn.isOver(at: context.now()) else { return "no screen is open" }
    return word(for: .signInAgain, url: access.account.url)
  }

  private static func word(for state: ConnectionState, url: String) -> String {
    switch state {
    case .connecting: "connecting"
    case .live: "live"
    case .polling(let interval): "polling every \(interval.components.seconds) s"
    case .firstSync(let received, let total):
      "first synchronisation, \(received)" + (total.map { " of \($0)" } ?? " so far")
    case .offline(let since): "offline since \(ItemLine.localTime(since))"
    case .signInAgain: "sign in again with bellhop login \(url)"
    case .signedOut(let by, let at):
      "signed out: this device was revoked by \(by ?? "who runs the store"), "
        + "\(ItemLine.localTime(at)); bellhop login \(url)"
    }
  }
}

extension EngineSetup {
  /// What the account's engine in another process says of itself; nil when there is none, or it
  /// does not answer in time.
  func engineStatus(within limit: Duration) async throws -> EngineStatus? {
    let lock = lock()
    if try lock.tryLock() {
      lock.unlock()
      return nil
    }
    guard let nudges else { return nil }
    let answers = nudges.nudges()
    nudges.broadcast(.statusWanted)
    return try await withThrowingTaskGroup(of: EngineStatus?.self) { group in
      group.addTask {
        try await ContinuousClock().sleep(for: limit)
        return nil
      }
      group.addTask {
        for await nudge in answers {
          if case .status(let status) = nudge { return status }
        }
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }
}
