internal import BellhopModel
internal import Glibc

/// The program that asks users to prove who they are, before an action that requires it.
///
/// It protects this client only: a program with a device token can send the store any operation.
package struct Authenticator: Sendable {
  /// The polkit action that the package installs. It always asks for the user's own password.
  static let polkitAction = "org.bellhop.perform-action"
  private static let polkitPolicy = "/usr/share/polkit-1/actions/org.bellhop.policy"

  /// The facts that determine the program.
  struct Circumstances {
    /// The program of `[actions] authenticate`, with its arguments.
    var configured: [String]?
    var environment: [String: String]
    var isRoot: Bool
    /// Whether a file or program exists.
    var exists: @Sendable (_ path: String) -> Bool
    /// The output of a command that needs no terminal, as its exit code.
    var status: @Sendable (_ command: [String]) -> Int32
  }

  enum Program: Hashable, Sendable {
    /// A program with its arguments, which succeeds if the user is who they say.
    case command([String])
    /// There is none, for this reason, which is a clause.
    case none(reason: String)
  }

  let program: Program

  /// Finds the program on this machine.
  package init(_ context: ClientContext) {
    self.init(
      Circumstances(
        configured: context.configuration.authenticate, environment: context.environment,
        isRoot: geteuid() == 0, exists: { access($0, F_OK) == 0 },
        status: { (try? ShellCommand.runAndWait(ShellCommand.line(of: $0), input: "", [:])) ?? 127 }
      ))
  }

  init(_ circumstances: Circumstances) {
    program =
      circumstances.configured.map(Program.command) ?? Self.polkit(circumstances)
      ?? Self.sudo(circumstances)
  }

  private static func polkit(_ circumstances: Circumstances) -> Program? {
    let environment = circumstances.environment
    // An agent that shows polkit's question runs in a desktop session.
    guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil,
      environment["SSH_CONNECTION"] == nil, circumstances.exists(polkitPolicy),
      let pkcheck = ChildProcess.find("pkcheck", environment: environment)
    else { return nil }
    return .command([
      pkcheck, "--action-id", polkitAction, "--process", process, "--allow-user-interaction",
    ])
  }

  private static func sudo(_ circumstances: Circumstances) -> Program {
    guard let sudo = ChildProcess.find("sudo", environment: circumstances.environment) else {
      return .none(reason: "neither polkit nor sudo can ask for your password here")
    }
    guard !circumstances.isRoot else {
      return .none(reason: "sudo does not ask root for a password")
    }
    guard circumstances.status([sudo, "-k", "-n", "true"]) != 0 else {
      return .none(reason: "sudo does not ask for a password here")
    }
    return .command([sudo, "-k", "-v", "-p", "Your password: "])
  }

  /// Asks the user, on the terminal or in a window.
  ///
  /// - Returns: nil if the user was authenticated; otherwise the reason, as a clause.
  package func authenticate() -> String? {
    switch program {
    case .none(let reason): return reason + "; set authenticate under [actions]"
    case .command(let command):
      do {
        let status = try ShellCommand.runAndWait(ShellCommand.line(of: command), input: "", [:])
        return status == 0 ? nil : "you were not authenticated (exit status \(status))"
      } catch {
        return error.explanation
      }
    }
  }

  /// The process with its start time and user, so that another one cannot take its place
  /// (pkcheck(1)).
  private static var process: String {
    guard let start = ProcessFacts(getpid())?.startTime else { return String(getpid()) }
    return "\(getpid()),\(start),\(getuid())"
  }
}

extension ShellCommand {
  /// Returns a command line that runs a program with these arguments, and no other.
  static func line(of arguments: [String]) -> String {
    "exec "
      + arguments.map {
        "'"
          + $0.split(separator: "'", omittingEmptySubsequences: false)
          .joined(separator: "'\\''") + "'"
      }.joined(separator: " ")
  }
}
