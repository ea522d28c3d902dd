internal import BellhopModel

/// Keeps errors of other libraries out of what a person reads: their texts name types and files.
extension DefaultStringInterpolation {
  mutating func appendInterpolation<Failure: ExplainedError>(_ error: Failure) {
    appendLiteral(error.description)
  }

  @available(*, unavailable, message: "Write its explanation: the error may be of another library.")
  mutating func appendInterpolation(_ error: any Error) { appendLiteral(error.explanation) }
}
