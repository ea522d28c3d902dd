public import BellhopModel

/// How much an app, or a user, holds in a store.
public struct StorageUse: Hashable, Sendable {
  /// Live items, expired ones that no sweep has met yet among them.
  public var items = 0
  public var tombstones = 0
  /// Of the live items' content, as ``BellhopModel/Content/storedByteCount`` counts them.
  public var bytes = 0

  public init(items: Int = 0, tombstones: Int = 0, bytes: Int = 0) {
    self.items = items
    self.tombstones = tombstones
    self.bytes = bytes
  }

  /// Items and tombstones together.
  public var rows: Int { items + tombstones }

  static func += (left: inout StorageUse, right: StorageUse) {
    left.items += right.items
    left.tombstones += right.tombstones
    left.bytes += right.bytes
  }
}

/// What a store needs to know of an app to store an item of it: all but its settings' text.
///
/// There is a record while the app has items or tombstones, and for good once it is configured.
public struct AppRecord: Hashable, Sendable {
  public var app: String
  public var use: StorageUse
  /// The settings' value.
  public var retentionDays: Int?
  public var isConfigured: Bool

  public init(
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
public struct AppState: Hashable, Sendable {
  public var settings: AppSettings
  public var use: StorageUse

  public init(settings: AppSettings, use: StorageUse) {
    self.settings = settings
    self.use = use
  }
}

/// What is written down about an app by those who make and change it in Gotify's way, beside its
/// settings: no device is told of it.
public struct AppProfile: Hashable, Sendable {
  /// Some lines that a person writes in a field.
  static let descriptionBytesMax = 1024

  /// Nil where nobody has said anything, which may be nothing.
  public var description: String?
  /// Of messages that name none, as a number of Gotify's; nil for the store's own.
  public var defaultPriority: Int?

  public init(description: String? = nil, defaultPriority: Int? = nil) {
    self.description = description
    self.defaultPriority = defaultPriority
  }

  public var isEmpty: Bool { description == nil && defaultPriority == nil }

  /// The profile with what another one says in its place.
  func changed(by other: AppProfile) -> AppProfile {
    AppProfile(
      description: other.description ?? description,
      defaultPriority: other.defaultPriority ?? defaultPriority)
  }
}

/// How far the times at which an app's items leave have been computed anew, after its retention
/// changed. It is stored, so that the work goes on after a crash.
public struct RetentionPass: Hashable, Sendable {
  public var user: UserID
  public var app: String
  /// Items up to this place are done; nil at the beginning.
  public var above: ArrivalKey?

  public init(user: UserID, app: String, above: ArrivalKey? = nil) {
    self.user = user
    self.app = app
    self.above = above
  }
}

/// Reading what a store knows of apps. Part of ``StoreReading``.
public protocol AppReading: AnyObject {
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
public protocol AppWriting: AppReading {
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
  public var storedByteCount: Int {
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
