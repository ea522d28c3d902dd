internal import ArgumentParser
internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopStoreSQLite
internal import BellhopTime
internal import CBellhopSystem
internal import Glibc
internal import Logging

/// The options of every command that locate the store's data.
struct DataOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The store's data directory (default: $XDG_DATA_HOME/bellhop/store).", valueName: "dir"),
    completion: .directory)
  var data: String?
  @Option(
    help: ArgumentHelp(
      "A configuration file, as bellhopd config default prints it. Flags override it.",
      valueName: "file"), completion: .file(extensions: ["toml"]))
  var config: String?

  /// Returns the settings of the configuration file, or the defaults if there is none.
  func settings() throws -> StoreSettings {
    try config.map(ConfigurationFile.read) ?? StoreSettings(version: ProgramVersion.number)
  }

  /// Returns the directory, which exists and is private to its owner.
  func directory() throws -> DataDirectory {
    if let data = try data ?? settings().data { return try DataDirectory(data) }
    func variable(_ name: String) -> String? {
      guard let value = getenv(name) else { return nil }
      let text = String(cString: value)
      return text.hasPrefix("/") ? text : nil
    }
    if let base = variable("XDG_DATA_HOME") { return try DataDirectory(base + "/bellhop/store") }
    guard let home = variable("HOME") else {
      throw ProgramError(
        exitCode: 78, message: "HOME is not set. Choose the data directory with --data.")
    }
    return try DataDirectory(home + "/.local/share/bellhop/store")
  }
}

extension DataOptions {
  /// Performs a single administration request on the store.
  func administer<Answer>(_ request: AdminRequest<Answer>) async throws -> Answer {
    try await directory().administer(request, settings: settings())
  }
}

/// The directory that contains a store's database.
struct DataDirectory {
  let path: String
  /// The owner of files created in the directory, even by a command that root runs.
  let owner: DataOwner

  /// Creates the directory and its parents, unless they exist.
  init(_ path: String) throws {
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

  /// The path of the database.
  var database: String { path + "/store.sqlite" }

  /// The blob store of attachments.
  var shelf: DirectoryBlobStore { DirectoryBlobStore(path: path + "/files", owner: owner) }

  /// Returns the owner of a file that a command creates at `file`.
  ///
  /// Inside the directory, it is the directory's owner; otherwise the user who runs the command.
  func owner(ofFileAt file: String) -> DataOwner {
    func resolved(_ path: String) -> String? {
      guard let real = realpath(path, nil) else { return nil }
      defer { free(real) }
      return String(cString: real)
    }
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? "."
    guard let own = resolved(path), let parent = resolved(folder) else { return .process }
    return parent == own || parent.hasPrefix(own + "/") ? owner : .process
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
        return try await administerHere(request, settings: settings)
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw ProgramError(
      exitCode: 75, message: "The store in \(path) is starting or being restored. Try again.")
  }

  private func administerHere<Answer>(
    _ request: AdminRequest<Answer>, settings: StoreSettings
  ) async throws -> Answer {
    let store = try await open(.joining, limits: settings.limits)
    var logger = Logger(label: "bellhopd", factory: { _ in SwiftLogNoOpLogHandler() })
    logger.logLevel = .critical
    let server = StoreServer(
      store: store, configuration: settings.server, environment: .live, logger: logger,
      dialects: [])
    do {
      let answer = try await Administrator.direct(server).send(request)
      await store.close()
      return answer
    } catch {
      await store.close()
      throw error
    }
  }
}

extension ServerEnvironment {
  /// Random request ids, the system's time, and the machine's time zones.
  static let live = ServerEnvironment(
    makeRequestID: {
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }, sleep: { try await Task.sleep(for: $0) }, wallClock: SystemZone.wallClock)
}

extension StoreEnvironment {
  /// The system's clock and its secure random generator.
  static let live = StoreEnvironment(
    now: { SystemTime.now }, random: { UInt64.random(in: .min ... .max) },
    uptime: { SystemTime.uptime }, wallClock: SystemZone.wallClock,
    isClockSynchronized: { SystemTime.isSynchronized })
}

/// The system's clock.
enum SystemTime {
  /// The time since the machine's start, which no setting changes.
  ///
  /// It continues during suspend, so that the wall-clock time afterwards is plausible.
  static var uptime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Whether the kernel reports a synchronised clock that agrees with ``now``.
  static var isSynchronized: Bool {
    var milliseconds: Int64 = 0
    guard bellhop_clock_synchronized(&milliseconds) == 1 else { return false }
    let difference = Timestamp(milliseconds: milliseconds).duration(since: now)
    return difference < .seconds(60) && difference > .seconds(-60)
  }

  static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(
      milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
