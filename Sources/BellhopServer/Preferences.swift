internal import HTTPTypes
internal import Hummingbird

extension Exchange {
  /// The preferences of the request (RFC 7240), with names in lower case.
  ///
  /// The first of a repeated preference counts. Values are unquoted, and a preference's parameters
  /// are ignored.
  var preferences: [String: String] {
    var result: [String: String] = [:]
    for field in request.headers[values: Self.prefer] {
      for part in field.split(separator: ",") {
        let preference = part.prefix { $0 != ";" }
        let pair = preference.split(separator: "=", maxSplits: 1)
        guard let name = pair.first?.trimmed.lowercased(), result[name] == nil else { continue }
        let value = pair.count > 1 ? pair[1].trimmed : ""
        let isQuoted = value.count >= 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
        result[name] = isQuoted ? String(value.dropFirst().dropLast()) : value
      }
    }
    return result
  }

  /// The preferred number of items on a page (OData 4.01 Protocol §8.2.8.5).
  ///
  /// Nil when it is missing or invalid: such a preference is ignored (RFC 7240 §2).
  var pageSizePreference: Int? {
    let preferences = preferences
    guard let text = preferences["odata.maxpagesize"] ?? preferences["maxpagesize"],
      let rows = Int(text), rows >= 1
    else { return nil }
    return rows
  }

  /// Whether the client prefers no body in the response to a change (OData 4.01 Protocol §8.2.8.7).
  var prefersMinimal: Bool { preferences["return"] == "minimal" }

  static let returnMinimal = "return=minimal"
  /// The id of the created entity, in a response without a body.
  static let entityID = HTTPField.Name("OData-EntityId")!
}
