package import BellhopClient

/// The result of a check.
package struct Finding: Hashable, Sendable {
  package enum Grade: String, Hashable, Sendable, Codable {
    case ok, warning, broken
    /// A check that was impossible because of a problem that an earlier check reports.
    case skipped
  }

  package var grade: Grade
  package var text: String
  /// Advice on how to fix the problem.
  package var advice: String?
  /// The exit code of the command if this is the first broken check.
  package var exitCode = ExitCode.success

  static func ok(_ text: String) -> Finding { Finding(grade: .ok, text: text) }
  static func skipped(_ text: String) -> Finding { Finding(grade: .skipped, text: text) }

  static func warning(_ text: String, _ advice: String? = nil) -> Finding {
    Finding(grade: .warning, text: text, advice: advice)
  }

  static func broken(_ code: ExitCode, _ text: String, _ advice: String? = nil) -> Finding {
    Finding(grade: .broken, text: text, advice: advice, exitCode: code)
  }

  static func broken(_ error: ClientError) -> Finding {
    .broken(error.exitCode, error.what, error.next)
  }

  /// Converts an error of another module.
  static func broken(_ error: any Error) -> Finding {
    .broken(ClientError(explaining: error))
  }
}

/// A single check of `bellhop doctor`. A new check is one value in ``all``.
struct DoctorCheck: Sendable {
  /// The check's name in `--json`, which is stable once released.
  var id: String
  /// The title for users.
  var title: String
  /// Whether the check runs for each account, or only once.
  var isOfAccount = true
  /// The check itself, which returns nil if it does not apply, such as TLS of a socket.
  ///
  /// If it throws, what it checks is broken.
  var run: @Sendable (Examination) throws -> Finding?

  /// Runs the check.
  func finding(_ examination: Examination) -> Finding? {
    do { return try run(examination) } catch { return .broken(error) }
  }

  /// All checks, from the inside out: later ones depend on earlier ones.
  static let all: [DoctorCheck] = [
    .configuration, .keys, .theme, .previews, .directories, .terminal, .multiplexer, .accounts,
    .cache, .integrity, .room, .engine, .outbox, .places,
    .privateStore, .address, .certificate, .store, .version, .clock,
    .storeClock,
    .token, .device, .signals,
  ]
}
