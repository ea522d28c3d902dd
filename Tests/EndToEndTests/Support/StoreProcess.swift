import BellhopTestSupport
import FoundationEssentials
import Glibc
import Synchronization

/// A `bellhopd` process with its own data and one user.
final class StoreProcess: Sendable {
  private let folder: String
  private let fault: Fault?
  private let state = Mutex<State>(State())

  private struct State {
    var child: Child?
    /// The same after each restart.
    var port = 0
  }

  private static let user = "alice"

  init(folder: String, fault: Fault? = nil) throws {
    self.folder = folder
    self.fault = fault
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  var port: Int { state.withLock { $0.port } }
  var url: String { "http://127.0.0.1:\(port)" }
  private var data: String { folder + "/data" }
  var database: String { data + "/store.sqlite" }
  private var environment: [String: String] {
    ["HOME": folder, "PATH": "/usr/bin:/bin", "TZ": "UTC", "LANG": "C.UTF-8"]
      .merging(fault?.environment ?? [:]) { $1 }.merging(Programs.mutant) { $1 }
  }

  // MARK: - Starting and stopping

  /// Starts the store; returns when it accepts connections.
  ///
  /// - Parameters:
  /// - more: Further arguments of `serve`.
  /// - changes: Changes to its environment.
  func start(more: [String] = [], environment changes: [String: String] = [:]) async throws {
    let child = try Child(
      Programs.bellhopd, ["serve", "--data", data, "--listen", "127.0.0.1:\(port)"] + more,
      environment: environment.merging(changes) { $1 }, directory: folder,
      folder: folder + "/output", launcher: fault?.launcher ?? [])
    state.withLock { $0.child = child }
    let port: Int = try await eventually(
      "the store's ready line", last: child.output + child.errors
    ) {
      if let ending = child.endingIfEnded {
        throw NotSeen("a store that runs", seen: "\(ending)\n\(child.output)\(child.errors)")
      }
      // An incomplete line must not be read as a shorter port.
      guard
        let line = child.output.split(separator: "\n", omittingEmptySubsequences: false)
          .dropLast().first(where: { $0.contains("http") })
      else { return nil }
      return line.split(separator: ":").last.flatMap { Int($0) }
    }
    state.withLock { $0.port = port }
  }

  var processID: pid_t? { state.withLock { $0.child?.processID } }

  /// Sends a signal to the store.
  func signal(_ number: Int32) { state.withLock { $0.child }?.signal(number) }

  /// Asks the store to end, and waits until it has.
  @discardableResult
  func stop() async throws -> Child.Ending {
    guard let child = state.withLock({ $0.child }) else { return .exited(0) }
    child.signal(SIGTERM)
    return try await child.waitForEnd()
  }

  /// Kills the store without a chance to react.
  func crash() async throws {
    guard let child = state.withLock({ $0.child }) else { return }
    child.signal(SIGKILL)
    _ = try await child.waitForEnd()
  }

  func end() async { await state.withLock { $0.child }?.end() }

  /// The store's log.
  var log: String { state.withLock { $0.child }.map { $0.output + $0.errors } ?? "" }

  // MARK: - Administration

  /// Runs a `bellhopd` command on its data.
  ///
  /// - Parameter onData: Whether the command accepts `--data`.
  func administer(_ arguments: [String], onData: Bool = true) async throws -> Outcome {
    let child = try Child(
      Programs.bellhopd, arguments + (onData ? ["--data", data] : []), environment: environment,
      directory: folder, folder: folder + "/output", launcher: fault?.launcher ?? [])
    let ending = try await child.waitForEnd()
    guard case .exited(let exitCode) = ending else { throw NotSeen("an exit", seen: "\(ending)") }
    return Outcome(
      output: child.output, outputBytes: child.outputBytes, errors: child.errors,
      exitCode: exitCode)
  }

  private func succeed(_ arguments: [String]) async throws -> String {
    let outcome = try await administer(arguments)
    guard outcome.exitCode == 0 else {
      throw NotSeen("success of bellhopd \(arguments)", seen: outcome.output + outcome.errors)
    }
    return outcome.line
  }

  func addUser() async throws { _ = try await succeed(["user", "add", Self.user]) }

  /// Creates a token.
  func token(scope: String, _ more: String...) async throws -> String {
    try await succeed(["token", "create", "--user", Self.user, "--scope", scope] + more)
  }

  /// Revokes the token with this name.
  func revokeToken(named name: String) async throws {
    let list = try await succeed(["token", "list"])
    guard let line = list.split(separator: "\n").first(where: { $0.contains(name) }),
      let id = line.split(whereSeparator: \.isWhitespace).first
    else { throw NotSeen("a token named \(name)", seen: list) }
    _ = try await succeed(["token", "revoke", String(id)])
  }

  /// A publisher for any app.
  func publisher() async throws -> Publisher {
    Publisher(
      address: url, token: try await token(scope: "publish", "--any-app"), folder: folder)
  }

  /// A program that reads the store with a device's token.
  func reader() async throws -> Publisher {
    Publisher(address: url, token: try await token(scope: "device"), folder: folder)
  }
}
