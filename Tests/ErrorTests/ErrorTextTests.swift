import BellhopCache
import BellhopIdentity
import BellhopKit
import BellhopModel
import BellhopNetwork
import BellhopOutbound
import BellhopScreen
import BellhopSettings
import BellhopStore
import BellhopTerminal
import BellhopTestSupport
import BellhopText
import BellhopThemes
import BellhopTime
import BellhopWire
import Testing

@testable import BellhopClient
@testable import BellhopCommands
@testable import BellhopInbox
@testable import BellhopServer
@testable import BellhopShell
@testable import BellhopSync

/// Every error text that can reach a user, for each case of each type.
@Suite("Error texts")
struct ErrorTextTests {
  private static let now = Timestamp(seconds: 1_800_000_000)

  /// Prints a text and checks it.
  private func check(_ text: String, of what: Any.Type, _ place: SourceLocation = #_sourceLocation)
  {
    print("\(what): \(text)")
    #expect(TextRules.flaws(in: text) == [], "\(text)", sourceLocation: place)
  }

  private func check(_ error: ClientError) {
    check(error.description, of: ClientError.self)
  }

  /// Checks the texts of all samples: the error's own, and the one that a command prints.
  private func check<Failure: Sampled & ExplainedError>(allOf type: Failure.Type) {
    for error in type.samples {
      check(error.description.sentence, of: type)
      check(ClientError(explaining: error))
    }
    #expect(Set(type.samples.map { "\($0)" }).count == type.samples.count, "\(type)")
  }

  @Test("errors of the network, of the store and of the sign-in have good texts")
  func network() {
    check(allOf: NetworkError.self)
    check(allOf: TransportError.self)
    check(allOf: WireError.self)
    check(allOf: FeedError.self)
    check(allOf: ProviderError.self)
    for error in TransportError.samples {
      check(Commands.notSignedIn(error))
      check(Commands.notPublished(error))
      check(Commands.refused(error, "No token was created"))
    }
    for failure in SignInError.samples { check(SignInDialogue.error(failure)) }
  }

  @Test("errors of the cache, of locks, folders and the terminal have good texts")
  func machine() throws {
    check(allOf: CacheError.self)
    for error in TerminalError.samples { check(error.description, of: TerminalError.self) }
    let lock = EngineLock(path: "/nonexistent/lock")
    let locked = #expect(throws: EngineLock.LockError.self) { try lock.tryLock() }
    check(ClientError(explaining: try #require(locked)))
    let nudge = #expect(throws: NudgeSocket.SocketError.self) {
      try NudgeSocket(directory: "/proc/x")
    }
    check(ClientError(explaining: try #require(nudge)))
    try TemporaryFolder.with { folder in
      let unsafe = FolderSafety.UnsafeFolderError.samples(path: folder)
      for risk in unsafe {
        check(risk.description, of: FolderSafety.UnsafeFolderError.self)
        check(risk.fix, of: FolderSafety.UnsafeFolderError.self)
      }
    }
    // Readable by all, no file, and no place for one.
    for path in ["/proc/version", "/proc", "/proc/none"] {
      let found = #expect(throws: ClientError.self) {
        if path == "/proc/none" { try PrivateFile.write("text", to: path) }
        _ = try PrivateFile.read(path)
      }
      check(try #require(found))
    }
    check(ClientError(explaining: CancellationError()))
  }

  @Test("errors of actions have good texts on the screen")
  func actions() throws {
    let runner = ActionCaller.self
    let url = try OutboundURL("https://ci.example.com/run")
    for failure in OutboundError.samples {
      for reachesPrivate in [false, true] {
        let words =
          switch runner.outcome(of: failure, url, reachesPrivate: reachesPrivate) {
          case .answered: ""
          case .refused(let reason): "Not sent: \(reason.string)"
          case .failed(let reason, _): reason.string.sentence
          }
        check(words, of: OutboundError.self)
      }
      check(failure.words.sentence, of: OutboundError.self)
    }
  }

  @Test("errors of bellhopd have good texts")
  func store() {
    for error in StoreError.samples { check(error.description.sentence, of: StoreError.self) }
    for error in ServerError.samples { check(error.description, of: ServerError.self) }
    for refusal in AdminError.samples {
      check(refusal.description.sentence, of: AdminError.self)
    }
  }

  @Test(
    "invalid filters have good texts",
    arguments: [
      "nosuch:x", "app:", "is:lost", "prio:>=loud", "prio:", "after:soonish", "before:",
      "-on:today",
      "on:2h", "on:someday", String(repeating: "tag:a ", count: 40),
    ])
  func filters(text: String) {
    let phrase = FilterPhrase(now: Self.now, zone: .utc)
    guard case .failure(let problem) = phrase.filter(text) else {
      Issue.record("\(text) is understood")
      return
    }
    check(problem.description, of: FilterPhrase.SyntaxError.self)
    if let brief = problem.brief { check(brief, of: FilterPhrase.SyntaxError.self) }
  }

  @Test(
    "invalid conditions of rules have good texts",
    arguments: [
      "", "nosuch:x", "is:unread", "after:fri", "before:2h", "on:today", "app:", "level:", "tag:,",
      "level:loud", "title:x", "app~/x/", "level~/x/", "nosuch~/x/", "title~/x", "title~/x/i",
      "title~/(x/", "title~//", "\"\"", "- x", String(repeating: "w", count: 200),
      String(repeating: "a ", count: 20), "tag:" + String(repeating: "a,", count: 20),
      "tag:" + String(repeating: "t", count: 300),
    ])
  func conditions(text: String) {
    guard case .failure(let problem) = RulePhrase().condition(text) else {
      Issue.record("\(text) is understood")
      return
    }
    check(problem.description, of: FilterPhrase.SyntaxError.self)
    if let brief = problem.brief { check(brief, of: FilterPhrase.SyntaxError.self) }
  }

  @Test(
    "invalid times have good texts",
    arguments: [
      "tomorow", "", "fri sat", "9:00 10:00", "31 feb", "in 3 days ago", "2h monday", "20 years",
      "2h 9:00", "2020-01-01T00:00:00Z", "ago", "next", String(repeating: "x", count: 200),
    ])
  func times(text: String) {
    guard case .failure(let problem) = WhenPhrase(now: Self.now, zone: .utc).instant(text) else {
      Issue.record("\(text) is understood")
      return
    }
    check(problem.description, of: WhenPhrase.SyntaxError.self)
  }

  @Test(
    "invalid regular expressions have good texts",
    arguments: [
      "", "(?i)", "(a", "a)", "*", "a|?", "^*", "a**", "a*?", "a*+", "a{", "a{65}", "a{3,2}", "[]",
      "[a", "[a-b-c]", "[z-a]", "[\\d-x]", "[[a]]", "[[:alpha:]]", "\\", "\\é", "\\1", "\\b", "\\B",
      "\\A", "\\z", "\\G", "\\p{L}", "\\R", "\\X", "\\Qa\\E", "\\u00e9", "\\x{zz}", "\\y", "(?=a)",
      "(?<!a)", "(?>a)", "(?<n>a)", "(?P=n)", "(?R)", "(?(1)a)", "(?|a)", "(?#a)", "(?s)a", "a(?i)",
      "(a{64}){64}", String(repeating: "a", count: 300),
    ])
  func expressions(text: String) throws {
    let error = #expect(throws: RegularExpression.SyntaxError.self) {
      try RegularExpression(text)
    }
    check(try #require(error).description, of: RegularExpression.SyntaxError.self)
  }

  @Test(
    "invalid app settings have good texts",
    arguments: [
      (AppSetting.retention, "soon"), (.retention, "4000d"), (.aliases, "a b/c"),
      (.aliases, (1...20).map { "a\($0)" }.joined(separator: " ")),
      (.name, String(repeating: "n", count: 300)), (.quietHours, "22"),
      (.quietHours, "22:00-07:00 funday"),
    ])
  func appSettings(setting: AppSetting, text: String) {
    let change = setting.change(from: text, settings: AppSettings(app: "ci")) { _ in false }
    guard case .failure(let problem) = change else {
      Issue.record("\(text) is understood")
      return
    }
    check(problem.text.string, of: AppSetting.ValueError.self)
  }

  @Test("every setting of the client and of the store refuses values of the wrong type")
  func settings() {
    for setting in Configuration.schema.settings {
      let error = #expect(throws: ClientError.self) {
        try Configuration(text: "\(setting.path) = 1979-05-27\n", path: "/home/alice/config.toml")
      }
      if let error { check(error) }
    }
    let tables = """
      nosuch = 1
      mous = 2
      [actions]
      all = 1
      allow-private = 2
      [ring]
      loud = 1
      xyzzy = 2
      high = 3
      [keys]
      dismis = "d"
      nosuch = "d"
      read = 3
      [[view]]
      name = 3
      list = 4
      color = 5
      """
    let findings = ConfigurationFile(text: tables, path: "c.toml").findings
    #expect(findings.count == 14)
    for finding in findings {
      check("Config.toml, " + finding.words, of: SettingError.self)
    }
    for text in ["listn = 1", "listen = []\n[server]\nbody-bytes = 5", "a = [", "tls = 5"] {
      for finding in StoreSettings.read(text, version: "0").findings {
        check("Bellhopd.toml, " + finding.words, of: SettingError.self)
      }
    }
  }

  @Test(
    "invalid files of rules have good texts",
    arguments: [
      "rule = 1", "[rule]", "[[rule]]", "nosuch = 1", "[[rule]]\nname = 1\nwhen = 2\nid = 3",
      "[[rule]]\nname = \"a\"\nwhen = 'app:ci'", "[[rule]]\nname = \"a\"\nwhen = 'is:read'",
      "[[rule]]\nlevel = 1\nsilent = 1\nsnooze = 1\ntags = 1\ngroup = 1\nmove-to = 1\ncollapse = 1",
      "[[rule]]\nnosuch = 1\ntime-zone = 1", "[[rule]]\nname",
      String(
        repeating: "[[rule]]\nname = 'a'\nwhen = 'a'\npin = true\n"
          + "id = '0198c0de-0000-7000-8000-000000000001'\n", count: 2),
    ])
  func rules(text: String) throws {
    let error = #expect(throws: ClientError.self) {
      try RuleFile.entries(text, path: "rules.toml")
    }
    check(try #require(error))
  }

  @Test("invalid keys in the configuration have good texts")
  func keys() {
    func sample(after last: Keymap.Problem?) -> Keymap.Problem? {
      let keys = KeySequence(keys: [.character("d")])
      return switch last {
      case nil: .unknownKey("Hyper-x", command: .dismiss)
      case .unknownKey: .conflict(keys, kept: .toggleRead, refused: .dismiss)
      case .conflict: .shadowed(keys, by: keys, command: .dismiss)
      case .shadowed: .unsafeKey(keys, .dismiss)
      case .unsafeKey: .keyless(.dismiss, lost: keys, to: .toggleRead, free: keys)
      case .keyless(_, _, _, .some): .keyless(.dismiss, lost: keys, to: .toggleRead, free: nil)
      case .keyless(_, _, _, nil): nil
      }
    }
    var last = sample(after: nil)
    while let problem = last {
      check("Config.toml, line 4: " + problem.words, of: Keymap.Problem.self)
      last = sample(after: problem)
    }
  }

  @Test(
    "invalid TOML has good texts",
    arguments: [
      "a = \"x", "a = [1", "a = {b = 1", "a", "a =", "= 1", "a b = 1", "a = nord", "a = on",
      "a = 007", "a = 1 2", "a = \"x\" y", "a = \"\\d\"", "[a", "[]", "[a] b", "a = 1\na = 2",
      "a = [,]",
      "a = [1 2]", "a = 'x",
    ])
  func syntax(text: String) {
    let file = ConfigurationFile(text: text, path: "/home/alice/config.toml")
    if let error = file.failure { check(error) } else { Issue.record("\(text) is understood") }
  }

  @Test(
    "invalid themes have good texts",
    arguments: [
      "nam = 1", "name = 3", "roles = 3", "[roles]\nnosuch = { fg = \"red\" }",
      "[roles]\ntext = 3", "[roles]\ntext = { fg = \"reddish\" }", "[roles]\ntext = { bold = 1 }",
      "[roles]\ntext = { size = 1 }", "inherit = \"nosuch\"", "name = ", "background = \"darkish\"",
    ])
  func themes(text: String) throws {
    try TemporaryFolder.with { folder in
      let file = folder + "/mine.toml"
      try PrivateFile.write(text, to: file)
      let error = #expect(throws: ThemeError.self) { try Theme.load(file, searchPath: []) }
      if let error { check(error.description, of: ThemeError.self) }
    }
  }
}

extension FolderSafety.UnsafeFolderError {
  /// One risk of each kind.
  fileprivate static func samples(path: String) -> [FolderSafety.UnsafeFolderError] {
    func kind(after last: Kind?) -> Kind? {
      switch last {
      case nil: .foreign
      case .foreign: .writable
      case .writable: .notSticky
      case .notSticky: nil
      }
    }
    var risks: [FolderSafety.UnsafeFolderError] = []
    while let next = kind(after: risks.last?.kind) {
      risks.append(FolderSafety.UnsafeFolderError(path: path, kind: next))
    }
    return risks
  }
}
