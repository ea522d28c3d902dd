public import BellhopModel

/// A user's account at a store, and the location of its local copy.
public struct FeedAccount: Hashable, Sendable {
  /// The way in which a feed notices changes.
  public enum Channel: String, Hashable, Sendable {
    /// The store signals changes as they happen; the feed also polls at a slow rate.
    case signal
    /// The feed polls for changes: often after activity, rarely without.
    case polling
  }

  /// The user's name for the account; part of every item's identity on this device.
  public var name: AccountName
  /// The address of the store: `https://host[:port]`, `http://127.0.0.1:port` or `unix:/path`.
  public var url: String
  /// The identifier of this installation among the user's devices: unique, and the same at every
  /// start.
  public var device: DeviceID
  /// The name that the user's other devices show for this one.
  public var deviceName: String
  /// The folder of the cache, the lock and the sockets, for this account only.
  ///
  /// The feed creates it with mode 0700.
  ///
  /// Programs that name the same folder share its content, and one of them synchronises for all.
  public var folder: String
  public var channel: Channel
  /// The environment that this device is registered in.
  ///
  /// Notifications published for development reach only devices registered for development. After a
  /// change, the feed reads everything again from the store.
  public var environment: RegistrationEnvironment
  /// The range of the first synchronisation, in days back from now; nil for all items.
  ///
  /// The feed does not fetch older items, and its searches do not find them. An older item arrives
  /// when it is published again, but not when a device merely handles it. Fetched items stay as
  /// long as the store keeps them.
  public var daysToSync: Int?
  /// Whether to allow plain HTTP to another machine.
  ///
  /// Anyone on the network path can then read everything.
  public var allowsInsecureHTTP: Bool
  /// A PEM file with certificates of authorities to trust in addition to the system's.
  public var authorityFile: String?

  public init(
    name: AccountName, url: String, device: DeviceID, deviceName: String, folder: String,
    channel: Channel = .signal, environment: RegistrationEnvironment = .production,
    daysToSync: Int? = nil, allowsInsecureHTTP: Bool = false, authorityFile: String? = nil
  ) {
    self.name = name
    self.url = url
    self.device = device
    self.deviceName = deviceName
    self.folder = folder
    self.channel = channel
    self.environment = environment
    self.daysToSync = daysToSync
    self.allowsInsecureHTTP = allowsInsecureHTTP
    self.authorityFile = authorityFile
  }
}

/// The state of a feed's synchronisation with its store.
public enum SyncStatus: Hashable, Sendable {
  /// The feed has not yet tried to connect.
  case connecting
  /// The first synchronisation is running.
  ///
  /// Received items can be used at once. The second number is the total in the store, if the store
  /// provides it.
  case synchronizing(received: Int, of: Int?)
  /// The feed is connected; this many changes made on this device await the store's response.
  case queued(waiting: Int)
  /// The local copy equals the store's content as of this time, by the store's clock.
  ///
  /// No changes made on this device are pending.
  case synchronized(at: Timestamp?)
  /// The store has not responded since this time. Changes made on this device are kept, and sent
  /// later.
  case offline(since: Timestamp, waiting: Int)
  /// The store rejects the access token, or the device with this name signed this one out.
  ///
  /// The name is untrusted text. The local copy stays.
  case signInAgain(signedOutBy: String?, waiting: Int)
}

/// The state of this device's registration with the store.
public enum RegistrationState: String, Hashable, Sendable {
  case unregistered
  case registered
  /// The registration could not be renewed in time; the feed will try again.
  case expiring
  /// The store no longer knows the device, which registers again once it has a token.
  case expired
}

/// A change made on this device that the store did not apply.
public struct UndoneChange: Hashable, Sendable {
  public enum Reason: Hashable, Sendable {
    /// Another device changed the item first, or the publisher replaced it.
    case superseded
    /// The item was deleted or has expired.
    case gone
    /// The item expires before the snooze would end; the latest allowed time.
    case tooLate(latest: Timestamp)
    /// The store rejects the change as not valid.
    case unacceptable
    /// The store received the change but no longer knows its result. The feed does not send it
    /// again.
    case outcomeUnknown
    /// The store refused a publication; the reason for the user.
    case notPublished(String)
  }

  /// The items that the change was meant for.
  public var notifications: [NotificationID]
  public var reason: Reason
}

/// An event of a feed.
public enum FeedEvent: Hashable, Sendable {
  case status(SyncStatus)
  case registration(RegistrationState)
  /// Notifications have changed, so that readers have changes to read.
  ///
  /// The change was made by this program, another process of this device, or another device.
  case dataChanged
  /// The store rejected the access token; the feed requests another one.
  case accessTokenInvalidated
  case undone([UndoneChange])
  /// The token for an app that called ``UserDataFeed/registerForPublishing(app:)``.
  ///
  /// It replaces the app's earlier tokens. Give it to the app's server.
  case publishToken(PublishToken)
  /// The store refused a token for the app, or the feed could not save it; it will try again.
  ///
  /// Without a connection, the app receives no error, and its token once there is one.
  case publishTokenFailed(app: String, FeedError)
}

/// An error of a call on a feed. No change made on this device is lost.
public enum FeedError: Error, Hashable, Sendable {
  /// The feed is not running; call ``UserDataFeed/start()`` first.
  case notRunning
  /// The local copy has no such notification.
  case noSuchNotification
  /// The store cannot be reached.
  case offline(String)
  /// The store did not respond within the time limit.
  case timedOut
  /// The access token is missing or was rejected, or the device was signed out.
  case signInAgain(String)
  /// The store refused the request, or its response is not valid.
  case store(String)
  /// The cache, the lock or the folder cannot be used.
  case cache(String)
  /// The reader's position belongs to another account or to a rebuilt cache; start over.
  case positionElsewhere
  /// The changes that follow the reader's position are no longer stored; start over.
  case positionTooOld
}

extension FeedError: ExplainedError {
  public var description: String {
    switch self {
    case .notRunning: "the feed is not running; start it first"
    case .noSuchNotification: "the notification does not exist"
    case .timedOut: "the store did not answer in time"
    case .offline(let words), .signInAgain(let words), .store(let words), .cache(let words): words
    case .positionElsewhere:
      "the reader's position belongs to another account or to a cache that was rebuilt; "
        + "start over"
    case .positionTooOld:
      "the changes since the reader's position are no longer available; start over"
    }
  }
}
