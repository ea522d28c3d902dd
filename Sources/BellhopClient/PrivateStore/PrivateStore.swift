internal import BellhopInbox
internal import BellhopModel
internal import Glibc

/// The local store that `bellhop` starts by itself if there is no account.
///
/// It is started detached, under a lock, and runs until ``stop()``. The client reaches it through a
/// Unix socket in the data directory. Its TCP port on loopback is for publishers.
package struct PrivateStore: Sendable {
  /// The store's status for the user.
  package struct Status: Sendable, Hashable {
    package var isRunning: Bool
    package var processID: Int32?
    package var directory: String
    package var socket: String
    /// The address for publishers; nil before the first start.
    package var publishAddress: String?
    package var headerFile: String
    /// A sentence for the user if publishers do not use the usual port; otherwise nil.
    package var portNote: String?
  }

  /// The condition of the store: running, stopped by the user, or ended.
  enum Condition: Hashable, Sendable {
    case running
    /// Not running because of ``stop()``.
    case stopped
    /// Not running for any other reason, or never started.
    case ended
  }

  /// The port that publishers use unless another program has it.
  static let usualPort = 8642

  private let directories: Directories
  /// The full path of `bellhopd`.
  private let program: String
  /// The first port to try for publishers. If it is taken at the first start, another one is used.
  private let preferredPort: Int
  /// The lifeline that ends the store; nil if it runs until it is stopped.
  private let lifeline: LifetimePipe?

  /// The longest wait for a start, which takes milliseconds, or seconds on a slow disk.
  private static let startMilliseconds: Int32 = 20_000
  /// The longest path in the address of a Unix socket, including its end mark.
  private static let socketPathBytesMax = 107

  /// Creates the private store in these directories.
  ///
  /// - Parameters:
  ///   - preferredPort: The port for publishers; 0 for any free port.
  ///   - lifeline: The lifeline that ends the store with this program.
  /// - Throws: ``ClientError`` if there is no `bellhopd` beside this program or in `PATH`.
  init(
    directories: Directories, environment: [String: String],
    preferredPort: Int = PrivateStore.usualPort,
    lifeline: LifetimePipe? = nil
  ) throws {
    self.directories = directories
    self.preferredPort = preferredPort
    self.lifeline = lifeline
    program = try Self.locateProgram(environment: environment)
  }

  /// The socket through which local clients reach the store.
  package var socketPath: String {
    let path = directories.store + "/store.sock"
    if path.utf8.count <= Self.socketPathBytesMax { return path }
    return directories.runtime + "/store.sock"
  }

  /// The file whose single line authenticates `curl -H @FILE`.
  package var headerFile: String { directories.config + "/publish" }

  /// Returns whether the store accepts connections on its socket, and the address for publishers.
  package func status() throws -> Status {
    let port = try recordedPort()
    var note: String?
    // If any port will do, no port is expected.
    if let port, preferredPort > 0, port != preferredPort {
      note = "Port \(preferredPort) was taken by another program; publish to \(Self.address(port))."
    }
    return Status(
      isRunning: try isRunning(), processID: try recordedProcess(),
      directory: directories.store, socket: socketPath,
      publishAddress: port.map(Self.address), headerFile: headerFile,
      portNote: note)
  }

  /// Returns whether the store accepts connections on its socket.
  ///
  /// - Throws: ``ClientError`` if another user could listen there.
  private func isRunning() throws -> Bool {
    try Directories.checkSafety(of: socketPath)
    return Self.accepts(socketPath)
  }

  private static func address(_ port: Int) -> String { "127.0.0.1:\(port)" }

  /// The current condition of the store.
  var condition: Condition {
    if (try? isRunning()) == true { return .running }
    return access(stopMark, F_OK) == 0 ? .stopped : .ended
  }

  /// Starts the store unless it runs, and signs this device in at the first start.
  ///
  /// Several programs may call it at once. A lock lets one of them start the store.
  /// - Returns: The account on it, a sentence for the user if the address for publishers changed,
  ///   and whether this call started it.
  /// - Throws: ``ClientError`` with the store's own message.
  package func start(
    accounts: Accounts
  ) throws -> (account: Account, notice: String?, wasStarted: Bool) {
    let name = AccountName("local")
    if let account = try accounts.account(name), try isRunning() { return (account, nil, false) }
    try makeDirectories()
    return try withLock { try startLocked(accounts: accounts) }
  }

  private func makeDirectories() throws {
    try Directories.make(directories.store)
    try Directories.make(directories.runtime)
  }

  /// Starts the store. The process must hold the lock.
  private func startLocked(
    accounts: Accounts
  ) throws -> (account: Account, notice: String?, wasStarted: Bool) {
    let name = AccountName("local")
    var account = try accounts.account(name)
    if account == nil { account = try setUp(name, accounts: accounts) }
    let isDown = try !isRunning()
    let notice = isDown ? try launch() : nil
    guard let account else { throw ClientError(.software, "The private store has no account.") }
    return (account, notice, isDown)
  }

  /// Starts the store again unless it runs or the user stopped it; nil if it is left alone.
  ///
  /// - Returns: The account on it, a sentence for the user if the address for publishers changed,
  ///   and whether this call started it.
  /// - Throws: ``ClientError`` with the store's own message.
  func startAgain(
    accounts: Accounts
  ) throws -> (account: Account, notice: String?, wasStarted: Bool)? {
    try makeDirectories()
    return try withLock { condition == .ended ? try startLocked(accounts: accounts) : nil }
  }

  /// Stops the store, waits for its end, and returns whether it was running.
  ///
  /// The store stays down until the user starts it, a command needs it, or a new screen or agent
  /// does.
  /// - Throws: ``ClientError`` if the process cannot be signalled or does not end.
  package func stop() throws -> Bool {
    guard access(directories.store, F_OK) == 0 else { return false }
    return try withLock {
      // Before the signal: a client that finds the store gone must not start it again. A full disk
      // must not prevent the user from stopping it.
      try? PrivateFile.write("", to: stopMark)
      guard try isRunning(), let process = try recordedProcess() else { return false }
      return try end(process)
    }
  }

  private func end(_ process: Int32) throws -> Bool {
    guard kill(process, SIGTERM) == 0 || errno == ESRCH else {
      let reason = errno
      unlink(stopMark)
      throw ClientError(.notAllowed, "Cannot stop process \(process): \(systemMessage(reason)).")
    }
    for _ in 0..<300 {
      if !Self.isAlive(process), !Self.accepts(socketPath) { return true }
      usleep(50_000)
    }
    throw ClientError(
      .tryLater, "The store (process \(process)) is still finishing its work.",
      next: "All confirmed changes are saved. Try again in a moment.")
  }

  /// Creates a publish token for any app and writes it as a header file.
  ///
  /// - Returns: The path of the file.
  package func renewPublishToken() throws -> String {
    let token = try administer([
      "token", "create", "--user", Self.userName, "--scope", "publish", "--any-app", "--name",
      "publish file",
    ])
    try Directories.make(directories.config)
    try PrivateFile.write("Authorization: Bearer \(token)\n", to: headerFile)
    return headerFile
  }

  /// Creates a token for another device of the store's user.
  package func deviceToken(name: String) throws -> String {
    try administer([
      "token", "create", "--user", Self.userName, "--scope", "device", "--name", name,
    ])
  }

  // MARK: - First start

  private static let userName = "me"

  private func setUp(_ name: AccountName, accounts: Accounts) throws -> Account {
    let users = try administer(["user", "list"]).split(separator: "\n")
    if !users.contains(where: { $0.split(separator: " ").first == "me" }) {
      _ = try administer(["user", "add", Self.userName])
    }
    let token = try deviceToken(name: Self.hostName())
    if try PrivateFile.read(headerFile) == nil { _ = try renewPublishToken() }
    let device = DeviceID(Self.deviceID(for: Self.hostName()))
    let account = Account(
      name: name, url: "unix:" + socketPath, device: device, deviceName: Self.hostName(),
      isPrivate: true)
    try accounts.save(account, token: token)
    return account
  }

  /// Runs an administration command of `bellhopd` on this store's data.
  private func administer(_ arguments: [String]) throws -> String {
    let log = directories.store + "/setup.log"
    unlink(log)
    let (output, exitCode) = try ChildProcess.run(
      program, arguments + ["--data", directories.store], errors: .file(log))
    guard exitCode == 0 else {
      throw ClientError(
        .storeUnavailable,
        "bellhopd \(arguments.prefix(2).joined(separator: " ")) failed with exit code \(exitCode): "
          + (lastLine(of: log) ?? "it printed no reason"),
        next: "Nothing was lost. The store's data is in \(directories.store).")
    }
    unlink(log)
    return output.trimmed
  }

  // MARK: - Launch

  private func launch() throws -> String? {
    unlink(stopMark)
    let recorded = try recordedPort()
    let wanted = recorded ?? preferredPort
    if let port = try serve(port: wanted) {
      if recorded != port { try record(port, as: "port") }
      return nil
    }
    // Another program has the port: publishers get a free one, and a notice reports it.
    guard let port = try serve(port: 0) else {
      throw ClientError(
        .storeUnavailable,
        "The private store does not start: \(lastLine(of: logPath) ?? "it printed no reason")",
        next: "Nothing was lost. Its log is \(logPath).")
    }
    try record(port, as: "port")
    return "Port \(wanted) is taken by another program; publish to \(Self.address(port))."
  }

  /// Starts `bellhopd serve` and returns the port it listens on; nil if it ended instead.
  ///
  /// - Parameter port: The port to use; 0 for any free port.
  private func serve(port: Int) throws -> Int? {
    let child = try ChildProcess.start(
      program,
      [
        "serve", "--data", directories.store, "--unix", socketPath, "--listen",
        "127.0.0.1:\(port)",
      ] + (lifeline == nil ? [] : ["--until-input-ends"]),
      lifeline: lifeline, errors: .file(logPath), isDetached: true)
    guard let line = ChildProcess.firstLine(of: child, within: Self.startMilliseconds) else {
      close(child.standardOutput)
      kill(child.processID, SIGTERM)
      _ = ChildProcess.wait(for: child.processID)
      return nil
    }
    close(child.standardOutput)
    try record(Int(child.processID), as: "pid")
    let digits = line.split(separator: " ").lazy
      .compactMap { word in word.hasPrefix("http") ? word.split(separator: ":").last : nil }
      .compactMap { Int($0.prefix { $0.isNumber }) }
    return digits.first ?? port
  }

  private var logPath: String { directories.store + "/store.log" }
  /// The path of the file that marks the store as stopped by the user.
  private var stopMark: String { directories.store + "/stopped" }

  private func lastLine(of path: String) -> String? {
    let text = try? PrivateFile.read(path)
    return text?.split(separator: "\n").last.map(String.init)
  }

  private func recordedPort() throws -> Int? { try recorded("port") }

  /// Returns the store's process id if that process is alive.
  private func recordedProcess() throws -> Int32? {
    guard let process = try recorded("pid").flatMap(Int32.init(exactly:)), Self.isAlive(process)
    else { return nil }
    return process
  }

  /// Returns whether the process runs.
  ///
  /// Reaps a child of this program that has ended. A zombie that its parent has not reaped yet does
  /// not count as running.
  private static func isAlive(_ process: Int32) -> Bool {
    guard waitpid(process, nil, WNOHANG) != process, kill(process, 0) == 0 else { return false }
    return ProcessFacts(process)?.isRunning ?? true
  }

  private func recorded(_ name: String) throws -> Int? {
    try PrivateFile.read(directories.store + "/" + name).flatMap { Int($0.trimmed) }
  }

  private func record(_ value: Int, as name: String) throws {
    try PrivateFile.write("\(value)\n", to: directories.store + "/" + name)
  }

  private func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    let path = directories.store + "/start.lock"
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw ClientError(.cannotCreate, "Cannot open \(path): \(systemMessage(errno)).")
    }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else {
        throw ClientError(.tryLater, "Cannot lock \(path): \(systemMessage(errno)).")
      }
    }
    return try body()
  }

  // MARK: - The system

  /// Returns whether a server accepts connections on the Unix socket.
  package static func accepts(_ path: String) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { space in
      guard path.utf8.count < space.count else { return false }
      space.copyBytes(from: path.utf8)
      return true
    }
    guard fits else { return false }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  /// Returns the machine's name, as other devices show it.
  package static func hostName() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "this-device" }
    let name = String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return name.isEmpty ? "this-device" : name
  }

  /// Creates an id for a device of this name: its plain letters and digits, and eight random
  /// digits.
  package static func deviceID(for name: String) -> String {
    let plain = name.utf8.filter { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }
    let random = String(UInt32.random(in: .min ... .max), radix: 16)
    return String(decoding: plain.prefix(32), as: UTF8.self) + "-"
      + String(repeating: "0", count: 8 - random.count) + random
  }
}
