/// An error whose description is written for a person: in plain words, with no name of a type.
///
/// The descriptions of other libraries' errors are for developers, and are never shown.
package protocol ExplainedError: Error, CustomStringConvertible {}

extension Error {
  /// What failed, in one line for a person; also of an error that has no words for one.
  package var explanation: String {
    switch self {
    case let error as any ExplainedError:
      error.description.split(separator: "\n").joined(separator: " ")
    case is CancellationError: "It was cancelled."
    default: "Something failed in a way that is not known here."  // open: any Error
    }
  }
}
