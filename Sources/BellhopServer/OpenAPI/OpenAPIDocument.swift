internal import BellhopWire
internal import HTTPTypes

/// The OpenAPI 3.1.1 description of the native interface, made from the served endpoints.
///
/// It only contains the first version of the paths; the other versions are aliases.
enum OpenAPIDocument {
  static func make(_ endpoints: [Endpoint], version: String) -> JSONValue {
    var paths: [String: [String: JSONValue]] = [:]
    for endpoint in endpoints {
      guard let description = endpoint.description else { continue }
      let prefix = endpoint.root == .native ? "/" + Route.versions[0] : ""
      let segments = endpoint.pattern.split(separator: "/")
      let path =
        prefix + "/"
        + segments.map { $0.first == ":" ? "{\($0.dropFirst())}" : String($0) }
        .joined(separator: "/")
      let names = segments.filter { $0.first == ":" }.map { String($0.dropFirst()) }
      paths[path, default: [:]][endpoint.method.rawValue.lowercased()] = operation(
        description, pathParameters: names, access: endpoint.access)
    }
    return [
      "openapi": "3.1.1",
      "info": [
        "title": "Bellhop", "version": .string(version),
        "description": .string(
          "Publish once, live in every terminal; handled once, dismissed everywhere. Errors have "
            + "one shape; every answer carries request-id and Date."),
      ],
      "paths": .object(paths.mapValues { .object($0) }),
      "components": [
        "schemas": .object(Schemas.components),
        "securitySchemes": [
          "token": ["type": "http", "scheme": "bearer"]
        ],
      ],
    ]
  }

  private static func operation(
    _ description: OperationDescription, pathParameters: [String], access: Endpoint.Access
  ) -> JSONValue {
    var responses: [String: JSONValue] = [:]
    for (status, text) in refusals(description, hasPath: !pathParameters.isEmpty, access: access) {
      responses[String(status)] = response(
        .init(
          status, text, .json("Error"),
          headers: status == 429 || status == 503 ? ["Retry-After"] : []))
    }
    for answer in description.answers { responses[String(answer.status)] = response(answer) }
    var operation: [String: JSONValue] = [
      "operationId": .string(description.id), "summary": .string(description.summary),
      "responses": .object(responses),
    ]
    let parameters =
      pathParameters.map { Schemas.pathParameter($0) } + description.parameters.map(parameter)
    if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
    if let body = description.body {
      let contents = [body] + description.otherBodies
      operation["requestBody"] = [
        "required": true,
        "content": .object(
          Dictionary(contents.map { ($0.mediaType, $0.described) }) { $1 }),
      ]
    }
    operation["security"] = access == .open ? [] : [["token": []]]
    return .object(operation)
  }

  /// Returns the refusals that this endpoint may respond with.
  private static func refusals(
    _ description: OperationDescription, hasPath: Bool, access: Endpoint.Access
  ) -> [Int: String] {
    var refusals = [
      400: "The request is not valid; the message names the part and the accepted form.",
      414: "The address is too long.",
      429: "Too many requests; Retry-After says when to try again.",
      431: "The headers are too large.",
      503: "The store cannot answer now; nothing was changed. Retry-After says when to try again.",
    ]
    if access != .open {
      refusals[401] = "The access token is missing or not valid."
      refusals[403] = "The access token does not allow this."
    }
    if hasPath { refusals[404] = "The resource does not exist." }
    if description.body != nil {
      refusals[413] = "The body is too large."
      refusals[415] = "The encoding of the body is not supported."
      refusals[507] = "The store's disk is full, or a quota is used up. Nothing was changed."
    }
    return refusals.merging(description.refusals) { $1 }
  }

  private static func response(_ answer: OperationDescription.Answer) -> JSONValue {
    var response: [String: JSONValue] = ["description": .string(answer.text)]
    if let content = answer.content {
      response["content"] = .object([content.mediaType: content.described])
    }
    response["headers"] = .object(
      Dictionary(
        (["request-id"] + answer.headers).map { ($0, ["schema": ["type": "string"]]) }
      ) { $1 })
    return .object(response)
  }

  private static func parameter(_ parameter: OperationDescription.Parameter) -> JSONValue {
    [
      "name": .string(parameter.name), "in": .string(parameter.place.rawValue),
      "schema": parameter.schema, "description": .string(parameter.text),
      "required": .bool(parameter.isRequired),
    ]
  }
}
