internal import BellhopWire

extension Schemas {
  private static let changeType: JSONValue = [
    "type": "string", "description": "created, updated, deleted, or several, separated by commas.",
  ]

  /// The schemas of web hooks, without Graph's `changeNotification`.
  ///
  /// The store sends it to hooks, and no response contains it.
  static let subscriptions: [String: JSONValue] = [
    "SubscriptionRequest": open(
      ["changeType", "notificationUrl", "resource", "expirationDateTime"],
      [
        "changeType": changeType, "notificationUrl": limited(2048),
        "lifecycleNotificationUrl": limited(2048),
        "resource": ["type": "string", "description": "me/notifications"],
        "expirationDateTime": time,
        "clientState": ["type": "string", "minLength": 1, "maxLength": 128],
        "latestSupportedTlsVersion": limited(16),
        "includeResourceData": ["const": false],
      ]),
    "SubscriptionChange": open(
      [], ["expirationDateTime": time, "notificationUrl": limited(2048)]),
    "Subscription": closed(
      ["id", "resource", "changeType", "notificationUrl", "expirationDateTime"],
      [
        "id": uuid, "resource": text, "changeType": text, "notificationUrl": text,
        "lifecycleNotificationUrl": text, "expirationDateTime": time,
        "latestSupportedTlsVersion": text,
      ]),
    "SubscriptionList": closed(["value"], ["value": list(reference("Subscription"))]),
  ]
}
