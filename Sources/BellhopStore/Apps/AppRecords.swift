package import BellhopModel

/// The storage that an app or a user occupies in a store.
package struct StorageUse: Hashable, Sendable {
  /// The number of live items, including expired ones that no sweep has removed yet.
  package var items = 0
  package var tombstones = 0
  /// The size of the live items' content, measured by `Content.storedByteCount`.
  package var bytes = 0

  package init(items: Int = 0, tombstones: Int = 0, bytes: Int = 0) {
    self.items = items
    self.tombstones = tombstones
    self.bytes = bytes
  }

  /// The number of items and tombstones together.
  package var rows: Int { items + tombstones }

  static func += (left: inout StorageUse, right: StorageUse) {
    left.items += right.items
    left.tombstones += right.tombstones
    left.bytes += right.bytes
  }
}

/// The data about an app that a store needs to store its items: everything but the text of its
/// settings.
///
/// The record exists while the app has items or tombstones, and for good once it is configured.
package struct AppRecord: Hashable, Sendable {
  package var app: String
  package var use: StorageUse
  /// The retention from the settings.
  package var retentionDays: Int?
  /// The authorization from the settings.
  package var authorization: AppAuthorization
  /// The way in which the settings find repeats; nil if each is an item of its own.
  package var repeats: RepeatKey?
  /// The treatment of resolutions from the settings.
  package var resolutions: ResolutionPolicy
  package var isConfigured: Bool

  package init(
    app: String, use: StorageUse = StorageUse(), retentionDays: Int? = nil,
    authorization: AppAuthorization = .authorized, repeats: RepeatKey? = nil,
    resolutions: ResolutionPolicy = .mark, isConfigured: Bool = false
  ) {
    self.app = app
    self.use = use
    self.retentionDays = retentionDays
    self.authorization = authorization
    self.repeats = repeats
    self.resolutions = resolutions
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

/// The details of an app that Gotify clients set, in addition to its settings. They are not sent to
/// devices.
package struct AppProfile: Hashable, Sendable {
  /// The maximum size of a description: a few lines that a user writes in a field.
  static let descriptionBytesMax = 1024

  /// The description, possibly empty; nil if none was ever set.
  package var description: String?
  /// The priority of messages that name none, on Gotify's scale; nil for the store's default.
  package var defaultPriority: Int?

  package init(description: String? = nil, defaultPriority: Int? = nil) {
    self.description = description
    self.defaultPriority = defaultPriority
  }

  package var isEmpty: Bool { description == nil && defaultPriority == nil }

  /// Returns the profile with the values that another one sets.
  func changed(by other: AppProfile) -> AppProfile {
    AppProfile(
      description: other.description ?? description,
      defaultPriority: other.defaultPriority ?? defaultPriority)
  }
}

/// The progress of recomputing when an app's items leave the store, after its retention changed. It
/// is stored, so that the work continues after a crash.
package struct RetentionPass: Hashable, Sendable {
  package var user: UserID
  package var app: String
  /// The position up to which items are done; nil at the beginning.
  package var above: ArrivalKey?

  package init(user: UserID, app: String, above: ArrivalKey? = nil) {
    self.user = user
    self.app = app
    self.above = above
  }
}

/// Read access to the apps of a store. Part of ``StoreReading``.
package protocol AppReading: AnyObject {
  func app(_ app: String, of user: UserID) throws -> AppRecord?
  func appState(_ app: String, of user: UserID) throws -> AppState?
  /// Returns all apps of the user, by name.
  func appStates(of user: UserID) throws -> [AppState]
  /// Returns settings with a higher sequence than `after`, in sequence order.
  func appSettings(of user: UserID, after: SequenceNumber, limit: Int) throws -> [AppSettings]
  /// Returns the app that the alias belongs to.
  func app(alias: String, of user: UserID) throws -> String?
  /// Returns the profile of the app, or nil if it has none.
  func profile(ofApp app: String, of user: UserID) throws -> AppProfile?
  /// Returns the profiles of the user's apps, keyed by app.
  func profiles(of user: UserID) throws -> [String: AppProfile]
  /// Returns live items of the app above `key`, oldest arrival first.
  func items(
    ofApp app: String, above key: ArrivalKey?, limit: Int, of user: UserID
  ) throws -> [UserNotification]
  /// Returns the unfinished pass over the app's items; nil if there is none.
  func retentionPass(ofApp app: String, of user: UserID) throws -> RetentionPass?
  /// Returns unfinished passes of any user.
  func retentionPasses(limit: Int) throws -> [RetentionPass]
}

/// Write access to the apps of a store. Part of ``StoreTransaction``.
package protocol AppWriting: AppReading {
  /// Stores the storage use of the app, and creates its record if needed.
  func setUse(_ use: StorageUse, ofApp app: String, of user: UserID) throws
  /// Stores the settings, and creates the app's record if needed. Their aliases replace the
  /// previous ones.
  func put(_ settings: AppSettings, of user: UserID) throws
  /// Stores the profile of an app that has a record; an empty profile removes it.
  func put(_ profile: AppProfile, ofApp app: String, of user: UserID) throws
  /// Removes the record of an app that was never configured, and its profile.
  func removeApp(_ app: String, of user: UserID) throws
  /// Begins a pass or records its progress. The app has a record.
  func put(_ pass: RetentionPass) throws
  func endRetentionPass(ofApp app: String, of user: UserID) throws
  /// Begins a pass over every app, of all users, that has no retention of its own.
  func beginRetentionPasses() throws
  /// Stores when a live item leaves the store; does nothing if that time is stored already.
  func setLeaves(_ time: Timestamp?, of id: NotificationID, user: UserID) throws
}

extension Content {
  /// The size that the content counts towards quotas: all its text, in bytes of UTF-8.
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
    for action in extras.actions ?? [] { action.eachText(body) }
    for attachment in extras.attachments ?? [] {
      add(attachment.name)
      add(attachment.url)
      add(attachment.type)
    }
    for platform in extras.targetPolicy?.platformTypes ?? [] { add(platform) }
    for platform in extras.fallbackPolicy?.platformTypes ?? [] { add(platform) }
    add(extras.fallbackPolicy?.visualContent)
    if let info = extras.userInfo { InfoValue.object(info).eachText(body) }
  }
}

extension ContentExtras.Action {
  /// Calls a function with each text of the action, except for the names of headers.
  func eachText(_ body: (String) -> Void) {
    func add(_ text: String?) { if let text { body(text) } }
    add(id)
    add(title)
    add(url)
    add(kind?.rawValue)
    add(text)
    add(method)
    for value in (headers ?? [:]).values { add(value) }
    add(self.body)
    add(placeholder)
    add(buttonTitle)
    for option in options ?? [] { add(option) }
  }
}
