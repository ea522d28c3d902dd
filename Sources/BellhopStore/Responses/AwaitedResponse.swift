package import BellhopModel

/// A publisher's wait for the user's answer to an item.
///
/// The token that published the item reads the answer. It learns which action was chosen, the typed
/// text and the time, and nothing else of what the user does with the item.
package struct AwaitedResponse: Hashable, Sendable {
  /// The user's answer.
  package struct Answer: Hashable, Sendable {
    /// The id of the chosen action, ``defaultAction`` or ``dismissAction``.
    package var action: String
    /// The text that the user typed.
    package var text: String?
    package var at: Timestamp

    /// The action of a user who opened the item.
    package static let defaultAction = "default"
    /// The action of a user who dismissed an item whose category reports that.
    package static let dismissAction = "dismiss"

    package init(action: String, text: String? = nil, at: Timestamp) {
      self.action = action
      self.text = text
      self.at = at
    }
  }

  package var item: NotificationID
  /// The token that published the item.
  package var token: AccessTokenID
  /// The content that asks; a later one is another question, or none.
  package var contentSequence: SequenceNumber
  /// The end of the wait.
  package var expires: Timestamp
  /// The answer; the first one stays.
  package var answer: Answer?
  /// Whether the item was published again without a question.
  package var isSuperseded = false

  package init(
    item: NotificationID, token: AccessTokenID, contentSequence: SequenceNumber,
    expires: Timestamp, answer: Answer? = nil, isSuperseded: Bool = false
  ) {
    self.item = item
    self.token = token
    self.contentSequence = contentSequence
    self.expires = expires
    self.answer = answer
    self.isSuperseded = isSuperseded
  }

  /// The state of the wait at `now`.
  package func status(at now: Timestamp) -> ResponseStatus {
    if let answer { return .answered(answer) }
    if isSuperseded { return .superseded }
    return now < expires ? .pending : .expired
  }
}

/// The state of a publisher's wait for an answer.
package enum ResponseStatus: Hashable, Sendable {
  /// The user has not answered yet. A deleted or snoozed item has this status too.
  case pending
  case answered(AwaitedResponse.Answer)
  /// The item expired without an answer.
  case expired
  /// The item was published again.
  case superseded
}

/// Read access to publishers' waits. Part of ``StoreReading``.
package protocol ResponseReading: AnyObject {
  func awaitedResponse(_ item: NotificationID, of user: UserID) throws -> AwaitedResponse?
}

/// Write access to publishers' waits. Part of ``StoreTransaction``.
package protocol ResponseRecords: ResponseReading {
  /// Stores a wait, in place of an earlier one for the same item.
  func put(_ response: AwaitedResponse, of user: UserID) throws
  /// Removes waits of all users that ended before `time`; returns their number.
  func removeAwaitedResponses(endedBefore time: Timestamp, limit: Int) throws -> Int
}
