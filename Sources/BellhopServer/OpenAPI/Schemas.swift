internal import BellhopModel
internal import BellhopWire

/// The schemas of the native interface (JSON Schema 2020-12, as in OpenAPI 3.1).
///
/// The schemas of responses are closed: an additional member changes the description.
enum Schemas {
  static let components: [String: JSONValue] = items.merging(requests) { $1 }
    .merging(signIn) { $1 }.merging(apps) { $1 }.merging(others) { $1 }
    .merging(subscriptions) { $1 }

  static func reference(_ name: String) -> JSONValue {
    ["$ref": .string("#/components/schemas/" + name)]
  }

  /// Returns a parameter in a path.
  static func pathParameter(_ name: String) -> JSONValue {
    [
      "name": .string(name), "in": "path", "required": true,
      "schema": ["type": "string", "minLength": 1, "maxLength": 256],
    ]
  }

  // MARK: - Building blocks

  static let time: JSONValue = [
    "type": "string", "format": "date-time",
    "description": "UTC, ISO 8601, written with milliseconds.",
  ]
  static let text: JSONValue = ["type": "string"]
  static let bool: JSONValue = ["type": "boolean"]
  static let count: JSONValue = ["type": "integer", "minimum": 0]
  static let uuid: JSONValue = ["type": "string", "format": "uuid"]
  /// The environment of a device or a publication.
  static let environment = words(RegistrationEnvironment.allCases.map(\.rawValue))

  /// The schema of an object with texts under any names.
  static let texts: JSONValue = ["type": "object", "additionalProperties": text]

  /// Returns the schema of an object with values under any names.
  static func dictionary(_ values: JSONValue) -> JSONValue {
    ["type": "object", "additionalProperties": values]
  }

  /// Returns a schema with a sentence that explains it.
  static func described(_ schema: JSONValue, _ description: String) -> JSONValue {
    guard case .object(var members) = schema else { return schema }
    members["description"] = .string(description)
    return .object(members)
  }

  static func words(_ words: String...) -> JSONValue { self.words(words) }

  static func words(_ words: [String]) -> JSONValue {
    ["enum": .array(words.map { .string($0) })]
  }

  static func list(_ element: JSONValue, max: Int? = nil) -> JSONValue {
    var schema: [String: JSONValue] = ["type": "array", "items": element]
    if let max { schema["maxItems"] = .integer(max) }
    return .object(schema)
  }

  static func limited(_ bytes: Int) -> JSONValue {
    ["type": "string", "maxLength": .integer(bytes)]
  }

  /// Returns the schema of a device's, token's or app's name in lists.
  static func name(_ bytes: Int) -> JSONValue {
    named(["type": "string", "minLength": 1, "maxLength": .integer(bytes)])
  }

  /// Returns the schema of a string that lists show.
  static func named(_ schema: JSONValue) -> JSONValue {
    described(
      schema,
      "One line: no control characters, text direction controls or invisible characters.")
  }

  /// Returns the schema of an object with only these members.
  static func closed(_ required: [String], _ members: [String: JSONValue]) -> JSONValue {
    object(required, members, isOpen: false)
  }

  /// Returns the schema of an object that may have other members, which are ignored.
  static func open(_ required: [String], _ members: [String: JSONValue]) -> JSONValue {
    object(required, members, isOpen: true)
  }

  private static func object(
    _ required: [String], _ members: [String: JSONValue], isOpen: Bool
  ) -> JSONValue {
    var schema: [String: JSONValue] = ["type": "object", "properties": .object(members)]
    if !required.isEmpty { schema["required"] = .array(required.map { .string($0) }) }
    if !isOpen { schema["additionalProperties"] = false }
    return .object(schema)
  }

  // MARK: - Other schemas

  private static let others: [String: JSONValue] = [
    "Error": closed(
      ["error"],
      [
        "error": closed(
          ["code", "message", "innerError"],
          [
            "code": text, "message": text, "expectedSequence": count,
            "innerError": closed(
              ["request-id", "date"],
              [
                "request-id": text, "date": time, "code": text, "revokedDateTime": time,
                "revokedBy": text,
              ]),
          ])
      ]),
    "ResourceMetadata": closed(
      ["resource", "authorization_servers", "scopes_supported", "bearer_methods_supported"],
      [
        "resource": text, "authorization_servers": list(text), "scopes_supported": list(text),
        "bearer_methods_supported": list(text), "bellhop_client_id": text,
        "bellhop_resource": text, "bellhop_scope": text,
      ]),
    "Health": closed(
      ["status", "product", "version"],
      [
        "status": text, "product": text, "version": text, "health": text, "database": text,
        "clock": words("plausible", "implausible"),
      ]),
    "DeviceRegistration": open(
      ["id", "name"],
      [
        "id": deviceID, "name": name(64), "platform": named(limited(64)),
        "channel": words("signal", "polling"), "environment": environment,
      ]),
    "DeviceChange": open(
      [],
      [
        "name": name(64), "channel": words("signal", "polling"), "environment": environment,
      ]),
    "Device": closed(
      [
        "id", "name", "platform", "channel", "state", "registeredDateTime", "renewedDateTime",
        "expirationDateTime", "isCurrent",
      ],
      [
        "id": text, "name": text, "platform": text, "channel": words("signal", "polling"),
        "environment": described(
          words("development"), "The environment of the device; missing for production."),
        "state": words("registered", "expiring", "expired"), "registeredDateTime": time,
        "renewedDateTime": time,
        "expirationDateTime": time, "isCurrent": bool,
      ]),
    "DeviceList": closed(["value"], ["value": list(reference("Device"))]),
  ]

  private static let deviceID: JSONValue = [
    "type": "string", "pattern": "^[A-Za-z0-9_.:~-]{1,128}$",
  ]
}
