package import BellhopModel

/// A part of a device's outbox: the body of a request to `operations`.
package struct OperationsPayload: Hashable, Sendable, Codable {
  /// The maximum number of operations in one request. The store refuses more.
  package static let operationsMax = 1000

  package var lineage: Lineage
  /// The operations, with consecutive numbers.
  package var operations: [NumberedOperation]

  package init(lineage: Lineage, operations: [NumberedOperation]) {
    self.lineage = lineage
    self.operations = operations
  }
}

/// The store's response to a part of an outbox.
package struct OperationsAnswerPayload: Hashable, Sendable, Codable {
  /// The result of one operation.
  package struct Answer: Hashable, Sendable, Codable {
    package var number: Int64
    package var id: OperationID
    package var result: OperationResult

    package init(number: Int64, id: OperationID, result: OperationResult) {
      self.number = number
      self.id = id
      self.result = result
    }

    private enum CodingKeys: String, CodingKey {
      case number = "sequence"
      case id, result, reason, latestDateTime
    }

    /// The reason that means ``OperationResult/outcomeUnknown``.
    ///
    /// The result beside it is one that clients of every version know and do not send again.
    private static let unknown = "outcomeUnknown"

    package init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      number = try container.decode(Int64.self, forKey: .number)
      id = try container.decode(OperationID.self, forKey: .id)
      let word = try container.decode(String.self, forKey: .result)
      switch word {
      case "applied": result = .applied
      case "alreadyApplied": result = .alreadyApplied
      case "superseded": result = .superseded
      case "gone":
        let reason = try container.decodeIfPresent(String.self, forKey: .reason)
        result = reason == Self.unknown ? .outcomeUnknown : .gone
      case Self.unknown: result = .outcomeUnknown
      case "notPublished":
        result = .notPublished(try container.decode(String.self, forKey: .reason))
      case "refused":
        result = .refused(latest: try container.decode(Timestamp.self, forKey: .latestDateTime))
      default:  // open: String
        guard let fault = AppSettingsError(rawValue: word) else {
          throw container.invalid(
            .result,
            expected: "applied, alreadyApplied, superseded, gone, refused, "
              + "notPublished, "
              + AppSettingsError.allCases.map(\.rawValue).joined(separator: ", "))
        }
        result = .unacceptable(fault)
      }
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(number, forKey: .number)
      try container.encode(id, forKey: .id)
      switch result {
      case .applied: try container.encode("applied", forKey: .result)
      case .alreadyApplied: try container.encode("alreadyApplied", forKey: .result)
      case .superseded: try container.encode("superseded", forKey: .result)
      case .gone: try container.encode("gone", forKey: .result)
      case .refused(let latest):
        try container.encode("refused", forKey: .result)
        try container.encode(latest, forKey: .latestDateTime)
      case .unacceptable(let fault): try container.encode(fault.rawValue, forKey: .result)
      case .outcomeUnknown:
        try container.encode("gone", forKey: .result)
        try container.encode(Self.unknown, forKey: .reason)
      case .notPublished(let reason):
        try container.encode("notPublished", forKey: .result)
        try container.encode(reason, forKey: .reason)
      }
    }
  }

  /// One result for each operation, in order.
  package var results: [Answer]
  /// The change counter after the operations. A delta that reaches it contains every effect.
  package var sequence: SequenceNumber
  /// The epoch of the sequence.
  package var epoch: Epoch

  package init(results: [Answer], sequence: SequenceNumber, epoch: Epoch) {
    self.results = results
    self.sequence = sequence
    self.epoch = epoch
  }
}
