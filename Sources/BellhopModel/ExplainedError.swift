/// An error with a description for users: plain words, without type names.
///
/// The descriptions of other libraries' errors are for developers, and are never shown.
package protocol ExplainedError: Error, CustomStringConvertible {}

extension Error {
  /// A description of the failure for users, in one line; generic for errors of other libraries.
  package var explanation: String {
    switch self {
    case let error as any ExplainedError:
      error.description.split(separator: "\n").joined(separator: " ")
    case is CancellationError: "The operation was cancelled."
    default: "An unexpected error occurred."  // open: any Error
    }
  }
}
