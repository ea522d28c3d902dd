#if BELLHOP_POSTGRES
package import BellhopStorePostgres
import BellhopTestSupport
import Foundation
import Glibc
import Synchronization

/// A throw-away cluster of PostgreSQL in its own folder, reached by a socket there.
///
/// A shell runs the server and ends it, with everything in the folder, when this process closes a
/// socket. So nothing outlives the tests, even if they crash.
package final class PostgresCluster: Sendable {
  /// The folder of `initdb` and `postgres`; nil if they are not installed.
  private static let programs = PostgresPrograms.folder(with: ["initdb", "postgres"])

  /// Whether PostgreSQL is installed; CI requires it.
  package static let isInstalled = programs != nil || getenv("BELLHOP_CI") != nil

  package let folder: String
  private let port: String
  private let process: pid_t
  /// The end of the socket that keeps the server running.
  private let lifeline: Mutex<Int32?>

  /// Starts a server.
  ///
  /// - Parameters:
  /// - options: Settings of the server, such as `deadlock_timeout=100ms`.
  /// - files: Files for the server, by their names in ``folder``, with its user as their owner.
  /// - port: Only in the name of the socket, which is in a folder of its own, unless the options
  ///   let the server listen to a network.
  package init(
    options: [String] = [], files: [String: String] = [:], port: String = "5432"
  ) async throws {
    self.port = port
    let programs = try ClusterError.require(Self.programs, "PostgreSQL is not installed")
    let folder = try TemporaryFolder().path
    self.folder = folder
    for (name, text) in files {
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
      chmod("\(folder)/\(name)", 0o600)
    }
    var command = ["/bin/sh", "-c", Self.script, "sh", folder, programs]
    if geteuid() == 0 {
      // PostgreSQL refuses to run as root.
      let user = try ClusterError.require(
        getpwnam("postgres")?.pointee, "the user postgres is missing")
      for path in [folder] + files.keys.map({ "\(folder)/\($0)" }) {
        chown(path, user.pw_uid, user.pw_gid)
      }
      command =
        ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        + command
    }
    for option in ["port=\(port)"] + options { command += ["-c", option] }
    let lifeline: Int32
    (process, lifeline) = try Self.spawn(command)
    self.lifeline = Mutex(lifeline)
    do {
      let settings = try settings()
      try await eventually("a server that accepts connections", last: log) {
        (try? PostgresConnection.open(settings)) != nil
      }
    } catch {
      stop()
      throw error
    }
  }

  deinit { stop() }

  /// Ends the server and removes its folder.
  package func stop() {
    lifeline.withLock { lifeline in
      guard let end = lifeline else { return }
      lifeline = nil
      close(end)
      _ = Self.exitStatus(of: process)
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  /// Runs a program to its end.
  package static func run(_ arguments: String...) throws {
    let (process, lifeline) = try spawn(arguments)
    close(lifeline)
    guard exitStatus(of: process) == 0 else { throw ClusterError("\(arguments[0]) has failed") }
  }

  /// Waits for the end of a process, which is killed if it takes too long.
  private static func exitStatus(of process: pid_t) -> Int32 {
    let limit = ContinuousClock.now + patience
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 {
      if ContinuousClock.now >= limit { kill(process, SIGKILL) }
      usleep(5000)
    }
    return status
  }

  /// The address of a database on this server.
  package func address(user: String = "postgres", database: String = "postgres") -> String {
    "postgres://\(user)@/\(database)?host=\(folder)&port=\(port)"
  }

  /// The settings for this server, with limits that are long on a busy machine.
  package func settings(
    user: String = "postgres", schema: String = "public"
  ) throws -> PostgresSettings {
    var settings = try PostgresSettings(address: address(user: user))
    settings.session = PostgresSettings.session(schema: schema)
    settings.connectTimeout = patience
    settings.answerTimeout = patience
    settings.commitTimeout = patience
    return settings
  }

  /// The server's messages.
  package var log: String { (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "" }

  // MARK: - Starting

  /// The arguments are the folder, that of the programs, and options of the server.
  private static let script = #"""
    cd "$1" && programs=$2 && folder=$1 && shift 2 || exit
    "$programs/initdb" -D data -U postgres --auth=trust --no-sync -E UTF8 --locale=C >log 2>&1
    { echo 'local all guarded scram-sha-256'; cat data/pg_hba.conf; } >rules
    mv rules data/pg_hba.conf
    "$programs/postgres" -D data -k "$folder" -c listen_addresses= -c fsync=off \
      -c max_connections=60 -c shared_buffers=16MB -c max_wal_size=64MB "$@" >>log 2>&1 &
    server=$!
    read -r _
    # The shell lets its background programs ignore QUIT, and so does the server until it has begun.
    kill -TERM "$server"
    kill -QUIT "$server"
    wait "$server"
    cd / && rm -rf "$folder"
    """#

  /// Starts a program that reads from a socket.
  private static func spawn(_ arguments: [String]) throws -> (process: pid_t, lifeline: Int32) {
    var ends: [Int32] = [-1, -1]
    // Another program must not inherit the end that keeps the server running.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw ClusterError("a socket cannot be created")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var process = pid_t()
    let list = arguments.map { strdup($0) }
    defer { for text in list { free(text) } }
    let code = posix_spawn(&process, arguments[0], &actions, nil, list + [nil], environ)
    close(ends[0])
    guard code == 0 else { throw ClusterError("\(arguments[0]) cannot be started") }
    return (process, ends[1])
  }
}

/// The reason why a part of a cluster could not be started or used.
package struct ClusterError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  /// Returns the value.
  ///
  /// - Throws: The error, if there is no value.
  package static func require<Value>(_ value: Value?, _ description: String) throws -> Value {
    guard let value else { throw ClusterError(description) }
    return value
  }
}
#endif
