package import BellhopModel

/// The state of a publisher's wait for an answer; without a body while there is none.
package struct ResponsePayload: Hashable, Sendable, Codable {
  package enum Status: String, Hashable, Sendable, Codable {
    case answered
    case expired
    case superseded
  }

  package var status: Status
  /// The id of the chosen action, `default` for an opened item, or `dismiss`.
  package var actionId: String?
  package var actionText: String?
  package var dateTime: Timestamp?

  package init(
    status: Status, actionId: String? = nil, actionText: String? = nil, dateTime: Timestamp? = nil
  ) {
    self.status = status
    self.actionId = actionId
    self.actionText = actionText
    self.dateTime = dateTime
  }
}
