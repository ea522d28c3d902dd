internal import BellhopWire
internal import HTTPTypes

/// What the OpenAPI description says of an endpoint beyond its method, address and access.
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

  /// What a body holds.
  struct Content: Sendable {
    var mediaType: String
    var schema: JSONValue
    /// One that is accepted.
    var example: JSONValue?

    /// JSON of a schema among the components.
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

  /// An answer with a status of its own; refusals that any endpoint may give are added to them.
  struct Answer: Sendable {
    var status: Int
    var text: String
    var content: Content?
    /// Names of headers that this answer carries besides those of all answers.
    var headers: [String] = []

    init(_ status: Int, _ text: String, _ content: Content? = nil, headers: [String] = []) {
      self.status = status
      self.text = text
      self.content = content
      self.headers = headers
    }
  }

  /// Names the operation in generated clients; unique.
  var id: String
  /// One line for people.
  var summary: String
  var parameters: [Parameter] = []
  /// The body of the request; it is required.
  var body: Content?
  /// Another form that the body may have.
  var otherBodies: [Content] = []
  var answers: [Answer]
  /// Refusals of this endpoint besides those that any endpoint may give, by status.
  var refusals: [Int: String] = [:]
}

extension Endpoint {
  /// The endpoint with its description.
  func described(_ description: OperationDescription) -> Endpoint {
    var endpoint = self
    endpoint.description = description
    return endpoint
  }
}
