package import BellhopClient

/// What a check found.
package struct Finding: Hashable, Sendable {
  package enum Grade: String, Hashable, Sendable, Codable {
    case ok, warning, broken
    /// It could not be checked, because of something that an earlier check reports.
    case skipped
  }

  package var grade: Grade
  package var text: String
  /// What to do about it.
  package var advice: String?
  /// The exit code of the command when this is the first broken thing.
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

  /// What an error of another room means.
  static func broken(_ error: any Error) -> Finding {
    .broken(ClientError(explaining: error))
  }
}

/// One thing that `bellhop doctor` looks at. A new check is one value, in ``all``.
struct DoctorCheck: Sendable {
  /// The check's name in `--json`; a promise once released.
  var id: String
  /// What people read.
  var title: String
  /// Whether it is made for each account, or once.
  var isOfAccount = true
  /// Nil where the check has no meaning: TLS of a socket.
  var look: @Sendable (Examination) -> Finding?

  /// From the inside out: what later ones need is looked at first.
  static let all: [DoctorCheck] = [
    .configuration, .keys, .theme, .directories, .terminal, .multiplexer, .accounts,
    .cache, .integrity, .room, .engine, .outbox,
    .privateStore, .address, .certificate, .store, .version, .clock,
    .storeClock,
    .token, .device, .signals,
  ]
}
