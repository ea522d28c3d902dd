package import BellhopWire
import Foundation

/// Requests to the store with their expected results, as JSON files.
package enum Fixtures {
  /// Reads the fixtures of a file below `Tests/`.
  package static func read(_ path: String) throws -> [JSONValue] {
    let text = try SourceTree.text("Tests/" + path)
    guard case .array(let fixtures) = try JSONValue(parsing: Array(text.utf8)) else { return [] }
    return fixtures
  }
}

extension JSONValue {
  /// The first difference from `expected`, as text; nil if this value has all of it.
  ///
  /// A null in `expected` means a member that must be missing; members that it does not name may
  /// have any value.
  package func difference(from expected: JSONValue, at path: String = "") -> String? {
    switch (self, expected) {
    case (.object(let members), .object(let wanted)):
      for (name, value) in wanted {
        if let found = (members[name] ?? .null).difference(from: value, at: path + "." + name) {
          return found
        }
      }
      return nil
    case (.array(let elements), .array(let wanted)) where elements.count == wanted.count:
      for (index, pair) in zip(elements, wanted).enumerated() {
        if let found = pair.0.difference(from: pair.1, at: "\(path)[\(index)]") { return found }
      }
      return nil
    default:
      if self == expected { return nil }
      let texts = [self, expected].map { String(decoding: $0.bytes, as: UTF8.self) }
      return "\(path) is \(texts[0]), not \(texts[1])"
    }
  }

  package var number: Int? { if case .number(let text) = self { Int(text) } else { nil } }
  package var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
  package var members: [String: JSONValue] {
    if case .object(let members) = self { members } else { [:] }
  }
}
