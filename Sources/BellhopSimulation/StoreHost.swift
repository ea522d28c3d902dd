package import BellhopCache
package import BellhopModel
package import BellhopStore
package import BellhopSync

/// Told of every commit.
package typealias CommitListener = (CommitCause) -> Void

/// Why a transaction was run.
package enum CommitCause {
  case publication(Content, isQuiet: Bool)
  case withdrawal
  /// Settings of an app, set at the store.
  case configuration(String, AppSettingsChange)
  /// Operations of a device that were carried out with these results, and the bulk operation that is
  /// under way behind them.
  case operations([(Operation, OperationResult)], underWay: Operation?)
  case sweep
  /// Nothing about items.
  case other
}

/// How a request may be refused before the store has looked at it.
package enum Refusal: Hashable, Sendable {
  /// 429, with the seconds to wait, if it says so.
  case tooMany(Int?)
  /// 503.
  case unavailable(Int?)
  /// 500.
  case broken
}

/// A store as a simulation drives it.
package protocol StoreHost: AnyObject {
  var epoch: Epoch { get }
  var user: UserID { get }
  /// Called after every commit that may have changed items.
  var committed: CommitListener { get set }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) throws -> Value

  // What clients ask for. Errors are `TransportError`, or `StoreKilled`.
  func register(_ device: DeviceID, with token: String) throws -> Author
  func pull(_ request: ChangeChunk.Request, with token: String) throws -> PullAnswer
  /// - Parameter between: called where other writes get their turn.
  func send(
    _ batch: OutboxBatch, from device: DeviceID, with token: String, between: () -> Void
  ) throws -> SendAnswer

  /// What a signal brings along; see ``StoreLogic/enclosure(after:for:in:)``.
  func enclosure(after sequence: SequenceNumber) throws -> EnclosedDelta?

  // What publishers ask for.
  func publish(_ content: Content, isQuiet: Bool) throws
  func withdraw(app: String, appNotificationID: String) throws
  func configure(_ app: String, _ change: AppSettingsChange) throws

  // What who runs the store does.
  func signIn(_ device: DeviceID, expires: Timestamp?) throws -> String
  func revoke(_ device: DeviceID) throws
  /// - Parameter between: called with the items that are about to leave, where other writes get
  ///   their turn.
  /// - Returns: whether the sweep came to its end.
  func sweep(between: ([NotificationID]) -> Void) throws -> Bool
  func restart() throws
  func beginEpoch() throws
  /// Remembers the data as it is now, as the only backup.
  func backUp() throws
  /// Restores the backup as the program does it, into a new epoch.
  func restoreBackup() throws
  /// Puts the backup's data in place, and says nothing.
  func rollBack() throws
  /// The next write ends the process, before or after its commit.
  func killAtNextWrite(afterCommit: Bool)

  // What a network does to answers.
  /// How a client reads a refusal.
  func refusal(_ kind: Refusal) -> TransportError
  /// How a client reads the last answer when it ends behind this part of it, from 0 up to 1; nil when
  /// it takes that for the whole.
  func cutAnswer(at part: Double) -> TransportError?
}

extension StoreHost {
  /// What the HTTP transport makes of them.
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

/// The store's process was killed while it wrote.
package struct StoreKilled: Error {
  package init() {}
}
