internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import Logging

/// The place of a store's data: a directory of this machine, or a database.
///
/// A command works over either. Opening a directory locks it where a command needs it alone; a database
/// is shared, and needs no lock. The description contains no secret.
protocol DataPlace: Sendable, CustomStringConvertible {
  /// Opens the store for a process that serves it.
  ///
  /// - Parameter logger: Receives warnings about the place.
  func openForServing(_ settings: StoreSettings, logger: Logger) async throws -> OpenedStore

  /// The listeners through which commands reach the process that serves the place.
  var administrationListeners: [Listener] { get }

  /// The admin socket of the process that serves the place; nil if none does.
  ///
  /// - Throws: ``ProgramError`` if processes cannot be reached from here.
  func administrationSocket() throws -> AdminSocket?

  /// Performs a single administration request.
  func administer<Answer>(
    _ request: AdminRequest<Answer>, settings: StoreSettings
  ) async throws -> Answer

  /// Writes a backup to a file, while the store may be serving.
  func backUp(to file: String, replacing: Bool) async throws

  /// Replaces the store, which must not be serving, with a backup.
  func restore(from file: String) async throws

  /// Returns descriptions of all problems of the data, one for each line.
  func problems() async throws -> [String]

  /// Opens the rows and the attachments, for a copy. Locks a directory.
  ///
  /// - Parameter isSource: Whether the place must have a store.
  func openStorage(isSource: Bool) async throws -> OpenedStorage

  /// Begins another epoch, after the data went back by other means than `bellhopd restore`.
  func beginEpoch() async throws

  /// Returns the finding that the store was moved to another place; nil if it was not.
  func movedFinding() async throws -> Finding?

  /// Checks the place and its surroundings.
  func findings(_ settings: StoreSettings) async throws -> [Finding]
}

/// A store that a command has opened.
struct OpenedStore: Sendable {
  let service: StoreService
  /// Releases what the service does not own, after it was closed.
  let release: @Sendable () async -> Void

  func close() async {
    await service.close()
    await release()
  }
}

/// The rows and the attachments of a store that stays closed.
///
/// Opening a store would give an empty storage its epoch, and then nothing can be copied there.
struct OpenedStorage: Sendable {
  let backend: any StorageBackend
  let files: any BlobStore
  let close: @Sendable () async -> Void

  /// Runs `body`, and closes the storage.
  func use<Value: Sendable>(
    _ body: @Sendable (OpenedStorage) async throws -> Value
  ) async throws -> Value {
    do {
      let value = try await body(self)
      await close()
      return value
    } catch {
      await close()
      throw error
    }
  }
}

extension StoreService {
  /// Performs an administration request on this store, which the command opened, and closes it.
  func administer<Answer>(
    _ request: AdminRequest<Answer>, settings: StoreSettings
  ) async throws -> Answer {
    var logger = Logger(label: "bellhopd", factory: { _ in SwiftLogNoOpLogHandler() })
    logger.logLevel = .critical
    let server = StoreServer(
      store: self, configuration: settings.server, environment: .live, logger: logger,
      dialects: [])
    do {
      let answer = try await Administrator.direct(server).send(request)
      await close()
      return answer
    } catch {
      await close()
      throw error
    }
  }

  /// Begins another epoch with numbers that were never issued, and closes the store.
  func beginEpochAndClose() async throws {
    do {
      _ = try await adopt(after: nil)
      await close()
    } catch {
      await close()
      throw error
    }
  }
}
