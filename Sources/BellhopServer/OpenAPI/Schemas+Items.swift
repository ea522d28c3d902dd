internal import BellhopModel
internal import BellhopWire

extension Schemas {
  /// The fields of publishers in the store's responses.
  private static let content: [String: JSONValue] = [
    "targetHostName": text, "appNotificationId": text, "groupName": text,
    "priority": words("min", "low", "normal", "high", "urgent"),
    "tags": list(text), "payload": reference("Payload"), "clickUrl": text,
    "expirationDateTime": time, "displayTimeToLive": count, "deliverAfterDateTime": time,
    "trigger": reference("Trigger"),
    "category": text, "actions": list(reference("Action")),
    "attachments": list(reference("Attachment")), "sound": text, "badge": count,
    "markdown": bool, "icon": text, "awaitsResponse": bool,
    "userInfo": ["type": "object"], "mutableContent": bool, "environment": words("development"),
    "startedDateTime": time,
    "targetPolicy": closed(["platformTypes"], ["platformTypes": list(text)]),
    "fallbackPolicy": closed(
      ["endpointFallback"],
      [
        "endpointFallback": closed(
          ["platformTypes", "fallbackDelayInSeconds"],
          [
            "platformTypes": list(text), "fallbackDelayInSeconds": count,
            "visualContent": reference("VisualContent"),
          ])
      ]),
  ]

  private static let state = merged(
    [
      "sequence": count, "contentSequence": count, "lastModifiedDateTime": time,
      "lastCrossingDateTime": described(
        time, "The last arrival at the place of the trigger, or departure, that delivered it."),
      "meaningSequence": described(
        count, "The contentSequence of the last publication that was not a repeat, if another."),
      "resolvedDateTime": described(time, "When the alert was resolved, as its publisher says."),
    ], values,
    Dictionary(
      uniqueKeysWithValues: ItemRegister.all.map { ($0.changeName, reference("RegisterChange")) }))

  private static let stateNames =
    ["sequence", "contentSequence", "lastModifiedDateTime"]
    + ItemRegister.all.filter { !$0.isOptional }.map(\.name)

  /// The values of the registers, in items and in changes.
  private static let values: [String: JSONValue] = ItemRegister.all.reduce(into: [:]) {
    $0[$1.name] = value(of: $1)
    if let untilName = $1.untilName { $0[untilName] = time }
  }

  private static func value(of register: ItemRegister) -> JSONValue {
    switch register.form {
    case .words: words(register.words)
    case .flag: bool
    case .document: reference("AppliedEffect")
    }
  }

  private static let identity: [String: JSONValue] = [
    "id": uuid, "shortNumber": count, "status": words("active"), "createdDateTime": time,
    "arrivalDateTime": time,
    "lastOccurrenceDateTime": described(
      time, "The latest delivery by the trigger, in an answer of the store."),
    "nextTriggerDateTime": described(
      time, "The next delivery by the trigger, in an answer of the store."),
    "repeats": reference("Repeats"),
  ]

  private static let chosenAction =
    "Which of the item's actions was chosen; with userActionState activated or dismissed."

  /// The repeats of an item until the user handles it.
  private static let round: [String: JSONValue] = ["count": count, "first": time, "last": time]

  /// The occurrences of an item whose repeats collapse into it.
  private static let repeats: JSONValue = closed(
    ["count", "first", "last", "bucketSeconds", "buckets"],
    merged(
      round,
      [
        "bucketSeconds": count,
        "buckets": described(
          list(count, max: Repeats.bucketsMax),
          "The occurrences from first on, in intervals of bucketSeconds."),
        "earlier": described(
          list(closed(["count", "first", "last"], round), max: Repeats.earlierMax),
          "The rounds that ended when the user handled the item, newest first."),
      ]))

  private static func merged(_ parts: [String: JSONValue]...) -> [String: JSONValue] {
    parts.reduce(into: [:]) { $0.merge($1) { $1 } }
  }

  static let item: JSONValue = closed(
    [
      "@odata.etag", "id", "shortNumber", "status", "createdDateTime", "arrivalDateTime",
      "targetHostName", "priority", "payload",
    ] + stateNames,
    merged(identity, content, state, ["@odata.etag": text]))

  /// A whole item, or the members that `$select` names.
  private static let part: JSONValue = closed(
    ["@odata.etag", "id"], merged(identity, content, state, ["@odata.etag": text]))

  static let items: [String: JSONValue] = [
    "Notification": item,
    "NotificationPart": part,
    "PublishedNotification": closed(
      [
        "@odata.context", "id", "shortNumber", "createdDateTime", "targetHostName", "priority",
        "payload",
      ],
      merged(
        content,
        ["@odata.context": text, "id": uuid, "shortNumber": count, "createdDateTime": time])),
    "Repeats": repeats,
    "Payload": closed([], ["rawContent": text, "visualContent": reference("VisualContent")]),
    "VisualContent": closed(["title"], ["title": text, "subtitle": text, "body": text]),
    "Action": closed(
      ["id", "title"],
      [
        "id": text, "title": text, "kind": text, "options": list(text), "url": text,
        "text": text, "method": text, "headers": texts, "body": text, "placeholder": text,
        "buttonTitle": text,
        "revision": described(
          count, "The change at which an action of a category became as it is."),
      ]),
    "Attachment": closed(
      ["url"],
      [
        "name": text, "type": text, "size": ["type": "integer"],
        "expires": described(time, "When the store removes the file; absent for a link."),
        "url": described(text, "A link; or /file/… on the store, which needs no token."),
      ]),
    "Upload": closed(
      ["url", "name", "type", "size"],
      ["url": text, "name": text, "type": text, "size": count]),
    "RegisterChange": closed(
      [],
      [
        "dateTime": time, "deviceId": text, "deviceName": text, "publisherId": text,
        "publisherName": text, "ruleId": uuid, "ruleName": text, "operationId": uuid,
        "previousValue": text,
        "previousSnoozedUntilDateTime": time,
        "previous": described(
          reference("AppliedEffect"), "Instead of previousValue, in a change of applied."),
        "actionId": text, "actionTitle": text, "actionText": text,
        "occurrence": described(
          text, "The delivery by the trigger for which the value counts: 3, or 2026-11-30T09:00."),
      ]),
    "AppliedEffect": appliedEffect,
    "RuleMark": ruleMark,
    "Trigger": trigger,
    "PendingRequestList": closed(
      ["value"], ["value": list(reference("PendingRequest")), "@odata.nextLink": text]),
    "PendingRequest": closed(
      ["id", "targetHostName", "createdDateTime"],
      [
        "id": uuid, "targetHostName": text, "appNotificationId": text, "createdDateTime": time,
        "deliverAfterDateTime": time, "trigger": reference("Trigger"),
        "nextTriggerDateTime": described(time, "Absent for a place: the time is not known."),
        "shortNumber": described(count, "For tokens that may read the item, as the title."),
        "title": text,
      ]),
    "NotificationList": closed(
      ["value"],
      [
        "@odata.count": count, "value": list(reference("NotificationPart")),
        "@odata.nextLink": text,
      ]),
    "StateChange": open(
      [],
      merged(
        values,
        [
          "actionId": described(text, chosenAction),
          "actionTitle": described(text, "Ignored: the store records the title of the action."),
          "actionRevision": described(
            count, "The revision of the category's action as it was shown; with actionId."),
          "actionText": described(
            limited(ActionChoice.textBytesMax), "The text that the user typed; with actionId."),
        ])),
    "Delta": closed(
      ["value", "@bellhop.sequence", "@bellhop.epoch"],
      [
        "value": list(["anyOf": .array(deltaRows)]),
        "@bellhop.apps": list(reference("AppSettings")),
        "@bellhop.rules": list(["type": "object"]), "@odata.nextLink": text,
        "@odata.deltaLink": text, "@bellhop.startLink": text, "@bellhop.sequence": count,
        "@bellhop.itemCount": count,
        "@bellhop.epoch": text, "@bellhop.validThrough": count,
      ]),
  ]

  /// The rows of a delta: a whole item, its state only, or a tombstone.
  private static let deltaRows: [JSONValue] = [
    reference("Notification"),
    closed(
      ["@odata.etag", "id"] + stateNames, merged(state, ["@odata.etag": text, "id": uuid])),
    closed(
      ["id", "sequence", "@removed"],
      [
        "id": uuid, "sequence": count,
        "@removed": closed(["reason"], ["reason": words("deleted")]),
      ]),
  ]
}
