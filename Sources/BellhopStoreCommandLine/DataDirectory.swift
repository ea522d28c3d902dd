internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopStoreSQLite
internal import Glibc
internal import Logging

/// The directory that contains a store's database.
struct DataDirectory: DataPlace {
  let path: String
  /// The owner of files created in the directory, even by a command that root runs.
  let owner: DataOwner

  /// Creates the directory and its parents, unless they exist.
  ///
  /// - Throws: ``ProgramError``, which does not repeat an address, because it may contain a password.
  init(_ path: String) throws {
    guard !path.contains("://") else {
      throw ProgramError.usage(
        "A data directory was expected, and not an address. Give an address with --database. "
          + "Nothing was changed.")
    }
    self.path = path
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/" + part
      // A directory that cannot be created may already exist; stat decides.
      _ = mkdir(made, 0o700)
    }
    var information = stat()
    guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else {
      throw ProgramError(
        exitCode: 73,
        message: "The directory \(path) cannot be created. Choose another with --data.")
    }
    guard information.st_mode & 0o022 == 0 else {
      throw ProgramError(
        exitCode: 77,
        message: "Other users can write to \(path). Nothing was opened. Fix: chmod go-w \(path)")
    }
    owner = DataOwner(of: path)
  }

  var description: String { path }

  /// The path without links and relative parts.
  var absolutePath: String { Self.resolved(path) ?? path }

  private static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// The path of the database.
  var database: String { path + "/store.sqlite" }

  /// The blob store of attachments.
  var shelf: DirectoryBlobStore { DirectoryBlobStore(path: path + "/files", owner: owner) }

  /// Returns the owner of a file that a command creates at `file`.
  ///
  /// Inside the directory, it is the directory's owner; otherwise the user who runs the command.
  func owner(ofFileAt file: String) -> DataOwner {
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? "."
    guard let own = Self.resolved(path), let parent = Self.resolved(folder) else {
      return .process
    }
    return parent == own || parent.hasPrefix(own + "/") ? owner : .process
  }

  // MARK: - Opening

  func openForServing(_ settings: StoreSettings, logger: Logger) async throws -> OpenedStore {
    try await lockForServing()
    let store = try await open(.starting, limits: settings.limits, isSoleWriter: true)
    return OpenedStore(service: store, release: {})
  }

  var administrationListeners: [Listener] {
    [.administration(path: AdminSocket.path(in: path))]
  }

  func administrationSocket() throws -> AdminSocket? { try AdminSocket(directory: path) }

  func beginEpoch() async throws {
    try await lockForServing()
    try requireStore()
    try await open(.joining).beginEpochAndClose()
  }

  func openStorage(isSource: Bool) async throws -> OpenedStorage {
    try await lockForServing()
    if isSource { try requireStore() }
    let backend = try SQLiteBackend(path: database, owner: owner)
    return OpenedStorage(backend: backend, files: shelf, close: { await backend.close() })
  }

  private func requireStore() throws {
    guard access(database, F_OK) == 0 else { throw ProgramError.noStore(in: path) }
  }

  /// Opens the store in the directory.
  ///
  /// - Parameter isSoleWriter: Whether the caller holds the directory. See ``lockForServing()``.
  func open(
    _ mode: StoreLogic.StartMode, limits: StoreLimits = StoreLimits(), isSoleWriter: Bool = false
  ) async throws -> StoreService {
    try await StoreService.open(
      mode, on: SQLiteBackend(path: database, owner: owner), environment: .live, limits: limits,
      isSoleWriter: isSoleWriter, shelf: shelf)
  }

  /// Locks the directory for one serving process or for a restore, until the process ends.
  ///
  /// Waits for a command that is using it. Afterwards, no other command writes to the database:
  /// administration goes through the socket of the serving process.
  ///
  /// - Throws: ``ProgramError`` if another process holds it.
  func lockForServing() async throws {
    for _ in 0..<40 {
      if try lock(LOCK_EX) != nil { return }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw ProgramError(
      exitCode: 75,
      message: "Another bellhopd is serving the data in \(path). Nothing was changed.")
  }

  /// Returns the locked file; nil if another process has a conflicting lock.
  private func lock(_ kind: Int32) throws -> Int32? {
    let descriptor = Glibc.open(
      path + "/serve.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw ProgramError(exitCode: 73, message: "\(path)/serve.lock cannot be opened.")
    }
    do {
      try owner.adopt(descriptor, path + "/serve.lock")
    } catch {
      close(descriptor)
      throw error
    }
    if flock(descriptor, kind | LOCK_NB) == 0 { return descriptor }
    close(descriptor)
    return nil
  }

  /// Performs a single administration request: in the serving store if there is one, otherwise
  /// here.
  func administer<Answer>(
    _ request: AdminRequest<Answer>, settings: StoreSettings
  ) async throws -> Answer {
    // While a store starts or stops, it may hold the lock without the socket for a moment.
    for _ in 0..<100 {
      if let socket = try AdminSocket(directory: path) {
        return try await Administrator.serving(socket).send(request)
      }
      if let descriptor = try lock(LOCK_SH) {
        defer { close(descriptor) }
        return try await open(.joining, limits: settings.limits)
          .administer(request, settings: settings)
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw ProgramError(
      exitCode: 75, message: "The store in \(path) is starting or being restored. Try again.")
  }
}
