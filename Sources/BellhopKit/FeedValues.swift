public import BellhopModel

/// One user on one store, and where this device keeps its copy.
public struct FeedAccount: Hashable, Sendable {
  /// How changes are noticed.
  public enum Channel: String, Hashable, Sendable {
    /// The store signals them as they happen; a slow poll remains.
    case signal
    /// They are asked for, often after activity and rarely without.
    case polling
  }

  /// What the person calls it; part of every item's identity on this device.
  public var name: AccountName
  /// `https://host[:port]`, `http://127.0.0.1:port` or `unix:/path`.
  public var url: String
  /// Names this install among the user's devices; unique, and the same at every start.
  public var device: DeviceID
  /// What the user's other devices call this one.
  public var deviceName: String
  /// The folder of cache, lock and sockets: for this account alone, made with mode 0700. Programs
  /// that name the same folder share them, and one of them synchronises for all.
  public var folder: String
  public var channel: Channel
  /// How many days back the first synchronisation goes; nil for everything. Older items are not
  /// fetched, and neither found by a search here; they come when they are published again, and not
  /// when somebody only handles them. What was fetched stays as long as the store keeps it.
  public var daysToSync: Int?
  /// Plain HTTP to another machine: anyone on the way can read everything.
  public var allowsInsecureHTTP: Bool
  /// A file with certificates in PEM of authorities to trust beside the system's.
  public var authorityFile: String?

  public init(
    name: AccountName, url: String, device: DeviceID, deviceName: String, folder: String,
    channel: Channel = .signal, daysToSync: Int? = nil, allowsInsecureHTTP: Bool = false,
    authorityFile: String? = nil
  ) {
    self.name = name
    self.url = url
    self.device = device
    self.deviceName = deviceName
    self.folder = folder
    self.channel = channel
    self.daysToSync = daysToSync
    self.allowsInsecureHTTP = allowsInsecureHTTP
    self.authorityFile = authorityFile
  }
}

/// How a feed stands with its store.
public enum SyncStatus: Hashable, Sendable {
  /// Nothing has been tried yet.
  case connecting
  /// The first synchronisation runs; so many items are here, and can be used, of so many that the
  /// store has, if it says so.
  case synchronizing(received: Int, of: Int?)
  /// So many changes made here wait for the store's answer.
  case queued(waiting: Int)
  /// Nothing waits, and what is here is what the store has; since when, by the store's clock.
  case synchronized(at: Timestamp?)
  /// The store has not answered since then. What is done here is kept, and sent later.
  case offline(since: Timestamp, waiting: Int)
  /// The store does not accept the access token; with a name, that device signed this one out.
  /// The name is untrusted text. Everything here stays.
  case signInAgain(signedOutBy: String?, waiting: Int)
}

/// How this device's registration with the store stands.
public enum RegistrationState: String, Hashable, Sendable {
  case unregistered
  case registered
  /// It could not be renewed in time; it is tried again.
  case expiring
  /// The store knows the device no longer. It registers again once there is a token.
  case expired
}

/// A change made here that the store did not carry out.
public struct UndoneChange: Hashable, Sendable {
  public enum Reason: Hashable, Sendable {
    /// Somebody acted first, or the item was published anew.
    case superseded
    /// The item was deleted or has expired.
    case gone
    /// The item expires before the snooze would end; the latest time allowed.
    case tooLate(latest: Timestamp)
    /// The store does not take it.
    case unacceptable
    /// The store has had it long ago and no longer knows whether it applied; it is not sent again.
    case outcomeUnknown
  }

  /// The items it was meant for.
  public var notifications: [NotificationID]
  public var reason: Reason
}

/// What a program that holds a feed learns.
public enum FeedEvent: Hashable, Sendable {
  case status(SyncStatus)
  case registration(RegistrationState)
  /// Notifications changed, by this program, another process of this device, or another device:
  /// readers have something to read.
  case dataChanged
  /// The store does not accept this token: the feed asks for another one.
  case accessTokenInvalidated
  case undone([UndoneChange])
}

/// Why a call on a feed failed. Nothing that was done here is lost with any of them.
public enum FeedError: Error, Hashable, Sendable {
  /// The feed is not running: ``UserDataFeed/start()`` comes first.
  case notRunning
  /// There is no such notification here.
  case noSuchNotification
  /// The store cannot be reached.
  case offline(String)
  /// The store did not answer within the time given.
  case timedOut
  /// The access token is missing or not accepted, or the device was signed out.
  case signInAgain(String)
  /// The store said no, or its answer cannot be understood.
  case store(String)
  /// The cache, the lock or the folder cannot be used.
  case cache(String)
  /// A reader's position is of another account, or of a cache that was made anew: start over.
  case positionElsewhere
  /// What followed a reader's position is not remembered any more: start over.
  case positionTooOld
}

extension FeedError: ExplainedError {
  public var description: String {
    switch self {
    case .notRunning: "the feed is not running"
    case .noSuchNotification: "there is no such notification here"
    case .timedOut: "the store did not answer in time"
    case .offline(let words), .signInAgain(let words), .store(let words), .cache(let words): words
    case .positionElsewhere:
      "the reader's position belongs to another account or to a cache that was rebuilt; "
        + "start over"
    case .positionTooOld:
      "what changed since the reader's position is not remembered any more; start over"
    }
  }
}
