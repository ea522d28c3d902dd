package import BellhopModel

/// The result of one line of a bulk publication. The response has one for each line, in order.
package struct BulkResultPayload: Hashable, Sendable, Codable {
  /// The reason why a line was refused.
  package struct Problem: Hashable, Sendable, Codable {
    package var code: ErrorCode
    /// A human-readable message: which field was wrong and what was expected.
    package var message: String

    package init(code: ErrorCode, message: String) {
      self.code = code
      self.message = message
    }
  }

  /// The line's number in the request, from 1. Empty lines count but have no result.
  package var line: Int
  /// The status that publishing the line alone would have had: 201, or a refusal.
  package var status: Int
  package var id: NotificationID?
  package var shortNumber: Int64?
  package var error: Problem?

  /// Creates the result of a published line.
  package init(line: Int, id: NotificationID, shortNumber: Int64) {
    self.line = line
    status = 201
    self.id = id
    self.shortNumber = shortNumber
  }

  /// Creates the result of a refused line, of which the store kept nothing.
  package init(line: Int, status: Int, error: Problem) {
    self.line = line
    self.status = status
    self.error = error
  }
}
