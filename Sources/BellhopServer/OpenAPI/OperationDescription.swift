internal import BellhopWire
internal import HTTPTypes

/// The OpenAPI description of an endpoint, besides its method, address and access.
struct OperationDescription: Sendable {
  /// A value in the query or in a header.
  struct Parameter: Sendable {
    enum Place: String, Sendable {
      case query
      case header
    }

    var name: String
    var place: Place
    var schema: JSONValue
    var text: String
    var isRequired = false

    static func query(
      _ name: String, _ schema: JSONValue, _ text: String, isRequired: Bool = false
    ) -> Parameter {
      Parameter(name: name, place: .query, schema: schema, text: text, isRequired: isRequired)
    }

    static func header(_ name: String, _ schema: JSONValue, _ text: String) -> Parameter {
      Parameter(name: name, place: .header, schema: schema, text: text)
    }
  }

  /// The content of a body.
  struct Content: Sendable {
    var mediaType: String
    var schema: JSONValue
    /// An example that the store accepts.
    var example: JSONValue?

    /// Creates JSON content with a schema of the components.
    static func json(_ name: String, example: JSONValue? = nil) -> Content {
      json(Schemas.reference(name), example: example)
    }

    static func json(_ schema: JSONValue, example: JSONValue? = nil) -> Content {
      Content(mediaType: "application/json", schema: schema, example: example)
    }

    /// OpenAPI's Media Type Object.
    var described: JSONValue {
      var members = ["schema": schema]
      if let example { members["example"] = example }
      return .object(members)
    }

    static func text(_ mediaType: String) -> Content {
      Content(mediaType: mediaType, schema: ["type": "string"])
    }
  }

  /// A response with its own status. The refusals of every endpoint are added to it.
  struct Answer: Sendable {
    var status: Int
    var text: String
    var content: Content?
    /// The names of its headers, besides those of all responses.
    var headers: [String] = []

    init(_ status: Int, _ text: String, _ content: Content? = nil, headers: [String] = []) {
      self.status = status
      self.text = text
      self.content = content
      self.headers = headers
    }
  }

  /// The unique name of the operation in generated clients.
  var id: String
  /// A line of human-readable text.
  var summary: String
  var parameters: [Parameter] = []
  /// The request body, which is required.
  var body: Content?
  /// Alternative contents of the body.
  var otherBodies: [Content] = []
  var answers: [Answer]
  /// The refusals of this endpoint by status, besides those of every endpoint.
  var refusals: [Int: String] = [:]
}

extension Endpoint {
  /// Returns the endpoint with a description.
  func described(_ description: OperationDescription) -> Endpoint {
    var endpoint = self
    endpoint.description = description
    return endpoint
  }
}
