/// The body of `$batch`: several requests in one.
///
/// The format is Microsoft Graph's JSON batching ("Combine multiple HTTP requests using JSON
/// batching"), which is OData JSON Format 4.01 §19 without atomicity groups.
package struct BatchPayload: Hashable, Sendable {
  /// The maximum number of requests, as in Graph.
  package static let requestsMax = 20
  private static let idBytesMax = 64

  package enum Body: Hashable, Sendable {
    /// JSON that the batch contains directly.
    case json([UInt8])
    /// A string: base64, or the text of a `text/*` body.
    case text(String)
  }

  package struct Request: Hashable, Sendable {
    package var id: String
    /// The method in upper case.
    package var method: String
    /// The URL as the batch contains it, relative to the version that received the batch.
    package var url: String
    package var headers: [String: String]
    package var body: Body?
    /// The batch positions of the requests that must succeed before this one.
    package var dependsOn: [Int]
  }

  package var requests: [Request]
  /// The positions of the requests in order of execution.
  ///
  /// Each request follows those that it depends on; otherwise the order is the batch's.
  package var order: [Int]

  /// - Throws: ``WireError`` with the position of the invalid request. One invalid request refuses
  ///   the whole batch.
  package init(
    parsing bytes: some Collection<UInt8>, depthMax: Int = WireJSON.depthMax
  ) throws(WireError) {
    let whole = try JSONValue(parsing: bytes, depthMax: depthMax)
    guard case .array(let values)? = whole["requests"] else {
      throw .invalid(field: "requests", expectation: "an array of requests")
    }
    guard (1...Self.requestsMax).contains(values.count) else {
      throw .invalid(field: "requests", expectation: "1 to \(Self.requestsMax) requests")
    }
    requests = []
    var places: [String: Int] = [:]
    for (place, value) in values.enumerated() {
      let request = try Self.request(value, "requests[\(place)]")
      // Graph compares ids without regard to case.
      guard places.updateValue(place, forKey: request.id.lowercased()) == nil else {
        throw .invalid(field: "requests[\(place)].id", expectation: "a unique id")
      }
      requests.append(request)
    }
    for (place, value) in values.enumerated() {
      requests[place].dependsOn = try Self.dependencies(
        value, among: places, "requests[\(place)].dependsOn")
    }
    order = try Self.order(requests)
  }

  private static func request(
    _ value: JSONValue, _ field: String
  ) throws(WireError) -> Request {
    guard let id = value["id"]?.text, (1...idBytesMax).contains(id.utf8.count) else {
      throw .invalid(field: field + ".id", expectation: "a string of 1 to \(idBytesMax) bytes")
    }
    let method = value["method"]?.text?.uppercased() ?? ""
    guard ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(method) else {
      throw .invalid(field: field + ".method", expectation: "GET, POST, PUT, PATCH or DELETE")
    }
    guard let url = value["url"]?.text, !url.isEmpty, !url.hasPrefix("//"), !url.contains("://"),
      url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
    else {
      throw .invalid(
        field: field + ".url", expectation: "a relative address such as /me/notifications")
    }
    return Request(
      id: id, method: method, url: url, headers: try headers(value["headers"], field + ".headers"),
      body: body(value["body"]), dependsOn: [])
  }

  private static func headers(
    _ value: JSONValue?, _ field: String
  ) throws(WireError) -> [String: String] {
    switch value {
    case nil, .null?: return [:]
    case .object(let members)?:
      var headers: [String: String] = [:]
      for (name, value) in members {
        guard let text = value.text else {
          throw .invalid(field: field, expectation: "an object whose values are strings")
        }
        headers[name] = text
      }
      return headers
    case _?: throw .invalid(field: field, expectation: "an object whose values are strings")
    }
  }

  private static func body(_ value: JSONValue?) -> Body? {
    switch value {
    case nil, .null?: nil
    case .string(let text)?: .text(text)
    case let value?: .json(value.bytes)
    }
  }

  private static func dependencies(
    _ value: JSONValue, among places: [String: Int], _ field: String
  ) throws(WireError) -> [Int] {
    switch value["dependsOn"] {
    case nil, .null?: return []
    case .array(let ids)?:
      var result: [Int] = []
      for id in ids {
        guard let place = id.text.flatMap({ places[$0.lowercased()] }) else {
          throw .invalid(field: field, expectation: "ids of other requests of this batch")
        }
        result.append(place)
      }
      return result
    case _?: throw .invalid(field: field, expectation: "an array of ids")
    }
  }

  private static func order(_ requests: [Request]) throws(WireError) -> [Int] {
    var order: [Int] = []
    var isPlaced = Array(repeating: false, count: requests.count)
    while order.count < requests.count {
      let next = requests.indices.first { place in
        !isPlaced[place] && requests[place].dependsOn.allSatisfy { isPlaced[$0] }
      }
      guard let next else {
        let place = isPlaced.firstIndex(of: false) ?? 0
        throw .invalid(
          field: "requests[\(place)].dependsOn", expectation: "no circular dependencies")
      }
      isPlaced[next] = true
      order.append(next)
    }
    return order
  }
}

/// The responses to a batch.
package struct BatchAnswerPayload: Hashable, Sendable {
  package struct Answer: Hashable, Sendable {
    /// The id of the request.
    package var id: String
    package var status: Int
    package var headers: [String: String]
    /// Inline JSON, or base64.
    package var body: BatchPayload.Body?

    package init(
      id: String, status: Int, headers: [String: String], body: BatchPayload.Body?
    ) {
      self.id = id
      self.status = status
      self.headers = headers
      self.body = body
    }
  }

  /// The responses, in the order of the requests.
  package var answers: [Answer]

  package init(_ answers: [Answer]) { self.answers = answers }

  /// Returns the response to the request with this id.
  package subscript(id: String) -> Answer? { answers.first { $0.id == id } }

  /// - Throws: ``WireError`` when the bytes are not valid responses.
  package init(parsing bytes: some Collection<UInt8>) throws(WireError) {
    guard case .array(let values)? = try JSONValue(parsing: bytes)["responses"] else {
      throw .invalid(field: "responses", expectation: "an array of answers")
    }
    answers = []
    for (place, value) in values.enumerated() {
      guard let id = value["id"]?.text, case .number(let text)? = value["status"],
        let status = Int(text)
      else {
        throw .invalid(field: "responses[\(place)]", expectation: "an id and a status")
      }
      var headers: [String: String] = [:]
      if case .object(let members)? = value["headers"] {
        headers = members.compactMapValues(\.text)
      }
      var body: BatchPayload.Body?
      switch value["body"] {
      case nil, .null?: break
      case .string(let text)?: body = .text(text)
      case let json?: body = .json(json.bytes)
      }
      answers.append(Answer(id: id, status: status, headers: headers, body: body))
    }
  }

  /// The responses as JSON in UTF-8.
  package var bytes: [UInt8] {
    var json = QuickWriter(capacity: 1024)
    json.raw("{\"responses\":[")
    for (place, answer) in answers.enumerated() {
      json.raw(place > 0 ? ",{\"id\":" : "{\"id\":")
      json.string(answer.id)
      json.raw(",\"status\":")
      json.number(Int64(answer.status))
      json.raw(",\"headers\":")
      json.value(.object(answer.headers.mapValues(JSONValue.string)))
      switch answer.body {
      case nil: break
      case .json(let bytes)?:
        json.raw(",\"body\":")
        json.raw(bytes)
      case .text(let text)?:
        json.raw(",\"body\":")
        json.string(text)
      }
      json.raw("}")
    }
    json.raw("]}")
    return json.bytes
  }
}
