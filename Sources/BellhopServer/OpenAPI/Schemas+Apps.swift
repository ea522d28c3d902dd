internal import BellhopModel
internal import BellhopWire

extension Schemas {
  private static let weekday = words(
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
  private static let timeOfDay: JSONValue = [
    "type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$",
  ]
  private static let topic: JSONValue = ["type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"]
  private static let authorization = described(
    words(AppAuthorization.allCases.map(\.rawValue)),
    "Whether the app may notify; absent means authorized. In the settings of * it is what a new app "
      + "begins with.")
  private static let whenFocused = described(
    words(FocusedPresentation.allCases.map(\.rawValue)),
    "What a focused screen shows of the app's arrivals besides the row; absent means list, nothing "
      + "more.")
  private static let timeZone = described(
    text,
    "The zone in which the store delivers triggers without one, and of ntfy's delays in words; only "
      + "in the settings of *.")
  private static let usesPlaces = described(
    bool, "Whether the app may publish items that wait for a place; absent means no.")
  private static let repeats = described(
    words(RepeatPolicy.allCases.map(\.rawValue)),
    "What publications with the same group and title as a live item become; absent means keep, an "
      + "item each. With collapse, they become that item, which counts them.")
  private static let repeatsIgnoreNumbers = described(
    bool, "Whether titles that differ only in numbers are the same for repeats; absent means no.")
  private static let resolutions = described(
    words(ResolutionPolicy.allCases.map(\.rawValue)),
    "What a resolution does besides marking its alert; absent means mark, nothing more. With "
      + "publish, it is also an item.")
  private static let mute = words("off", "until", "forever")

  private static func orNull(_ schema: JSONValue) -> JSONValue {
    ["anyOf": [schema, ["type": "null"]]]
  }

  private static let settingNames = [
    "targetHostName", "sequence", "aliases", "mute", "permissions",
  ]

  private static let settings: [String: JSONValue] = [
    "targetHostName": text, "sequence": count, "displayName": text, "aliases": list(topic),
    "mute": mute, "mutedUntilDateTime": time,
    "permissions": closed(
      ["alert", "sound", "badge"], ["alert": bool, "sound": bool, "badge": bool]),
    "quietHours": closed(
      ["from", "to", "days"],
      ["from": timeOfDay, "to": timeOfDay, "days": list(weekday), "timeZone": text]),
    "timeZone": timeZone, "retentionDays": ["type": "integer", "minimum": 1],
    "places": described(
      dictionary(closed([], ["devices": dictionary(time)])),
      "The user's places by name, with the devices that are there and the times of their last "
        + "reports; only in the settings of *."),
    "usesPlaces": usesPlaces,
    "responses": words(AppResponses.allCases.map(\.rawValue)),
    "repeats": repeats, "repeatsIgnoreNumbers": repeatsIgnoreNumbers, "resolutions": resolutions,
    "categories": list(reference("Category")),
    "authorization": authorization, "whenFocused": whenFocused, "badge": count,
  ]

  static let apps: [String: JSONValue] = [
    "Category": closed(
      ["id", "actions", "options"],
      [
        "id": text, "actions": list(reference("Action")), "options": list(text),
        "hiddenPreviewsBodyPlaceholder": text,
      ]),
    "Response": closed(
      ["status"],
      [
        "status": words("answered", "expired", "superseded"), "actionId": text, "actionText": text,
        "dateTime": time,
      ]),
    "Authorization": closed(
      ["authorization", "alert", "sound", "badge"],
      ["authorization": authorization, "alert": bool, "sound": bool, "badge": bool]),
    "Badge": closed(
      ["badge"], ["badge": ["type": "integer", "minimum": 0, "maximum": 2_147_483_647]]),
    "CategoryList": closed(["value"], ["value": list(reference("Category"))]),
    "AppSettings": closed(settingNames, settings),
    "App": closed(
      settingNames + ["@odata.etag", "usage"],
      settings.merging([
        "@odata.etag": text,
        "usage": closed(
          ["items", "deletedItems", "bytes"],
          ["items": count, "deletedItems": count, "bytes": count]),
      ]) { $1 }),
    "AppList": closed(["value"], ["value": list(reference("App"))]),
    "AppChange": open(
      [],
      [
        "displayName": orNull(name(256)),
        "aliases": list(topic, max: 16), "mute": mute, "mutedUntilDateTime": time,
        "permissions": open([], ["alert": bool, "sound": bool, "badge": bool]),
        "quietHours": orNull(
          open(
            ["from", "to"],
            [
              "from": timeOfDay, "to": timeOfDay, "days": list(weekday),
              "timeZone": orNull(["type": "string", "minLength": 1, "maxLength": 64]),
            ])),
        "authorization": authorization, "whenFocused": whenFocused, "timeZone": orNull(timeZone),
        "places": described(
          dictionary(
            orNull(open([], ["inside": bool, "dateTime": time, "crossing": bool]))),
          "Changes to places by name, only in the settings of *: {} adds a place, and null removes "
            + "it. In an operation, a device reports with inside and dateTime whether it is there; "
            + "crossing means that it knows of no other device there."),
        "usesPlaces": usesPlaces, "repeats": repeats,
        "repeatsIgnoreNumbers": repeatsIgnoreNumbers, "resolutions": resolutions,
        "retentionDays": orNull(["type": "integer", "minimum": 1, "maximum": 3650]),
        "responses": described(
          words(AppResponses.allCases.map(\.rawValue)),
          "What the app learns through the responses that it awaits. actions: the chosen actions. "
            + "all: also that an item was opened or dismissed."),
      ]),
  ]
}
