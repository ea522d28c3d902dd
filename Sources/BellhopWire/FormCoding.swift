/// A codec for `application/x-www-form-urlencoded`, as OAuth's endpoints use it.
///
/// The format is defined in RFC 6749 appendix B.
package enum FormCoding {
  /// The reason why a body is not a valid form.
  package enum FormatError: Error, Hashable, Sendable {
    /// An escape is invalid, or the result is not UTF-8.
    case malformed
    /// A parameter appears twice, which OAuth forbids (RFC 6749 §3.2).
    case repeated
  }

  package static let contentType = "application/x-www-form-urlencoded"

  /// Returns the parameters by name. A parameter without a value counts as omitted (RFC 6749 §3.2).
  package static func decode(_ text: String) throws(FormatError) -> [String: String] {
    var result: [String: String] = [:]
    for part in text.split(separator: "&") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(halves[0]), let value = decoded(halves.count > 1 ? halves[1] : "")
      else { throw .malformed }
      if value.isEmpty { continue }
      guard result.updateValue(value, forKey: name) == nil else { throw .repeated }
    }
    return result
  }

  /// Returns the parameters as a body, in the given order.
  package static func encode(_ parameters: [(name: String, value: String)]) -> String {
    parameters.map { Route.escaped($0.name) + "=" + Route.escaped($0.value) }
      .joined(separator: "&")
  }

  private static func decoded(_ text: Substring) -> String? {
    Route.unescaped(String(text.map { $0 == "+" ? " " : $0 }))
  }
}
