internal import Glibc

/// The lock of the user's desktop session, as systemd-logind reports it.
package enum SessionLock {
  /// The longest wait for an answer, in milliseconds.
  package static let waitMax: Int32 = 1000

  /// Returns whether the session of this process, or else the user's desktop, is locked.
  ///
  /// - Parameter milliseconds: The longest wait for an answer.
  /// - Returns: nil over ssh, where the desktop is on another machine, and without an answer.
  package static func isLocked(
    environment: [String: String], within milliseconds: Int32 = waitMax
  ) -> Bool? {
    guard environment["SSH_CONNECTION"] == nil, environment["SSH_TTY"] == nil,
      let program = ChildProcess.find("loginctl", environment: environment)
    else { return nil }
    func answer(_ arguments: [String]) -> String? {
      guard let child = try? ChildProcess.start(program, arguments, input: "", isDetached: false)
      else { return nil }
      let line = ChildProcess.firstLine(of: child, within: milliseconds)
      // It may still be waiting for the bus.
      kill(child.processID, SIGKILL)
      ChildProcess.drain(child)
      _ = ChildProcess.wait(for: child.processID)
      return line.flatMap { $0.isEmpty ? nil : $0 }
    }
    // A user service belongs to no session.
    guard
      let session = environment["XDG_SESSION_ID"]
        ?? answer(["show-user", "self", "--property=Display", "--value"])
    else { return nil }
    return switch answer(["show-session", session, "--property=LockedHint", "--value"]) {
    case "yes": true
    case "no": false
    default: nil  // open: String
    }
  }
}

extension Configuration {
  /// Whether banners leave out titles and texts now.
  package func hidesPreviews(environment: [String: String]) -> Bool {
    switch previews {
    case .always: false
    case .whenUnlocked: SessionLock.isLocked(environment: environment) != false
    case .never: true
    }
  }
}
