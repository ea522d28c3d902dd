internal import HTTPTypes
internal import Hummingbird

extension Exchange {
  /// The preferences of RFC 7240, names in lower case; of one that is there twice, the first.
  /// Values come without quotes, the parameters of a preference are passed over.
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

  /// How many items the client wants on a page (OData 4.01 Protocol §8.2.8.5); nil when it did not
  /// say, or said what makes no sense: such a preference is passed over (RFC 7240 §2).
  var pageSizePreference: Int? {
    let preferences = preferences
    guard let text = preferences["odata.maxpagesize"] ?? preferences["maxpagesize"],
      let rows = Int(text), rows >= 1
    else { return nil }
    return rows
  }

  /// Whether the client wants no body in the answer to a change (OData 4.01 Protocol §8.2.8.7).
  var prefersMinimal: Bool { preferences["return"] == "minimal" }

  static let returnMinimal = "return=minimal"
  /// Names what was made, in an answer without a body.
  static let entityID = HTTPField.Name("OData-EntityId")!
}
