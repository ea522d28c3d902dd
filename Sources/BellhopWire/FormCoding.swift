/// `application/x-www-form-urlencoded`: the bodies of OAuth's endpoints (RFC 6749 appendix B).
package enum FormCoding {
  /// Why a body is no such form.
  package enum Problem: Error, Hashable, Sendable {
    /// An escape is broken, or the result is not UTF-8.
    case malformed
    /// A parameter comes twice, which OAuth forbids (RFC 6749 §3.2).
    case repeated
  }

  package static let contentType = "application/x-www-form-urlencoded"

  /// The parameters by name; those without a value count as left out (RFC 6749 §3.2).
  package static func decode(_ text: String) throws(Problem) -> [String: String] {
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

  /// The parameters as a body, in the order given.
  package static func encode(_ parameters: [(name: String, value: String)]) -> String {
    parameters.map { Route.escaped($0.name) + "=" + Route.escaped($0.value) }
      .joined(separator: "&")
  }

  private static func decoded(_ text: Substring) -> String? {
    Route.unescaped(String(text.map { $0 == "+" ? " " : $0 }))
  }
}
