internal import BellhopModel

/// The reason why bytes are not a valid payload.
package enum WireError: ExplainedError, Hashable, Sendable {
  /// The bytes are not JSON.
  case malformed(reason: String)
  /// A value is missing or of the wrong type.
  ///
  /// `field` is its path, as in `payload.visualContent.title`; empty for the whole body.
  case invalid(field: String, expectation: String)
  /// Arrays and objects are nested beyond the limit.
  case tooDeep(limit: Int)

  package var description: String {
    switch self {
    case .malformed(let reason): "The body is not valid JSON: \(reason)."
    case .invalid("", let expectation): "The body is wrong: expected \(expectation)."
    case .invalid(let field, let expectation): "\(field) is wrong: expected \(expectation)."
    case .tooDeep(let limit):
      "The body is nested too deeply: at most \(limit) levels are accepted."
    }
  }

  /// Returns the error of a value inside another one, at a name or an index such as `[2]`.
  func inside(_ name: String) -> WireError {
    switch self {
    case .malformed, .tooDeep: self
    case .invalid("", let expectation): .invalid(field: name, expectation: expectation)
    case .invalid(let field, let expectation):
      .invalid(field: name + (field.hasPrefix("[") ? "" : ".") + field, expectation: expectation)
    }
  }
}
