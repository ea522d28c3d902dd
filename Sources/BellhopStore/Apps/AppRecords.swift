package import BellhopModel

/// How much an app, or a user, holds in a store.
package struct StorageUse: Hashable, Sendable {
  /// Live items, expired ones that no sweep has met yet among them.
  package var items = 0
  package var tombstones = 0
  /// Of the live items' content, as ``BellhopModel/Content/storedByteCount`` counts them.
  package var bytes = 0

  package init(items: Int = 0, tombstones: Int = 0, bytes: Int = 0) {
    self.items = items
    self.tombstones = tombstones
    self.bytes = bytes
  }

  /// Items and tombstones together.
  package var rows: Int { items + tombstones }

  static func += (left: inout StorageUse, right: StorageUse) {
    left.items += right.items
    left.tombstones += right.tombstones
    left.bytes += right.bytes
  }
}

/// What a store needs to know of an app to store an item of it: all but its settings' text.
///
/// There is a record while the app has items or tombstones, and for good once it is configured.
package struct AppRecord: Hashable, Sendable {
  package var app: String
  package var use: StorageUse
  /// The settings' value.
  package var retentionDays: Int?
  package var isConfigured: Bool

  package init(
    app: String, use: StorageUse = StorageUse(), retentionDays: Int? = nil,
    isConfigured: Bool = false
  ) {
    self.app = app
    self.use = use
    self.retentionDays = retentionDays
    self.isConfigured = isConfigured
  }
}

/// An app as its user sees it.
package struct AppState: Hashable, Sendable {
  package var settings: AppSettings
  package var use: StorageUse

  package init(settings: AppSettings, use: StorageUse) {
    self.settings = settings
    self.use = use
  }
}

/// What is written down about an app by those who make and change it in Gotify's way, beside its
/// settings: no device is told of it.
package struct AppProfile: Hashable, Sendable {
  /// Some lines that a person writes in a field.
  static let descriptionBytesMax = 1024

  /// Nil where nobody has said anything, which may be nothing.
  package var description: String?
  /// Of messages that name none, as a number of Gotify's; nil for the store's own.
  package var defaultPriority: Int?

  package init(description: String? = nil, defaultPriority: Int? = nil) {
    self.description = description
    self.defaultPriority = defaultPriority
  }

  package var isEmpty: Bool { description == nil && defaultPriority == nil }

  /// The profile with what another one says in its place.
  func changed(by other: AppProfile) -> AppProfile {
    AppProfile(
      description: other.description ?? description,
      defaultPriority: other.defaultPriority ?? defaultPriority)
  }
}

/// How far the times at which an app's items leave have been computed anew, after its retention
/// changed. It is stored, so that the work goes on after a crash.
package struct RetentionPass: Hashable, Sendable {
  package var user: UserID
  package var app: String
  /// Items up to this place are done; nil at the beginning.
  package var above: ArrivalKey?

  package init(user: UserID, app: String, above: ArrivalKey? = nil) {
    self.user = user
    self.app = app
    self.above = above
  }
}

/// Reading what a store knows of apps. Part of ``StoreReading``.
package protocol AppReading: AnyObject {
  func app(_ app: String, of user: UserID) throws -> AppRecord?
  func appState(_ app: String, of user: UserID) throws -> AppState?
  /// By name.
  func appStates(of user: UserID) throws -> [AppState]
  /// Settings with a higher sequence than `after`, in sequence order.
  func appSettings(of user: UserID, after: SequenceNumber, limit: Int) throws -> [AppSettings]
  /// The app that the alias belongs to.
  func app(alias: String, of user: UserID) throws -> String?
  /// Nil where nobody wrote one.
  func profile(ofApp app: String, of user: UserID) throws -> AppProfile?
  /// By their apps.
  func profiles(of user: UserID) throws -> [String: AppProfile]
  /// Live items of the app above `key`, oldest arrival first.
  func items(
    ofApp app: String, above key: ArrivalKey?, limit: Int, of user: UserID
  ) throws -> [UserNotification]
  /// Passes that have not ended, of any user.
  func retentionPasses(limit: Int) throws -> [RetentionPass]
}

/// Writing what a store knows of apps. Part of ``StoreTransaction``.
package protocol AppWriting: AppReading {
  /// Stores how much the app holds; makes its record.
  func setUse(_ use: StorageUse, ofApp app: String, of user: UserID) throws
  /// Stores the settings; makes the app's record. Their aliases replace the ones it had.
  func put(_ settings: AppSettings, of user: UserID) throws
  /// Stores what is written down about an app that has a record; an empty profile is none.
  func put(_ profile: AppProfile, ofApp app: String, of user: UserID) throws
  /// Removes the record of an app that was never configured, and its profile.
  func removeApp(_ app: String, of user: UserID) throws
  /// Begins a pass or notes how far it is. The app has a record.
  func put(_ pass: RetentionPass) throws
  func endRetentionPass(ofApp app: String, of user: UserID) throws
  /// Begins a pass over every app, of all users, that has no retention of its own.
  func beginRetentionPasses() throws
  /// Stores when a live item leaves; nothing when it is that time already.
  func setLeaves(_ time: Timestamp?, of id: NotificationID, user: UserID) throws
}

extension Content {
  /// What the content counts towards quotas: all its text, in bytes of UTF-8.
  package var storedByteCount: Int {
    var count = 0
    eachText { count += $0.utf8.count }
    return count
  }

  /// Calls a function with each text of the content.
  func eachText(_ body: (String) -> Void) {
    func add(_ text: String?) { if let text { body(text) } }
    func add(_ visual: VisualContent?) {
      add(visual?.title)
      add(visual?.subtitle)
      add(visual?.body)
    }
    add(app)
    add(appNotificationID)
    add(group)
    add(visual)
    add(raw)
    add(clickURL)
    for tag in tags { add(tag) }
    add(extras.category)
    add(extras.sound)
    add(extras.icon)
    for action in extras.actions ?? [] {
      add(action.id)
      add(action.title)
      add(action.url)
      add(action.kind?.rawValue)
      add(action.text)
      add(action.method)
      for value in (action.headers ?? [:]).values { add(value) }
      add(action.body)
      add(action.placeholder)
      for option in action.options ?? [] { add(option) }
    }
    for attachment in extras.attachments ?? [] {
      add(attachment.name)
      add(attachment.url)
      add(attachment.type)
    }
    for platform in extras.targetPolicy?.platformTypes ?? [] { add(platform) }
    for platform in extras.fallbackPolicy?.platformTypes ?? [] { add(platform) }
    add(extras.fallbackPolicy?.visualContent)
  }
}
