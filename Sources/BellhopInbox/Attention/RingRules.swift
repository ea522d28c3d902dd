package import BellhopModel
package import BellhopText

/// A new item in the tray that this process has been granted to announce (SYNC-16).
package struct Announcement: Hashable, Sendable {
  /// The app's host and its display name.
  package var app: String
  package var name: SafeText
  /// The title; empty if it will not be shown, because a large batch names only the most urgent
  /// items.
  package var title: SafeText
  /// The title to show while titles are hidden.
  package var hiddenTitle: SafeText
  package var priority: Priority
  /// The permissions of the app at this moment: none while it is muted.
  package var permissions: AppPermissions
  /// The way in which a focused screen presents the app's arrivals.
  package var whenFocused: FocusedPresentation
  /// The sound that the app chose: `default`, `none`, or the name of a sound; nil for the default.
  package var sound: String?
  /// Whether the item is still open; items that left the tray before the announcement are skipped.
  package var isInTray: Bool

  package init(
    app: String, name: SafeText, title: SafeText, hiddenTitle: SafeText? = nil,
    priority: Priority, permissions: AppPermissions = AppPermissions(),
    whenFocused: FocusedPresentation = .list,
    sound: String? = nil, isInTray: Bool = true
  ) {
    self.app = app
    self.name = name
    self.title = title
    self.hiddenTitle = hiddenTitle ?? HiddenTexts(nil).title(title)
    self.priority = priority
    self.permissions = permissions
    self.whenFocused = whenFocused
    self.sound = sound
    self.isInTray = isInTray
  }

  /// The announcement without a title that is hidden.
  package var withHiddenTitle: Announcement {
    var hidden = self
    if !title.isEmpty { hidden.title = hiddenTitle }
    return hidden
  }
}

/// The means by which a level can request attention.
package struct RingMethods: OptionSet, Hashable, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The terminal's bell.
  package static let bell = RingMethods(rawValue: 1)
  /// A desktop notification.
  package static let desktop = RingMethods(rawValue: 2)
  /// The configured command that plays a sound.
  package static let sound = RingMethods(rawValue: 4)
}

/// The focus of the terminal and the silence in effect when items arrive.
package struct RingMoment: Hashable, Sendable {
  package enum Focus: Hashable, Sendable {
    /// The user is looking at the screen, where new rows are visible.
    case focused
    case unfocused
    /// The terminal does not report focus, or there is no screen.
    case unknown
  }

  package var focus: Focus
  package var silence: Silence
  /// Whether the items arrived together during absence: at the start, or after sleep.
  package var isReturn: Bool

  package init(focus: Focus, silence: Silence = .none, isReturn: Bool = false) {
    self.focus = focus
    self.silence = silence
    self.isReturn = isReturn
  }
}

/// A text for a desktop notification, or for the command that plays a sound.
package struct RingNote: Hashable, Sendable {
  package var title: SafeText
  package var body: SafeText
  package var isUrgent: Bool
  /// The name of the sound; nil for the default.
  package var sound: String?
}

/// The signals for new items.
///
/// New rows stand out in the list even without any of them.
package struct Ring: Hashable, Sendable {
  package var bell = false
  /// The desktop notifications; a single one for a large batch.
  package var notes: [RingNote] = []
  /// The text for the sound command; nil for no sound.
  package var sound: RingNote?
  /// A line for the user who has returned, or whose screen has the focus.
  package var line: SafeText?

  package init() {}

  /// Whether there is no signal outside of the list.
  package var isSilent: Bool { !bell && notes.isEmpty && sound == nil }
}

/// The user's rules for each level.
///
/// The decision is pure; the screen and the agent share it.
package struct RingRules: Hashable, Sendable {
  /// The means by level; a missing level requests no attention.
  package var means: [Priority: RingMethods]
  /// Whether urgent items also ring during do not disturb and quiet hours.
  package var urgentPasses: Bool

  /// The number of items from which all share one ring (SYNC-16: more than five).
  static let sharedRingMin = 6

  package init(means: [Priority: RingMethods] = Self.standardMeans, urgentPasses: Bool = false) {
    self.means = means
    self.urgentPasses = urgentPasses
  }

  /// The default means: high rings the bell, urgent also shows on the desktop, others are silent.
  package static let standardMeans: [Priority: RingMethods] = [
    .high: [.bell, .sound], .urgent: [.bell, .desktop, .sound],
  ]

  /// Decides the signals for `news`, which were claimed together.
  package func ring(for news: [Announcement], at moment: RingMoment) -> Ring {
    var news = news.filter(\.isInTray)
    var ring = Ring()
    guard !news.isEmpty else { return ring }
    if moment.isReturn { ring.line = NewsCount(news).summary(isReturn: true) }
    if moment.focus == .focused {
      guard !moment.isReturn else { return ring }
      ring.line = line(for: news, moment.silence)
      news = news.filter { $0.whenFocused == .ring }
    }
    let ringing = news.map { (item: $0, means: means(for: $0, moment.silence)) }
      .filter { !$0.means.isEmpty }
    ring.bell = ringing.contains { $0.means.contains(.bell) }
    let shown = ringing.filter { $0.means.contains(.desktop) }.map(\.item)
    if !shown.isEmpty {
      ring.notes =
        moment.isReturn || news.count >= Self.sharedRingMin
        ? [Self.note(onAll: news, isReturn: moment.isReturn)] : shown.map(Self.note)
    }
    let sounding = ringing.filter { $0.means.contains(.sound) }.map(\.item)
    if let first = Self.mostUrgent(sounding) {
      ring.sound =
        news.count >= Self.sharedRingMin || moment.isReturn
        ? Self.note(onAll: news, isReturn: moment.isReturn) : Self.note(first)
    }
    return ring
  }

  /// Returns the line that a focused screen shows for items whose app asks for it.
  private func line(for news: [Announcement], _ silence: Silence) -> SafeText? {
    let shown = news.filter {
      $0.whenFocused != .list && $0.permissions.alert && silence == Silence.none
    }
    guard let first = Self.mostUrgent(shown) else { return nil }
    if shown.count > 1 || first.title.isEmpty { return NewsCount(shown).summary(isReturn: false) }
    return first.name + ": " + first.title
  }

  private func means(for item: Announcement, _ silence: Silence) -> RingMethods {
    if silence != .none, !(urgentPasses && item.priority == .urgent) { return [] }
    var means = means[item.priority] ?? []
    if !item.permissions.alert { means.remove(.desktop) }
    if !item.permissions.sound || item.sound == "none" { means.subtract([.bell, .sound]) }
    return means
  }

  // MARK: - Words

  private static func note(onAll news: [Announcement], isReturn: Bool) -> RingNote {
    let first = mostUrgent(news)
    let line = first.map { $0.title.isEmpty ? SafeText.empty : $0.name + ": " + $0.title }
    return RingNote(
      title: NewsCount(news).summary(isReturn: isReturn), body: line ?? .empty,
      isUrgent: news.contains { $0.priority == .urgent }, sound: first?.sound)
  }

  private static func note(_ item: Announcement) -> RingNote {
    RingNote(
      title: item.name, body: item.title, isUrgent: item.priority == .urgent, sound: item.sound)
  }

  /// Returns the first item of the highest level.
  private static func mostUrgent(_ items: [Announcement]) -> Announcement? {
    items.reduce(nil) { best, item in
      guard let best, best.priority >= item.priority else { return item }
      return best
    }
  }
}

/// The number of new items, without the items.
struct NewsCount: Hashable, Sendable {
  private(set) var items = 0
  private(set) var urgent = 0
  private var apps: Set<String> = []
  private var name = SafeText.empty

  /// The maximum number of apps that are counted separately.
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

  /// Summarises the news: `37 from 5 apps while you were away, 2 urgent`.
  func summary(isReturn: Bool) -> SafeText {
    let whose: SafeText = apps.count == 1 ? name : SafeText("\(apps.count.grouped) apps")
    var text = SafeText(items.grouped) + " from " + whose
    if isReturn { text += " while you were away" }
    if urgent > 0 { text += SafeText(", \(urgent.grouped) urgent") }
    return text
  }
}
