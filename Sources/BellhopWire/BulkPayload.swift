public import BellhopModel

/// What became of one line of a bulk publication; the answer has one line for each, in order.
public struct BulkResultPayload: Hashable, Sendable, Codable {
  /// Why a line was refused.
  public struct Problem: Hashable, Sendable, Codable {
    public var code: ErrorCode
    /// For people: which field was wrong and what was expected.
    public var message: String

    public init(code: ErrorCode, message: String) {
      self.code = code
      self.message = message
    }
  }

  /// The line's number in the request, from 1; empty lines count and have no result.
  public var line: Int
  /// What the publication would have been answered by itself: 201, or a refusal.
  public var status: Int
  public var id: NotificationID?
  public var shortNumber: Int64?
  public var error: Problem?

  /// The line was published.
  public init(line: Int, id: NotificationID, shortNumber: Int64) {
    self.line = line
    status = 201
    self.id = id
    self.shortNumber = shortNumber
  }

  /// The line was refused, and nothing of it stored.
  public init(line: Int, status: Int, error: Problem) {
    self.line = line
    self.status = status
    self.error = error
  }
}
