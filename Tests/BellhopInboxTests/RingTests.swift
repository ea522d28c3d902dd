import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Ringing")
struct RingTests {
  private static func news(
    _ priority: Priority, app: String = "ci", permissions: AppPermissions = AppPermissions(),
    isInTray: Bool = true, title: SafeText = "build failed",
    whenFocused: FocusedPresentation = .list, sound: String? = nil
  ) -> Announcement {
    Announcement(
      app: app, name: SafeText(app), title: title, priority: priority, permissions: permissions,
      whenFocused: whenFocused, sound: sound, isInTray: isInTray)
  }

  private static func crowd(_ count: Int, _ priority: Priority = .high) -> [Announcement] {
    (0..<count).map { news(priority, app: "app\($0 % 3)", title: SafeText("item \($0)")) }
  }

  private static let urgentPasses = RingRules(urgentPasses: true)

  /// A case of the table: its input, and the bell, notes and sound that result.
  struct Case: CustomTestStringConvertible {
    var testDescription: String
    var news: [Announcement]
    var moment = RingMoment(focus: .unfocused)
    var rules = RingRules()
    var bell = false
    var notes = 0
    var sound = false
  }

  private static let hours: Silence =
    LocalTime("07:00").map { Silence.quietHours(to: $0) } ?? Silence.none
  private static let mute = AppPermissions(alert: false, sound: false)

  static let cases: [Case] = [
    Case(testDescription: "nothing", news: []),
    Case(testDescription: "normal is silent", news: [news(.normal), news(.low), news(.min)]),
    Case(testDescription: "high is one bell", news: [news(.high)], bell: true, sound: true),
    Case(
      testDescription: "several high ones are one bell", news: crowd(5), bell: true, sound: true),
    Case(
      testDescription: "urgent is bell and desktop", news: [news(.urgent)], bell: true, notes: 1,
      sound: true),
    Case(
      testDescription: "a few urgent ones are named each", news: crowd(5, .urgent), bell: true,
      notes: 5, sound: true),
    Case(
      testDescription: "many are one", news: crowd(37, .urgent), bell: true, notes: 1, sound: true),
    Case(
      testDescription: "a terminal that does not tell its focus rings", news: [news(.high)],
      moment: RingMoment(focus: .unknown), bell: true, sound: true),
    Case(
      testDescription: "a focused one only shows", news: [news(.urgent)],
      moment: RingMoment(focus: .focused)),
    Case(
      testDescription: "a focused one rings for an app that may",
      news: [news(.urgent, app: "nas"), news(.high, whenFocused: .ring)],
      moment: RingMoment(focus: .focused), bell: true, sound: true),
    Case(
      testDescription: "a focused one does not ring for what came before",
      news: [news(.urgent, whenFocused: .ring)],
      moment: RingMoment(focus: .focused, isReturn: true)),
    Case(
      testDescription: "the sound none is silent", news: [news(.urgent, sound: "none")], notes: 1),
    Case(
      testDescription: "what was handled elsewhere is passed over",
      news: [news(.urgent, isInTray: false)]),
    Case(
      testDescription: "a muted app is silent", news: [news(.urgent, permissions: mute)]),
    Case(
      testDescription: "without alert there is no banner",
      news: [news(.urgent, permissions: AppPermissions(alert: false))], bell: true, sound: true),
    Case(
      testDescription: "without sound there is only the banner",
      news: [news(.urgent, permissions: AppPermissions(sound: false))], notes: 1),
    Case(
      testDescription: "the loud app is heard beside the muted one",
      news: [news(.urgent, permissions: mute), news(.high, app: "nas")], bell: true, sound: true),
    Case(
      testDescription: "do not disturb", news: [news(.high), news(.urgent)],
      moment: RingMoment(focus: .unfocused, silence: .doNotDisturb(until: nil))),
    Case(
      testDescription: "quiet hours", news: [news(.high), news(.urgent)],
      moment: RingMoment(focus: .unfocused, silence: hours)),
    Case(
      testDescription: "urgent passes do not disturb where it may",
      news: [news(.high), news(.urgent)],
      moment: RingMoment(focus: .unfocused, silence: .doNotDisturb(until: nil)),
      rules: urgentPasses, bell: true, notes: 1, sound: true),
    Case(
      testDescription: "urgent passes quiet hours where it may", news: [news(.urgent)],
      moment: RingMoment(focus: .unknown, silence: hours), rules: urgentPasses, bell: true,
      notes: 1, sound: true),
    Case(
      testDescription: "high never passes", news: [news(.high)],
      moment: RingMoment(focus: .unfocused, silence: hours), rules: urgentPasses),
    Case(
      testDescription: "a level does what the person wants", news: [news(.normal)],
      rules: RingRules(means: [.normal: .desktop]), notes: 1),
    Case(
      testDescription: "after an absence there is one", news: crowd(3, .urgent),
      moment: RingMoment(focus: .unfocused, isReturn: true), bell: true, notes: 1, sound: true),
  ]

  @Test("each case of the table rings as it says", arguments: cases)
  func decision(_ wanted: Case) {
    let ring = wanted.rules.ring(for: wanted.news, at: wanted.moment)
    #expect(ring.bell == wanted.bell)
    #expect(ring.notes.count == wanted.notes)
    #expect((ring.sound != nil) == wanted.sound)
    #expect(ring.isSilent == (!wanted.bell && wanted.notes == 0 && !wanted.sound))
  }

  @Test("a pull with more than five new items rings once")
  func crowdRingsOnce() throws {
    let news = Self.crowd(35, .high) + [Self.news(.urgent, app: "nas", title: "disk fails")]
    let ring = RingRules().ring(for: news, at: RingMoment(focus: .unfocused))
    #expect(ring.bell)
    #expect(ring.notes.map(\.title.string) == ["36 from 4 apps, 1 urgent"])
    #expect(ring.notes.map(\.body.string) == ["nas: disk fails"])
    #expect(ring.notes.map(\.isUrgent) == [true])
    #expect(ring.sound == ring.notes.first)
    let few = RingRules().ring(
      for: Self.crowd(5, .urgent), at: RingMoment(focus: .unfocused))
    #expect(few.notes.map(\.body.string) == (0..<5).map { "item \($0)" })
  }

  @Test("a focused screen names the item in a line, for an app that may, and not in silence")
  func focusedLine() {
    func line(_ news: [Announcement], _ silence: Silence = .none) -> SafeText? {
      RingRules().ring(for: news, at: RingMoment(focus: .focused, silence: silence)).line
    }
    let one = Self.news(.normal, whenFocused: .line)
    #expect(line([one, Self.news(.urgent, app: "nas")]) == "ci: build failed")
    #expect(line([Self.news(.normal, whenFocused: .ring)]) == "ci: build failed")
    #expect(line([one, one]) == "2 from ci")
    #expect(line([Self.news(.urgent)]) == nil)
    #expect(line([one], .doNotDisturb(until: nil)) == nil)
    let mute = Self.news(.urgent, permissions: Self.mute, whenFocused: .line)
    #expect(line([mute]) == nil)
  }

  @Test("a sound that an app names reaches the program that makes it")
  func namedSound() {
    let ring = RingRules().ring(
      for: [Self.news(.high, sound: "alarm")], at: RingMoment(focus: .unfocused))
    #expect(ring.sound?.sound == "alarm")
  }

  @Test("after an absence one line shows how much came")
  func absence() {
    let news =
      (0..<35).map { Self.news(.normal, app: "app\($0 % 5)") }
      + [Self.news(.urgent, app: "app1"), Self.news(.urgent, app: "app2")]
    let moment = RingMoment(focus: .focused, isReturn: true)
    let ring = RingRules().ring(for: news, at: moment)
    #expect(ring.line == "37 from 5 apps while you were away, 2 urgent")
    #expect(ring.isSilent)
    let one = RingRules().ring(for: [Self.news(.normal, app: "nas")], at: moment)
    #expect(one.line == "1 from nas while you were away")
  }

  @Test("untrusted text is made safe")
  func hostileText() {
    let title = SafeText("\u{1B}]0;owned\u{07}\u{202E}gnp.exe\u{85}")
    let ring = RingRules().ring(
      for: [Self.news(.urgent, title: title)], at: RingMoment(focus: .unfocused))
    for note in ring.notes {
      let scalars = (note.title.string + note.body.string).unicodeScalars
      #expect(
        scalars.allSatisfy {
          $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0 != "\u{202E}"
        })
    }
  }

  // MARK: - On the screen

  private static let account = AccountName("home")

  private static func desk() -> InboxDesk {
    var desk = InboxDesk(width: 100, height: 24)
    desk.start()
    desk.arrive("build 1")
    desk.send(.account(.attention(AppSettings(app: AppSettings.everyApp), of: account)))
    desk.forgetActs()
    return desk
  }

  private static func rings(_ desk: InboxDesk) -> [Ring] {
    desk.acts.compactMap { if case .terminal(.ring(let ring)) = $0 { ring } else { nil } }
  }

  @Test("the screen rings unless it has the focus, and shows what came when the user returns")
  func focus() {
    var desk = Self.desk()
    desk.send(.account(.announced([Self.news(.high)], of: Self.account, isReturn: false)))
    #expect(Self.rings(desk).count == 1, "its focus is unknown")
    desk.send(.focusChanged(true))
    desk.forgetActs()
    desk.send(.account(.announced([Self.news(.urgent)], of: Self.account, isReturn: false)))
    #expect(Self.rings(desk).isEmpty)
    desk.send(.focusChanged(false))
    desk.forgetActs()
    desk.send(.account(.announced([Self.news(.high)], of: Self.account, isReturn: false)))
    desk.send(
      .account(.announced([Self.news(.urgent, app: "nas")], of: Self.account, isReturn: false)))
    #expect(Self.rings(desk).count == 2)
    #expect(desk.state.notice == nil)
    desk.send(.focusChanged(true))
    #expect(desk.state.notice?.text == "2 from 2 apps while you were away, 1 urgent")
    desk.press("j")
    desk.send(.focusChanged(true))
    #expect(desk.state.notice == nil, "told once")
  }

  @Test("opening the screen shows what came, and nothing rings")
  func start() {
    var desk = Self.desk()
    desk.send(.account(.announced(Self.crowd(7, .urgent), of: Self.account, isReturn: true)))
    #expect(Self.rings(desk).isEmpty)
    #expect(desk.state.notice?.text == "7 from 3 apps while you were away, 7 urgent")
  }

  @Test("! asks for how long, applies to every device, and ! again ends it")
  func doNotDisturb() throws {
    var desk = Self.desk()
    desk.press("!")
    #expect(desk.frame.glyphs.contains("until I turn it off"))
    desk.press("1")
    let performed = desk.acts.compactMap { effect -> (AccountName, [BellhopModel.Operation])? in
      guard case .change(.perform(let account, let operations, nil)) = effect else { return nil }
      return (account, operations)
    }
    let (account, operations) = try #require(performed.first)
    #expect(account == Self.account && operations.map(\.target) == [.app("*")])
    let until = desk.now.advanced(by: .seconds(3600))
    var change = AppSettingsChange()
    change.mute = .until(until)
    #expect(operations.map(\.mutation) == [.configure(change)])
    #expect(desk.frame.glyphs.contains("do not disturb until 07:14"))
    desk.forgetActs()
    desk.send(.focusChanged(false))
    desk.send(.account(.announced([Self.news(.urgent)], of: Self.account, isReturn: false)))
    #expect(Self.rings(desk).isEmpty)
    desk.wait(.seconds(3600))
    #expect(!desk.frame.glyphs.contains("do not disturb until"))
    desk.send(.account(.announced([Self.news(.urgent)], of: Self.account, isReturn: false)))
    #expect(Self.rings(desk).count == 1)

    desk.press("! k Enter")
    #expect(desk.state.attention.everyApp[Self.account]?.mute == .forever)
    desk.press("!")
    #expect(desk.state.attention.everyApp[Self.account]?.mute == .off)
    desk.press("! Esc")
    #expect(desk.state.overlay.isNone)
    #expect(desk.state.attention.everyApp[Self.account]?.mute == .off)
  }

  @Test("another device's setting applies here, with quiet hours in this screen's time zone")
  func elsewhere() throws {
    var desk = Self.desk()
    let hours = QuietHours(
      from: try #require(LocalTime("22:00")),
      to: try #require(LocalTime("07:00")))
    desk.state.use(RingRules(), wallClock: WallClock { _, _ in 3600 })
    desk.send(
      .account(
        .attention(
          AppSettings(app: AppSettings.everyApp, quietHours: hours), of: Self.account)))
    // It is 06:14 in the morning.
    #expect(desk.frame.glyphs.contains("quiet until 07:00"))
    desk.send(.account(.announced([Self.news(.urgent)], of: Self.account, isReturn: false)))
    #expect(Self.rings(desk).isEmpty)
  }

  @Test("an urgent item that arrives out of sight is named in the last line")
  func urgentOutOfSight() {
    var desk = InboxDesk(width: 80, height: 24)
    for number in 1...60 { desk.arrive("item \(number)") }
    desk.start()
    let fire = Self.news(.urgent, app: "nas", title: "server room on fire")
    func announce(_ news: Announcement) {
      desk.send(.account(.announced([news], of: ItemShelf.account, isReturn: false)))
    }
    announce(fire)
    #expect(desk.state.notice == nil, "the top of the tray is seen")
    desk.press("G")
    announce(Self.news(.high))
    #expect(desk.state.notice == nil)
    announce(Self.news(.urgent, permissions: AppPermissions(alert: false)))
    #expect(desk.state.notice == nil, "the app may not alert")
    announce(fire)
    #expect(desk.frame.glyphs.contains("‼ server room on fire (nas)"))
  }
}
