package import BellhopWire
import Foundation

/// Requests to the store with what is to come of them, as files of JSON.
package enum Fixtures {
  /// The fixtures of a file below `Tests/`.
  package static func read(_ path: String) throws -> [JSONValue] {
    let text = try SourceTree.text("Tests/" + path)
    guard case .array(let fixtures) = try JSONValue(parsing: Array(text.utf8)) else { return [] }
    return fixtures
  }
}

extension JSONValue {
  /// Where this value lacks something of the other one, in words; nil where it has all of it. A null
  /// stands for what must not be there, and members that are not named may be anything.
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
