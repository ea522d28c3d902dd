import BellhopCache
import BellhopModel
import BellhopStore
import BellhopSync

/// Told of every commit.
typealias CommitListener = (Truth.Cause) -> Void

/// A store as a simulation drives it.
protocol StoreHost: AnyObject {
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

  // What publishers ask for.
  func publish(_ content: Content, isQuiet: Bool) throws
  func withdraw(app: String, appNotificationID: String) throws
  func configure(_ app: String, _ change: AppSettingsChange) throws

  // What who runs the store does.
  func signIn(_ device: DeviceID, expires: Timestamp?) throws -> String
  func revoke(_ device: DeviceID) throws
  func sweep() throws
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
}

/// The store's process was killed while it wrote.
struct StoreKilled: Error {}
