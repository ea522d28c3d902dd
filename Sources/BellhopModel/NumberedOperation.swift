/// An operation with its number in its lineage, as an outbox sends it (SYNC-9).
public struct NumberedOperation: Hashable, Sendable {
  /// The number, from 1 and without gaps for each device, lineage and epoch.
  public var number: Int64
  public var operation: Operation

  public init(number: Int64, operation: Operation) {
    self.number = number
    self.operation = operation
  }
}

extension NumberedOperation: Codable {
  private enum CodingKeys: String, CodingKey {
    case number = "sequence"
  }

  /// Decodes the operation's own members and, beside them, the number.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    number = try container.decode(Int64.self, forKey: .number)
    guard number >= 1 else {
      throw container.invalid(.number, expected: "a number from 1")
    }
    operation = try Operation(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(number, forKey: .number)
    try operation.encode(to: encoder)
  }
}
