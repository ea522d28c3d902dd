package import BellhopModel
package import BellhopText

/// Something new in the tray that this process was granted to announce (SYNC-16).
package struct Announcement: Hashable, Sendable {
  /// The app's host, and what to call it.
  package var app: String
  package var name: SafeText
  /// Empty where nobody will read it: of a crowd only the most urgent are named.
  package var title: SafeText
  package var priority: Priority
  /// What the person lets the app do at this moment: nothing while it is muted.
  package var permissions: AppPermissions
  /// Whether nobody has handled it: what left the tray before it was announced is passed over.
  package var isInTray: Bool
  /// Whether nothing of the app was here before, and nobody has decided what it may do.
  package var isNewApp: Bool

  package init(
    app: String, name: SafeText, title: SafeText, priority: Priority,
    permissions: AppPermissions = AppPermissions(), isInTray: Bool = true, isNewApp: Bool = false
  ) {
    self.app = app
    self.name = name
    self.title = title
    self.priority = priority
    self.permissions = permissions
    self.isInTray = isInTray
    self.isNewApp = isNewApp
  }
}

/// The ways in which a level can ask for attention.
package struct RingMeans: OptionSet, Hashable, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The terminal's bell.
  package static let bell = RingMeans(rawValue: 1)
  /// A notification of the desktop.
  package static let desktop = RingMeans(rawValue: 2)
  /// The command of the configuration that makes a sound.
  package static let sound = RingMeans(rawValue: 4)
}

/// Where the person is, and whether they want to hear anything.
package struct RingMoment: Hashable, Sendable {
  package enum Focus: Hashable, Sendable {
    /// The person looks at the screen: what is new stands there.
    case focused
    case unfocused
    /// The terminal does not say, or there is no screen.
    case unknown
  }

  package var focus: Focus
  package var silence: Silence
  /// Whether the news came together while nobody was there: at the start, or after sleep.
  package var isReturn: Bool

  package init(focus: Focus, silence: Silence = .none, isReturn: Bool = false) {
    self.focus = focus
    self.silence = silence
    self.isReturn = isReturn
  }
}

/// A text for a desktop notification, or for the command that makes a sound.
package struct RingNote: Hashable, Sendable {
  package var title: SafeText
  package var body: SafeText
  package var isUrgent: Bool

  package init(title: SafeText, body: SafeText, isUrgent: Bool) {
    self.title = title
    self.body = body
    self.isUrgent = isUrgent
  }
}

/// What to do about news. Nothing of it is needed for the new rows to stand out in the list.
package struct Ring: Hashable, Sendable {
  package var bell = false
  /// For the desktop; one for a crowd.
  package var notes: [RingNote] = []
  /// What the sound command is told; nil for no sound.
  package var sound: RingNote?
  /// A line for the person who is back.
  package var line: SafeText?

  package init() {}

  /// Whether nothing is to be seen or heard outside of the list.
  package var isSilent: Bool { !bell && notes.isEmpty && sound == nil }
}

/// What the person wants of each level. Deciding is pure; screen and agent do it alike.
package struct RingRules: Hashable, Sendable {
  /// A level that is not named asks for no attention.
  package var means: [Priority: RingMeans]
  /// Whether urgent items are heard during do not disturb and quiet hours too.
  package var urgentPasses: Bool

  /// From this many items on there is one ring for all of them (SYNC-16: more than five).
  static let crowd = 6

  package init(means: [Priority: RingMeans] = Self.standardMeans, urgentPasses: Bool = false) {
    self.means = means
    self.urgentPasses = urgentPasses
  }

  /// Normal is silent, high rings the bell, urgent also shows on the desktop.
  package static let standardMeans: [Priority: RingMeans] = [
    .high: [.bell, .sound], .urgent: [.bell, .desktop, .sound],
  ]

  /// What to do about `news`, which were claimed together.
  package func ring(for news: [Announcement], at moment: RingMoment) -> Ring {
    let news = news.filter(\.isInTray)
    var ring = Ring()
    guard !news.isEmpty else { return ring }
    if moment.isReturn { ring.line = NewsCount(news).summary(isReturn: true) }
    guard moment.focus != .focused else { return ring }
    let loud = news.map { (item: $0, means: means(for: $0, moment.silence)) }
      .filter { !$0.means.isEmpty }
    ring.bell = loud.contains { $0.means.contains(.bell) }
    let shown = loud.filter { $0.means.contains(.desktop) }.map(\.item)
    if !shown.isEmpty {
      ring.notes =
        moment.isReturn || news.count >= Self.crowd
        ? [Self.note(onAll: news, isReturn: moment.isReturn)] : shown.map(Self.note)
    }
    let sounding = loud.filter { $0.means.contains(.sound) }.map(\.item)
    if let first = Self.mostUrgent(sounding) {
      ring.sound =
        news.count >= Self.crowd || moment.isReturn
        ? Self.note(onAll: news, isReturn: moment.isReturn) : Self.note(first)
    }
    return ring
  }

  private func means(for item: Announcement, _ silence: Silence) -> RingMeans {
    if silence != .none, !(urgentPasses && item.priority == .urgent) { return [] }
    var means = means[item.priority] ?? []
    if !item.permissions.alert { means.remove(.desktop) }
    if !item.permissions.sound { means.subtract([.bell, .sound]) }
    return means
  }

  // MARK: - Words

  private static func note(onAll news: [Announcement], isReturn: Bool) -> RingNote {
    let first = mostUrgent(news)
    let line = first.map { $0.title.isEmpty ? SafeText.empty : $0.name + ": " + $0.title }
    return RingNote(
      title: NewsCount(news).summary(isReturn: isReturn), body: line ?? .empty,
      isUrgent: news.contains { $0.priority == .urgent })
  }

  private static func note(_ item: Announcement) -> RingNote {
    RingNote(title: item.name, body: item.title, isUrgent: item.priority == .urgent)
  }

  /// The first of the highest level.
  private static func mostUrgent(_ items: [Announcement]) -> Announcement? {
    items.reduce(nil) { best, item in
      guard let best, best.priority >= item.priority else { return item }
      return best
    }
  }
}

/// How much is new, without the items.
struct NewsCount: Hashable, Sendable {
  private(set) var items = 0
  private(set) var urgent = 0
  private var apps: Set<String> = []
  private var name = SafeText.empty

  /// Beyond these, apps are not told apart any more.
  private static let appsMax = 1000

  init(_ news: [Announcement] = []) { add(news) }

  mutating func add(_ news: [Announcement]) {
    for item in news {
      items += 1
      if item.priority == .urgent { urgent += 1 }
      if apps.count < Self.appsMax { apps.insert(item.app) }
      name = item.name
    }
  }

  /// `37 from 5 apps while you were away, 2 urgent`
  func summary(isReturn: Bool) -> SafeText {
    let whose: SafeText = apps.count == 1 ? name : SafeText("\(apps.count.grouped) apps")
    var text = SafeText(items.grouped) + " from " + whose
    if isReturn { text += " while you were away" }
    if urgent > 0 { text += SafeText(", \(urgent.grouped) urgent") }
    return text
  }
}
