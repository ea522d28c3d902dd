internal import BellhopModel

/// Why bytes are not the payload they should be.
package enum WireError: ExplainedError, Hashable, Sendable {
  /// Not JSON at all.
  case malformed(reason: String)
  /// A value is missing or of the wrong kind. `field` is its path, as in
  /// `payload.visualContent.title`; empty for the whole body.
  case invalid(field: String, expectation: String)
  /// Arrays and objects within each other past the limit.
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

  /// The error of a value that is a part of another one, under this name or as in `[2]`.
  func inside(_ name: String) -> WireError {
    switch self {
    case .malformed, .tooDeep: self
    case .invalid("", let expectation): .invalid(field: name, expectation: expectation)
    case .invalid(let field, let expectation):
      .invalid(field: name + (field.hasPrefix("[") ? "" : ".") + field, expectation: expectation)
    }
  }
}
