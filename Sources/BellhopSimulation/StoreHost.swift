package import BellhopCache
package import BellhopModel
package import BellhopStore
package import BellhopSync

/// A callback for every commit.
package typealias CommitListener = (CommitCause) -> Void

/// The reason for a transaction.
package enum CommitCause {
  case publication(Content, isQuiet: Bool)
  case withdrawal
  /// A publisher's cancellation of an item's deliveries.
  case cancellation(NotificationID)
  /// A publisher's removal of what was delivered of an item.
  case removal(NotificationID)
  /// A publisher's registration of a category of an app.
  case category(Category, app: String)
  /// New settings of an app, set at the store.
  case configuration(String, AppSettingsChange)
  /// The results of a device's operations, and the bulk operation that is still in progress, if
  /// any.
  case operations([(Operation, OperationResult)], underWay: Operation?)
  case sweep
  /// A transaction that changes no items.
  case other
}

/// A response that rejects a request before the store processes it.
package enum Refusal: Hashable, Sendable {
  /// Status 429, with the seconds to wait if the response contains them.
  case tooMany(Int?)
  /// Status 503, with the seconds to wait if the response contains them.
  case unavailable(Int?)
  /// Status 500.
  case broken
}

/// A store, as a simulation drives it.
package protocol StoreHost: AnyObject {
  var epoch: Epoch { get }
  var user: UserID { get }
  /// Called after every commit that may have changed items.
  var committed: CommitListener { get set }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) throws -> Value

  // Requests of clients. Errors are `TransportError`, or `StoreKilled`.
  func register(
    _ device: DeviceID, in environment: RegistrationEnvironment, with token: String
  ) throws -> Author
  func pull(_ request: ChangeChunk.Request, with token: String) throws -> PullAnswer
  /// Applies a batch of operations.
  ///
  /// - Parameter between: Called at points where other writes may occur.
  func send(
    _ batch: OutboxBatch, from device: DeviceID, with token: String, between: () -> Void
  ) throws -> SendAnswer

  /// Returns the changes to enclose in a signal; see `StoreLogic.enclosure(after:for:in:)`.
  func enclosure(after sequence: SequenceNumber) throws -> EnclosedDelta?

  // Requests of publishers.
  func publish(_ content: Content, isQuiet: Bool) throws
  func withdraw(app: String, appNotificationID: String) throws
  /// Cancels the deliveries of an item that are still to come.
  func cancelRequest(_ id: NotificationID, app: String) throws
  /// Removes an item that was delivered, or its latest delivery.
  func removeDelivered(_ id: NotificationID, app: String) throws
  /// Registers or replaces a category of an app.
  func register(_ category: Category, app: String) throws
  func configure(_ app: String, _ change: AppSettingsChange) throws

  // Actions of the store's administrator.
  func signIn(_ device: DeviceID, expires: Timestamp?) throws -> String
  func revoke(_ device: DeviceID) throws
  /// Removes the items that are due to leave the store.
  ///
  /// - Parameter between: Called with the items that are about to leave, at points where other
  ///   writes may occur.
  /// - Returns: Whether the sweep ran to its end.
  func sweep(between: ([NotificationID]) -> Void) throws -> Bool
  func restart() throws
  func beginEpoch() throws
  /// Copies the current data, as the only backup.
  func backUp() throws
  /// Restores the backup as the program does it, into a new epoch.
  func restoreBackup() throws
  /// Reverts to the backup's data silently.
  func rollBack() throws
  /// Makes the next write end the process, before or after its commit.
  func killAtNextWrite(afterCommit: Bool)

  // Effects of a network on responses.
  /// Returns the error that a client makes of a rejection.
  func refusal(_ kind: Refusal) -> TransportError
  /// Returns the error that a client makes of the last response if it is truncated.
  ///
  /// Nil if the client mistakes the part for the whole.
  ///
  /// - Parameter part: The length of the part, from 0 up to, but not including, 1.
  func cutAnswer(at part: Double) -> TransportError?
}

extension StoreHost {
  /// Returns the error that the HTTP transport makes of a rejection.
  package func refusal(_ kind: Refusal) -> TransportError {
    switch kind {
    case .tooMany(let seconds): .throttled(retryAfter: seconds.map { .seconds($0) })
    case .unavailable(let seconds?): .throttled(retryAfter: .seconds(seconds))
    case .unavailable(nil): .server(status: 503, message: "not now")
    case .broken: .server(status: 500, message: "broken")
    }
  }

  package func cutAnswer(at part: Double) -> TransportError? { .badAnswer("cut off") }
}

extension WallClock {
  /// The zones that every simulated machine knows; its own is UTC.
  package static let simulated = WallClock { _, zone in
    zone.map { PlainOccurrence.zones[$0] } ?? 0
  }
}

/// The error of a store whose process was killed during a write.
package struct StoreKilled: Error {
  package init() {}
}
