package import BellhopModel
internal import Glibc

/// An exit code of `sysexits.h`, as documented for the commands.
package enum ExitCode: Int32, Sendable, CaseIterable {
  case success = 0
  case usage = 64
  case badData = 65
  case noSuchItem = 66
  case storeUnavailable = 69
  case software = 70
  case cannotCreate = 73
  case inputOutput = 74
  case tryLater = 75
  case notAllowed = 77
  case configuration = 78

  /// Ends the process with 128 and the signal's number, as a shell reports a death by signal.
  ///
  /// Returns if there was no signal.
  package static func exit(by signal: Int32?) {
    if let signal { Glibc.exit(128 + signal) }
  }
}

/// The reason why a command of the client stopped, as text for the user.
package struct ClientError: ExplainedError, Sendable {
  package let exitCode: ExitCode
  /// A description of the failure.
  package let what: String
  /// The state of the user's data and advice on the next step.
  package var next: String?

  package init(_ exitCode: ExitCode, _ what: String, next: String? = nil) {
    self.exitCode = exitCode
    self.what = what
    self.next = next
  }

  package var description: String { next.map { "\(what)\n\($0)" } ?? what }
}

extension StringProtocol {
  /// The text without leading and trailing white space.
  package var trimmed: String {
    var text = drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

/// Keeps errors of other libraries out of texts for the user: theirs name types and files.
extension DefaultStringInterpolation {
  package mutating func appendInterpolation<Failure: ExplainedError>(_ error: Failure) {
    appendLiteral(error.description)
  }

  @available(*, unavailable, message: "Write its explanation: the error may be of another library.")
  package mutating func appendInterpolation(_ error: any Error) { appendLiteral(error.explanation) }
}
