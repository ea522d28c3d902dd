internal import BellhopModel
internal import BellhopWire

extension Schemas {
  /// Returns the schema of a whole number, or of a string that contains one.
  private static func lenient(_ minimum: Int, _ maximum: Int) -> JSONValue {
    [
      "anyOf": [
        [
          "type": "integer", "minimum": .integer(minimum), "maximum": .integer(maximum),
        ],
        ["type": "string", "pattern": "^[0-9]{1,9}$"],
      ]
    ]
  }

  private static let platforms: JSONValue = list(
    [
      "type": "string", "description": "Windows, iOS, Android or WebPush, in any case.",
    ])

  private static let weekday: JSONValue = ["type": "integer", "minimum": 1, "maximum": 7]

  /// The schema of a trigger, in requests and in responses.
  static let trigger: JSONValue = closed(
    [],
    [
      "interval": described(
        ["type": "integer", "minimum": 1],
        "Seconds after the publication, at least 60 if it repeats. One of this, calendar and place."
      ),
      "calendar": described(
        closed(
          [],
          [
            "minute": ["type": "integer", "minimum": 0, "maximum": 59],
            "hour": ["type": "integer", "minimum": 0, "maximum": 23],
            "weekday": described(
              ["anyOf": [weekday, list(weekday, max: 7)]], "One or several; 1 is Sunday."),
            "day": ["type": "integer", "minimum": 1, "maximum": 31],
            "month": ["type": "integer", "minimum": 1, "maximum": 12],
            "year": ["type": "integer", "minimum": 1970, "maximum": 9999],
          ]),
        "The times that have these parts. A missing part matches any value if a finer one is given, "
          + "and otherwise the first: {\"hour\": 9} is daily at 9:00."),
      "timeZone": described(
        ["type": ["string", "null"]],
        "The IANA zone of calendar, such as Europe/Berlin; null for that of each device."),
      "place": described(
        closed(
          ["name", "on"], ["name": limited(64), "on": words("entry", "exit")]),
        "Delivered when the first of the user's devices arrives at the place, or when the last one "
          + "leaves it. An app needs the user's permission."),
      "repeats": described(bool, "Whether there are deliveries after the first."),
    ])

  /// The schema of a button on an item.
  private static let action: JSONValue = open(
    ["title"],
    [
      "id": described(limited(256), "Default: the action's position, from 1."),
      "title": limited(256), "label": described(limited(256), "Another name for title."),
      "kind": described(
        text,
        "open: opens url. copy: copies text. http: sends body to url. reply: asks for a line of text "
          + "and sends it to url, if there is one. report: nothing else. The choice is always "
          + "reported in userActionStateChange. Default: open if it has a url, otherwise report."),
      "url": limited(2048), "text": limited(4096),
      "method": words("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"),
      "headers": described(texts, "At most 16; connection headers are not allowed."),
      "body": limited(4096), "placeholder": limited(256),
      "buttonTitle": described(limited(256), "The text of the button that sends a reply."),
      "textInput": described(
        open([], ["buttonTitle": limited(256), "placeholder": limited(256)]),
        "Makes the action a reply, unless it has a kind."),
      "options": described(
        list(text, max: 8),
        "clear: choosing dismisses the item. destructive, confirm: the user must confirm. foreground: "
          + "the item is opened first. authenticationRequired: the client asks the user to prove who "
          + "they are."),
      "clear": bool, "destructive": bool, "confirm": bool, "foreground": bool,
      "authenticationRequired": bool,
    ])

  private static let category: JSONValue = open(
    [],
    [
      "actions": list(action, max: 8),
      "options": list(words(Category.Option.allCases.map(\.rawValue))),
      "hiddenPreviewsBodyPlaceholder": described(
        limited(256), "The text in place of the body while the user hides previews."),
    ])

  /// The schema of a publication, which accepts more than responses contain.
  static let publication: JSONValue = open(
    ["targetHostName", "payload"],
    [
      "targetHostName": [
        "type": "string", "pattern": "^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$", "maxLength": 253,
      ],
      "appNotificationId": limited(256), "groupName": limited(256),
      "priority": [
        "type": "string",
        "description": "None, Low, High, min, normal or urgent, in any case.",
      ],
      "tags": list(limited(64), max: 16),
      "payload": open(
        [], ["rawContent": limited(32_768), "visualContent": reference("VisualContent")]),
      "clickUrl": limited(2048), "expirationDateTime": time,
      "displayTimeToLive": lenient(0, 315_360_000), "deliverAfterDateTime": time,
      "trigger": reference("Trigger"),
      "category": described(limited(256), "The id of a category that the app has registered."),
      "actions": list(action, max: 8),
      "attachments": list(reference("Attachment"), max: 8),
      "sound": described(limited(256), "default, none, or a name that the user maps to a file."),
      "badge": described(lenient(0, 2_147_483_647), "The number that the app shows from now on."),
      "markdown": bool, "icon": limited(2048),
      "userInfo": described(
        ["type": "object"], "Data for the app's own handlers, at most 4 KiB as JSON."),
      "mutableContent": described(
        bool, "Whether a program of the user may transform the content before it is shown."),
      "environment": described(
        environment, "development: only devices registered for development receive the item."),
      "awaitsResponse": described(
        bool, "Whether the publisher waits for an answer: GET …/notifications/{id}/response."),
      "startedDateTime": described(time, "When the condition that the item reports began."),
      "targetPolicy": open(["platformTypes"], ["platformTypes": platforms]),
      "fallbackPolicy": open(
        [],
        [
          "endpointFallback": open(
            ["fallbackDelayInSeconds"],
            [
              "platformTypes": platforms, "fallbackDelayInSeconds": lenient(60, 600),
              "visualContent": reference("VisualContent"),
            ])
        ]),
    ])

  private static let operation: JSONValue = open(
    ["sequence", "id"],
    [
      "sequence": ["type": "integer", "minimum": 1], "id": uuid, "notificationId": uuid,
      "notificationIds": list(uuid, max: 1000), "matching": ["type": "object"],
      "targetHostName": limited(253), "ruleId": uuid, "seen": count,
      "seenEach": list(count, max: 1000),
      "seenOccurrence": text, "seenOccurrences": list(["type": ["string", "null"]], max: 1000),
      "seenOperation": described(
        uuid, "The device's own operation that made the content which was shown, instead of seen."),
      "seenOperations": list(["type": ["string", "null"]], max: 1000),
      "set": reference("StateChange"), "delete": bool, "restore": bool,
      "configure": reference("AppChange"),
      "reschedule": described(
        open(
          ["rescheduledDateTime"],
          [
            "deliverAfterDateTime": time, "trigger": reference("Trigger"),
            "rescheduledDateTime": time,
          ]), "The new time, or the new trigger, and when the user set it."),
      "publish": described(
        [
          "allOf": [
            reference("Publication"),
            open(["priority", "publishedDateTime"], ["publishedDateTime": time]),
          ]
        ],
        "An item in the form in which the store sends items, with the time at which the user published "
          + "it. notificationId is equal to id, and becomes the item's id."),
      "changeRule": described(
        open(
          [],
          [
            "definition": ["type": "object"],
            "order": ["type": "string", "pattern": "^[a-z]*[b-z]$", "maxLength": 64],
            "isEnabled": bool, "remove": bool,
          ]), "A new rule, or what changes of a rule. remove stands alone."),
      "applyRule": described(
        open(["dateTime"], ["dateTime": time]),
        "Applies a rule, and when the user did. matching has the rule's id as rule, its revision and "
          + "definition, and a throughSequence. superseded if the store has another revision."),
      "expect": open(["setBy"], ["setBy": uuid]),
    ])

  private static let batchRequest: JSONValue = open(
    ["id", "method", "url"],
    [
      "id": ["type": "string", "minLength": 1, "maxLength": 64],
      "method": words("GET", "POST", "PUT", "PATCH", "DELETE"),
      "url": ["type": "string", "description": "Relative to the version: /me/notifications."],
      "headers": ["type": "object", "additionalProperties": ["type": "string"]],
      "body": ["description": "JSON unchanged; anything else in base64."],
      "dependsOn": list(text, max: BatchPayload.requestsMax),
    ])

  static let requests: [String: JSONValue] = [
    "CategoryDraft": category,
    "TokenRequest": open(
      [],
      [
        "name": name(256),
        "targetHostName": limited(253), "anyApp": bool, "expirationDateTime": time,
      ]),
    "Token": closed(
      ["id", "name", "scope", "createdDateTime", "isCurrent"],
      [
        "id": uuid, "name": text, "scope": words("device", "publish", "app", "enrol"),
        "targetHostName": text, "deviceId": text, "createdDateTime": time,
        "expirationDateTime": time, "lastUsedDateTime": time, "isCurrent": bool, "secret": text,
      ]),
    "TokenList": closed(["value"], ["value": list(reference("Token"))]),
    "Batch": open(
      ["requests"], ["requests": list(batchRequest, max: BatchPayload.requestsMax)]),
    "BatchAnswer": closed(
      ["responses"],
      [
        "responses": list(
          closed(
            ["id", "status", "headers"],
            [
              "id": text, "status": count,
              "headers": ["type": "object", "additionalProperties": text], "body": true,
            ]))
      ]),
    "Publication": publication,
    "Operations": open(
      ["lineage", "operations"],
      [
        "lineage": ["type": "string", "minLength": 1, "maxLength": 128],
        "operations": list(operation, max: OperationsPayload.operationsMax),
      ]),
    "OperationsAnswer": closed(
      ["results", "sequence", "epoch"],
      [
        "results": list(
          closed(
            ["sequence", "id", "result"],
            [
              "sequence": count, "id": uuid,
              "result": words(
                "applied", "alreadyApplied", "superseded", "gone", "refused", "notPublished",
                "invalid", "aliasTaken", "tooManyApps", "tooManyRules"),
              "reason": described(
                text,
                "With notPublished: why the store refused the publication. With gone: outcomeUnknown, if "
                  + "the store received the operation before, did not apply it again, and has "
                  + "forgotten its result."),
              "latestDateTime": time,
            ])), "sequence": count, "epoch": text,
      ]),
  ]
}
