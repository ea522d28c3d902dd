package import BellhopModel

/// What became of one line of a bulk publication; the answer has one line for each, in order.
package struct BulkResultPayload: Hashable, Sendable, Codable {
  /// Why a line was refused.
  package struct Problem: Hashable, Sendable, Codable {
    package var code: ErrorCode
    /// For people: which field was wrong and what was expected.
    package var message: String

    package init(code: ErrorCode, message: String) {
      self.code = code
      self.message = message
    }
  }

  /// The line's number in the request, from 1; empty lines count and have no result.
  package var line: Int
  /// What the publication would have been answered by itself: 201, or a refusal.
  package var status: Int
  package var id: NotificationID?
  package var shortNumber: Int64?
  package var error: Problem?

  /// The line was published.
  package init(line: Int, id: NotificationID, shortNumber: Int64) {
    self.line = line
    status = 201
    self.id = id
    self.shortNumber = shortNumber
  }

  /// The line was refused, and nothing of it stored.
  package init(line: Int, status: Int, error: Problem) {
    self.line = line
    self.status = status
    self.error = error
  }
}
