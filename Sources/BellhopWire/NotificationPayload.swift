package import BellhopModel

/// An item as devices see it: content, registers with their provenance, sequences.
///
/// Decoding returns exactly the item that was encoded whole.
package struct NotificationPayload: Hashable, Sendable {
  package var item: UserNotification
  /// The times of the item's trigger, which only the store writes.
  package var times: TriggerTimes?
  /// The members to write; nil for all. An item with only some of them cannot be decoded.
  package var selection: ItemSelection?

  package init(
    _ item: UserNotification, times: TriggerTimes? = nil,
    selecting selection: ItemSelection? = nil
  ) {
    self.item = item
    self.times = times
    self.selection = selection
  }

  /// Returns the quoted entity tag of an item in this state.
  package static func entityTag(_ state: ItemState) -> String { "\"\(state.sequence)\"" }
}

/// An item as publishers see it: only the fields that publishers write.
///
/// A publish token can therefore never learn whether a user has read or handled an item. That is why
/// the repeats are not a member: their rounds end when the user handles the item.
package struct PublishedPayload: Hashable, Sendable {
  package var id: NotificationID
  package var shortNumber: Int64
  package var created: Timestamp
  package var content: Content

  package init(_ item: UserNotification) {
    self.init(
      id: item.id, shortNumber: item.shortNumber, created: item.created, content: item.content)
  }

  init(id: NotificationID, shortNumber: Int64, created: Timestamp, content: Content) {
    self.id = id
    self.shortNumber = shortNumber
    self.created = created
    self.content = content
  }

  /// OData's context of a response that is one entity.
  ///
  /// Relative, because a store does not know the names under which clients reach it (OData JSON
  /// Format 4.01 §4.5.1).
  static let context = "$metadata#me/notifications/$entity"
}

/// A page of an item list.
package struct ListPayload: Hashable, Sendable {
  package var items: [UserNotification]
  /// The times of the items' triggers, which only the store writes.
  package var times: [NotificationID: TriggerTimes]
  /// The total number of items, if requested.
  package var count: Int?
  /// The address of the next page; nil on the last one.
  package var nextLink: String?
  /// The members of the items to write; nil for all.
  package var selection: ItemSelection?

  package init(
    items: [UserNotification], times: [NotificationID: TriggerTimes] = [:], count: Int? = nil,
    nextLink: String?, selecting selection: ItemSelection? = nil
  ) {
    self.items = items
    self.times = times
    self.count = count
    self.nextLink = nextLink
    self.selection = selection
  }
}

// MARK: - Keys and parts

/// The form of items, settings and categories on the wire, as a client reads it.
package enum WireForm {
  /// The number of the form, which is raised with a new member.
  ///
  /// A client ignores members that it does not know. A version with a higher number reads everything
  /// from the store again.
  package static let number = 5
}

/// Every key of an item on the wire.
enum ItemKey: String, CodingKey, CaseIterable {
  case context = "@odata.context"
  case etag = "@odata.etag"
  case removed = "@removed"
  case id, shortNumber, status, createdDateTime, arrivalDateTime, sequence, contentSequence
  case lastModifiedDateTime, lastCrossingDateTime
  case targetHostName, appNotificationId, groupName, priority, tags, payload, clickUrl
  case expirationDateTime, displayTimeToLive, deliverAfterDateTime, trigger
  case lastOccurrenceDateTime, nextTriggerDateTime
  case category, actions, attachments, sound, badge, markdown, icon, targetPolicy, fallbackPolicy
  case awaitsResponse, userInfo, mutableContent, environment
  case readState, readStateChange, userActionState, snoozedUntilDateTime, userActionStateChange
  case pinned = "kept"
  case pinnedChange = "keptChange"
  case cancelled, cancelledChange
  case applied, appliedChange
  case meaningSequence, resolvedDateTime, repeats, startedDateTime
}
