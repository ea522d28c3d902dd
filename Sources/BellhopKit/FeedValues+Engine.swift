internal import BellhopCache
internal import BellhopModel
internal import BellhopSync
internal import BellhopWire

extension FeedError {
  init(_ error: CacheError) { self = .cache(error.description) }

  init(_ error: TransportError) {
    switch error {
    case .offline, .providerOffline: self = .offline(error.description)
    case .timedOut: self = .timedOut
    case .unauthorized, .signInEnded, .revoked, .forbidden: self = .signInAgain(error.description)
    case .cache: self = .cache(error.sentence)
    case .resyncRequired, .outOfOrder, .outboxDiverged, .throttled, .server, .badAnswer,
      .unknownDevice, .badAddress, .insecure, .provider, .cancelled:
      self = .store(error.description)
    }
  }

  /// Creates a feed's error from any error of the modules below.
  init(wrapping error: any Error) {
    switch error {
    case let error as FeedError: self = error
    case let error as CacheError: self.init(error)
    case let error as TransportError: self.init(error)
    default: self = .cache(error.explanation)  // open: any Error
    }
  }

  /// Returns what the body returns, and throws its errors as those of a feed.
  static func wrapping<Value>(_ body: () throws -> Value) throws(FeedError) -> Value {
    do { return try body() } catch { throw FeedError(wrapping: error) }
  }
}

extension TransportError {
  /// Whether the store does not know this device, or does not accept it.
  var endsRegistration: Bool {
    switch self {
    case .unknownDevice, .unauthorized, .revoked, .signInEnded, .forbidden: true
    case .offline, .timedOut, .resyncRequired, .outOfOrder, .outboxDiverged, .throttled, .server,
      .badAnswer, .badAddress, .insecure, .providerOffline, .provider, .cache, .cancelled:
      false
    }
  }
}

extension ConnectionState {
  var isSignedOut: Bool {
    switch self {
    case .signInAgain, .signedOut: true
    case .connecting, .live, .polling, .firstSync, .offline: false
    }
  }
}

extension ConnectionState {
  /// Whether the store has answered since the connection was lost.
  var isConnected: Bool {
    switch self {
    case .live, .polling, .firstSync: true
    case .connecting, .offline, .signInAgain, .signedOut: false
    }
  }
}

extension SyncStatus {
  init(_ status: EngineStatus) {
    switch status.connection {
    case .connecting: self = .connecting
    case .firstSync(let received, let total):
      self = .synchronizing(received: received, of: total)
    case .offline(let since): self = .offline(since: since, waiting: status.waiting)
    case .signInAgain: self = .signInAgain(signedOutBy: nil, waiting: status.waiting)
    case .signedOut(let name, _): self = .signInAgain(signedOutBy: name, waiting: status.waiting)
    case .live, .polling:
      self =
        status.waiting > 0
        ? .queued(waiting: status.waiting) : .synchronized(at: status.lastSync)
    }
  }
}

extension UndoneChange {
  init(_ rejected: RejectedOperation) {
    notifications = rejected.operation.notificationIDs
    switch rejected.result {
    case .superseded: reason = .superseded
    case .refused(let latest): reason = .tooLate(latest: latest)
    case .unacceptable: reason = .unacceptable
    case .outcomeUnknown: reason = .outcomeUnknown
    case .notPublished(let text): reason = .notPublished(text)
    case .gone, .applied, .alreadyApplied: reason = .gone
    }
  }
}
